import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceTarget } from '../../commandSpecs';
import { filesText } from '../../editor/filesText';
import { localize, t } from '../../editor/localize';
import { onSeveral, type MachineOutcome } from '../../editor/onSeveral';
import { pickLocal } from '../../editor/pickLocal';
import { askLine } from '../../editor/quickPick';
import {
  confirmReplacingHere,
  confirmReplacingOnAll,
  replacingQuestion,
} from '../../editor/replacingQuestion';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { folderNames } from '../../model/instances/instanceFolders';
import { instanceName } from '../../model/instances/instanceLabel';
import { download } from '../../ssh/download';
import { chosenFiles } from '../../ssh/fileTree';
import { isRemotePath } from '../../ssh/remoteFolders';
import { FilesKeptError, type TransferDeps, type TransferOutcome } from '../../ssh/transfer';
import { upload } from '../../ssh/upload';
import { safeFileName } from '../../util/fileName';
import { plainLabel } from '../../util/plainLabel';
import { realPlace } from '../../util/realPlace';
import { chooseHosts } from './chooseHosts';
import type { SeveralDeps } from './deps';
import { entriesOf, unreached } from './reached';

type Rows = readonly [InstanceTarget | undefined, (readonly InstanceTarget[])?];

/** Copies files of this computer into a folder on each machine. */
export async function copyToSeveral(deps: SeveralDeps, ...[target, all]: Rows): Promise<void> {
  const title = titleOf('gpuRental.instance.upload');
  const entryOf = entriesOf(deps);
  const instances = await chooseHosts(deps, target, all, title);
  const chosen =
    instances.length === 0 ? [] : await pickLocal({ title, openLabel: title, canSelectMany: true });
  const locals = await chosenFiles(chosen.map(({ fsPath }) => fsPath));
  const into =
    locals.length === 0
      ? undefined
      : await askRemote(title, t('Target folder. It is created if it is missing.'));
  if (into === undefined) {
    return;
  }
  const mayReplace = replacingOn(instances, (instance, names) =>
    confirmReplacingOnAll(plainLabel(instanceName(instance)), names),
  );
  await onSeveral(instances, {
    doing: t('Uploading to {0}', into),
    done: t('Results: {0}', t('Copy to {0}', into)),
    fileName: resultName,
    work: (instance, signal) =>
      transferOn(deps, entryOf, { instance, signal, place: into }, (transferDeps, alias) =>
        upload(transferDeps, alias, locals, into, {
          signal,
          mayReplace: (names) => mayReplace(instance, names, signal),
        }),
      ),
  });
}

/** Copies a file or folder of each machine below one folder of this computer, into a folder named after the instance. */
export async function downloadFromSeveral(deps: SeveralDeps, ...[target, all]: Rows): Promise<void> {
  const title = titleOf('gpuRental.instance.download');
  const entryOf = entriesOf(deps);
  const instances = await chooseHosts(deps, target, all, title);
  const remote =
    instances.length === 0 ? undefined : await askRemote(title, t('File or folder on the instance'), '/');
  const [folder] =
    remote === undefined
      ? []
      : await pickLocal({
          title,
          openLabel: t('Download Here'),
          canSelectFiles: false,
          canSelectFolders: true,
        });
  if (remote === undefined || folder === undefined) {
    return;
  }
  // The folder that the user chose now is used, even if a retry finds a link in its place.
  const chosen = await realpath(folder.fsPath);
  const names = folderNames(instances);
  const mayReplace = replacingOn(instances, (instance, files) =>
    confirmReplacingHere(plainLabel(instanceName(instance)), files),
  );
  await onSeveral(instances, {
    doing: t('Downloading from {0}', remote),
    done: t('Results: {0}', t('{0}: {1}', title, remote)),
    fileName: resultName,
    work: (instance, signal) => {
      const place = { path: join(chosen, names(instance)), root: { chosen } };
      const getBelow = async (transferDeps: TransferDeps, alias: string) => {
        await mkdir(await realPlace(place), { recursive: true });
        return download(transferDeps, alias, remote, place, {
          signal,
          mayReplace: (files) => mayReplace(instance, files, signal),
        });
      };
      return transferOn(deps, entryOf, { instance, signal, place: place.path }, getBelow);
    },
  });
}

function resultName(instance: Instance): string {
  return `${safeFileName(instanceName(instance), 'instance')}.txt`;
}

async function askRemote(title: string, prompt: string, refused?: string): Promise<string | undefined> {
  const path = await askLine({
    title,
    prompt,
    value: '/workspace',
    ignoreFocusOut: true,
    problem: (value) =>
      isRemotePath(value.trim()) && value.trim() !== refused
        ? undefined
        : t('Enter a full path, such as /workspace.'),
  });
  return path?.trim();
}

async function transferOn(
  { ssh, clock, presence }: SeveralDeps,
  entryOf: ReturnType<typeof entriesOf>,
  { instance, signal, place }: { instance: Instance; signal: AbortSignal; place: string },
  transfer: (deps: TransferDeps, alias: string) => Promise<TransferOutcome>,
): Promise<MachineOutcome> {
  const reached = await entryOf(instance, signal);
  if ('problem' in reached) {
    return unreached(reached.problem);
  }
  const { alias } = reached;
  const outcome = await presence
    .during(alias, () => transfer({ ssh, clock, platform: process.platform }, alias))
    .catch((error: unknown) => {
      if (error instanceof FilesKeptError) {
        return undefined;
      }
      throw error;
    });
  if (!outcome) {
    const kept = t('nothing copied, to keep existing files');
    return { isOk: false, summary: kept, output: kept };
  }
  const { files, leftOut, notKept } = outcome;
  const summary = filesText(files);
  return leftOut.length === 0
    ? { isOk: true, summary, output: [summary, place, ...(notKept ? [localize(notKept)] : [])].join('\n') }
    : {
        isOk: false,
        summary: t('{0}, left out: {1}', summary, leftOut.length),
        output: leftOut.map(({ name, why }) => t('{0} ({1})', name, why)).join('\n'),
      };
}

/**
 * Returns the question before files are replaced. Several instances share one answer in each attempt, which its signal
 * identifies.
 */
function replacingOn(
  instances: readonly Instance[],
  confirmForAll: (first: Instance, names: readonly string[]) => Promise<boolean>,
) {
  const [only] = instances;
  const ofOne = replacingQuestion(only && plainLabel(instanceName(only)));
  const answers = new Map<AbortSignal, Promise<boolean>>();
  return (instance: Instance, names: readonly string[], attempt: AbortSignal): Promise<boolean> => {
    if (instances.length === 1) {
      return ofOne(names);
    }
    const answer = answers.get(attempt) ?? confirmForAll(instance, names);
    answers.set(attempt, answer);
    return answer;
  };
}
