import { realpath } from 'node:fs/promises';
import type { CommandId, InstanceTarget, PlaceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { allRows, runCommand, titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { filesText } from '../../editor/filesText';
import { localize, t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { pickLocal } from '../../editor/pickLocal';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { askLine, pickOne } from '../../editor/quickPick';
import { replacingQuestion } from '../../editor/replacingQuestion';
import { titleOf } from '../../editor/titles';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { download } from '../../ssh/download';
import { chosenFiles, type ChosenFile } from '../../ssh/fileTree';
import { downloadServed, servedInstance, type ServedInstance } from '../../ssh/hostDownload';
import { isRemotePath, readFolders } from '../../ssh/remoteFolders';
import {
  FilesKeptError,
  reasons,
  TransferError,
  type TransferOptions,
  type TransferOutcome,
} from '../../ssh/transfer';
import { upload } from '../../ssh/upload';
import { accountFor } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { bytesText } from '../../util/bytes';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { isCancelled } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { formatText } from '../../util/text';
import { chooseCloudFolder } from './copyCloud';
import { copyData } from './copyData';
import { copySeveral } from './copySeveral';
import { FileRunner } from './runActiveFile';

type Deps = Pick<
  Services,
  'accounts' | 'fleet' | 'ssh' | 'clock' | 'commands' | 'log' | 'presence' | 'volumes' | 'workspaceState'
>;

/** Registers upload, download, data copies, and running a file on an instance. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(
    deps.commands.register('gpuRental.instance.upload', async (target, all) => {
      if (isSeveral(all)) {
        await runCommand('gpuRental.instances.copyFiles', target, all);
      } else {
        await uploadTo(deps, target);
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.download', async (target, all) => {
      if (target?.remotePath !== undefined) {
        return downloadPlaces(deps, [target, ...(all ?? [])]);
      }
      if (isSeveral(all)) {
        await runCommand('gpuRental.instances.download', target, all);
        return false;
      }
      return downloadFrom(deps, target);
    }),
  );
  store.add(
    deps.commands.register('gpuRental.uploadFiles', (one, all) =>
      uploadTo(deps, undefined, all ?? (one ? [one] : [])),
    ),
  );
  store.add(
    deps.commands.register('gpuRental.files.upload', (target, files) => uploadTo(deps, target, files)),
  );
  const closed = new AbortController();
  store.add(toDisposable(() => closed.abort()));
  store.add(
    deps.commands.register('gpuRental.instance.copyData', (target, all) => {
      const copyDeps = { ...deps, closed: closed.signal };
      const instance = target && 'instanceId' in target ? target : undefined;
      return isSeveral(all) && !(target && !instance)
        ? copySeveral(copyDeps, allRows(instance, all))
        : copyData(copyDeps, target);
    }),
  );
  store.add(
    deps.commands.register('gpuRental.chooseCloudFolder', (of) =>
      chooseCloudFolder(accountFor(deps.accounts)().client, of),
    ),
  );
  const runner = new FileRunner(deps);
  store.add(deps.commands.register('gpuRental.runActiveFile', (target) => runner.run(target)));
  return store;
}

/** A menu passes the selected rows beside its own, which is one of them. */
const isSeveral = (all: readonly InstanceTarget[] | undefined) => (all?.length ?? 0) > 1;

const transferDeps = ({ ssh, clock }: Deps) => ({ ssh, clock, platform: process.platform });

interface Chosen {
  readonly alias: string;
  readonly name: string;
  /** Set for a stopped instance. */
  readonly served?: ServedInstance;
}

/** The given files, or those that the user chooses. */
async function uploadTo(
  deps: Deps,
  target: PlaceTarget | undefined,
  given?: readonly string[],
): Promise<void> {
  const chosen = await choose(deps, target, 'gpuRental.instance.upload');
  if (!chosen) {
    return;
  }
  const locals = given
    ? await chosenFiles(given)
    : await chooseLocals(t('{0}: {1}', titleOf('gpuRental.instance.upload'), chosen.name));
  const folder =
    locals.length === 0 ? undefined : (pathOf(target) ?? (await askRemote(deps, chosen, 'folder')));
  if (folder === undefined) {
    return;
  }
  const mayReplace = replacingQuestion(chosen.name);
  await run(deps, t('Uploading to {0}', chosen.name), (options) =>
    deps.presence.during(chosen.alias, () =>
      upload(transferDeps(deps), chosen.alias, locals, folder, { ...options, mayReplace }),
    ),
  );
  if (target?.remotePath !== undefined) {
    await runCommand('gpuRental.files.refresh', { ...target, remotePath: target.remotePath });
  }
}

/** A place has one character for each byte of its path. */
function pathOf(place: PlaceTarget | undefined): string | undefined {
  return place?.remotePath === undefined ? undefined : Buffer.from(place.remotePath, 'latin1').toString();
}

/** Asks for files or folders first, because the dialogs of Windows and Linux show only one of them. */
async function chooseLocals(title: string): Promise<readonly ChosenFile[]> {
  const kinds = [
    { label: t('Files…'), folders: false },
    { label: t('Folders…'), folders: true },
  ];
  const kind = await pickOne(kinds, {
    title,
    placeHolder: t('What do you want to upload?'),
  });
  if (!kind) {
    return [];
  }
  const what = await pickLocal({
    title,
    openLabel: t('Upload'),
    canSelectFiles: !kind.folders,
    canSelectFolders: kind.folders,
    canSelectMany: true,
  });
  return chosenFiles(what.map((uri) => uri.fsPath));
}

/** Downloads the files and folders among the selected rows, those of one instance after those of another. */
async function downloadPlaces(deps: Deps, rows: readonly PlaceTarget[]): Promise<boolean> {
  let isWhole = true;
  for (const instanceId of new Set(rows.map((row) => row.instanceId))) {
    const own = rows.filter((row) => row.instanceId === instanceId && row.note === undefined);
    const paths = [...new Set(own.flatMap((row) => pathOf(row) ?? []))].filter((path) => path !== '');
    // A selected folder brings what is below it.
    const outer = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
    isWhole = (await downloadFrom(deps, { instanceId }, outer)) && isWhole;
  }
  return isWhole;
}

/** Downloads to this computer; returns true if the transfer is complete. */
async function downloadFrom(
  deps: Deps,
  target: InstanceTarget | undefined,
  given?: readonly string[],
): Promise<boolean> {
  const chosen = servedByHost(deps, target) ?? (await choose(deps, target, 'gpuRental.instance.download'));
  const asked = chosen && !given ? await askRemote(deps, chosen, 'path') : undefined;
  const remotes = given ?? (asked === undefined ? [] : [asked]);
  if (!chosen || remotes.length === 0) {
    return false;
  }
  const [folder] = await pickLocal({
    title: t('{0}: {1}', titleOf('gpuRental.instance.download'), chosen.name),
    openLabel: t('Download Here'),
    canSelectFiles: false,
    canSelectFolders: true,
  });
  if (!folder) {
    return false;
  }
  // The folder that the user chose now is used, even if a retry finds a link in its place.
  const path = await realpath(folder.fsPath);
  const into = { path, root: { chosen: path } };
  const title = t('Downloading from {0}', chosen.name);
  const mayReplace = replacingQuestion();
  const get = (withActing: boolean) => (options: TransferOptions) => {
    const all = { ...options, withActing, mayReplace };
    return inTurn(remotes, (remote) =>
      chosen.served
        ? downloadServed(chosen.served, remote, into, all)
        : deps.presence.during(chosen.alias, () =>
            download(transferDeps(deps), chosen.alias, remote, into, all),
          ),
    );
  };
  const done = chosen.served
    ? t('{0}: done. Names and sizes were compared, contents were not.', title)
    : undefined;
  return run(
    deps,
    title,
    get(false),
    async () => ((await mayBringActing(chosen)) ? run(deps, title, get(true), undefined, done) : false),
    done,
  );
}

/** Returns an instance that no login can reach, while its host serves its files. */
function servedByHost(deps: Deps, target: InstanceTarget | undefined): Chosen | undefined {
  const { fleet, clock, ssh } = deps;
  const account = deps.accounts.active;
  const instance = target && fleet.find(target.instanceId);
  if (!instance || !account) {
    return undefined;
  }
  const { id } = instance;
  const { canConnect, canDownload } = actionsFor(instance, fleet.facts(id), clock.now());
  if (canConnect || !canDownload) {
    return undefined;
  }
  const alias = ssh.aliasOf(account, id);
  const served = servedInstance({ clock, ssh }, alias, id, account);
  return { alias, name: plainLabel(instanceName(instance)), served };
}

/** Transfers several, and returns what became of all of them. */
async function inTurn(
  paths: readonly string[],
  transfer: (path: string) => Promise<TransferOutcome>,
): Promise<TransferOutcome> {
  let all: TransferOutcome = { files: 0, bytes: 0, leftOut: [] };
  for (const path of paths) {
    const one = await transfer(path);
    all = {
      files: all.files + one.files,
      bytes: all.bytes + one.bytes,
      leftOut: [...all.leftOut, ...one.leftOut],
      notKept: all.notKept ?? one.notKept,
    };
  }
  return all;
}

function mayBringActing({ name }: Chosen): Promise<boolean> {
  return confirm({
    message: t('Download the files of {0} on whose names programs act?', name),
    detail: t(
      'Git, editors, shells and assistants run or follow what such files say, without a question, as soon as they find them. The machine belongs to a stranger, who may have changed the files. To get only the commits of a repository, run git clone over SSH.',
    ),
    button: t('Download All'),
  });
}

/** Transfers with progress; a canceled or broken transfer can resume. Returns true if everything was transferred. */
async function run(
  deps: Deps,
  title: string,
  transfer: (options: TransferOptions) => Promise<TransferOutcome>,
  /** Transfers what was left out because a program acts on its name. */
  withActing?: () => Promise<boolean>,
  done = t('{0}: done', title),
): Promise<boolean> {
  const again = () => run(deps, title, transfer, withActing, done);
  try {
    const outcome = await withCancellableProgress(title, (signal, report) =>
      transfer({
        signal,
        onProgress: ({ file, totalFiles, bytes, totalBytes }) => {
          report(t('file {0} of {1}, {2} of {3}', file, totalFiles, bytesText(bytes), bytesText(totalBytes)));
        },
      }),
    );
    if (outcome.notKept) {
      message('warning', t('{0}: {1}', title, localize(outcome.notKept)));
    }
    if (outcome.leftOut.length > 0) {
      return await reportLeftOut(deps, title, outcome, again, withActing);
    }
  } catch (error) {
    if (error instanceof FilesKeptError) {
      return false;
    }
    if (!isCancelled(error) && !(error instanceof TransferError)) {
      throw error;
    }
    const sentence = error instanceof TransferError ? localize(error.text) : t('The transfer was stopped.');
    return (await suggest('warning', sentence, { label: t('Resume'), run: again })) === true;
  }
  message('info', done);
  return true;
}

/** The number of files that a message names; the log names all. */
const namedInMessage = 3;

async function reportLeftOut(
  { log }: Deps,
  title: string,
  { leftOut, files }: TransferOutcome,
  again: () => Promise<boolean>,
  withActing: (() => Promise<boolean>) | undefined,
): Promise<boolean> {
  for (const { name, why } of leftOut) {
    log.warn(`${title}: left out ${JSON.stringify(name)}: ${formatText(why)}`);
  }
  const named = leftOut.slice(0, namedInMessage).map(({ name, why }) => `${name} (${localize(why)})`);
  const all = named.join(', ');
  const more = leftOut.length - named.length;
  const done = filesText(files);
  const isWhole = await suggest<unknown>(
    'warning',
    t(
      '{0}: {1} transferred. Left out: {2}.',
      title,
      done,
      more === 0 ? all : text('{0} and {1} more', all, more),
    ),
    withActing && leftOut.some(({ why }) => why === reasons.acts)
      ? { label: t('Download All'), run: withActing }
      : { label: t('Retry'), run: again },
    titledAction('gpuRental.showLog'),
  );
  return isWhole === true;
}

async function choose(
  deps: Deps,
  target: InstanceTarget | undefined,
  command: CommandId,
): Promise<Chosen | undefined> {
  const account = accountFor(deps.accounts);
  const instanceId = await chooseInstance(
    target,
    () => connectableInstances(deps, whileReadingInstances),
    command,
  );
  const alias =
    instanceId === undefined
      ? undefined
      : await runCommand('gpuRental.prepareSsh', { instanceId, accountKey: account().key });
  if (instanceId === undefined || alias === undefined) {
    return undefined;
  }
  const instance = deps.fleet.find(instanceId);
  return { alias, name: instance ? plainLabel(instanceName(instance)) : `#${instanceId}` };
}

/** The host's program would expand these. */
const isPattern = /[*?[\]\\]/;

async function askRemote(
  deps: Deps,
  { alias, name, served }: Chosen,
  what: 'folder' | 'path',
): Promise<string | undefined> {
  const { home } = served
    ? { home: '/root' }
    : await withCancellableProgress(t('Connecting to {0}', name), (signal) =>
        readFolders(deps.ssh, alias, signal),
      );
  const path = await askLine({
    title:
      what === 'folder'
        ? t('{0}: {1}', titleOf('gpuRental.instance.upload'), name)
        : t('{0}: {1}', titleOf('gpuRental.instance.download'), name),
    prompt:
      what === 'folder'
        ? t('Target folder. It is created if it is missing.')
        : served
          ? t('Folder on the instance, without a pattern. Its host sends it without a start.')
          : t('File or folder on the instance'),
    value: what === 'folder' ? home : `${home.replace(/\/$/, '')}/`,
    problem: (value) =>
      isRemotePath(value.trim()) &&
      (what === 'folder' || value.trim() !== '/') &&
      !(served && isPattern.test(value))
        ? undefined
        : t('Enter a full path, such as /workspace.'),
  });
  return path?.trim();
}
