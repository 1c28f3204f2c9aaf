import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandSpecs';
import { allRows, signedIn, titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickLocal } from '../../editor/pickLocal';
import { whileReadingInstances } from '../../editor/progress';
import { pickFromList } from '../../editor/quickPick';
import { problemsOfSeveral } from '../../editor/reachSeveral';
import { replacingQuestion } from '../../editor/replacingQuestion';
import { showFolder } from '../../editor/showFolder';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { nameAmong } from '../../model/instances/instanceLabel';
import { quoteForShell } from '../../ssh/commandLine';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { connectableInstances, isComplete } from '../../store/instances/listed';
import { UserError } from '../../util/errors';
import { realPlace, type Place } from '../../util/realPlace';
import { text } from '../../util/text';
import { hostFiles } from '../model/hostFiles';
import { membersOf, type SavedHosts } from '../model/savedHosts';
import { isFolder, writeHostFiles } from '../store/hostFolder';
import { chooseHosts } from './chooseHosts';
import type { SeveralDeps } from './deps';
import type { HostFilesMark } from './hostFilesMark';

interface SaveDeps extends SeveralDeps {
  readonly mark: HostFilesMark;
}

/** What is saved where. */
interface Order extends Pick<SavedHosts, 'folder' | 'ids'> {
  readonly members: readonly Instance[];
}

/** Writes files that name instances for other tools: without a question if the same ones were saved before. */
export async function saveHostFiles(
  deps: SaveDeps,
  target: InstanceTarget | undefined,
  selected: readonly InstanceTarget[] | undefined,
): Promise<void> {
  if (!(await signedIn(deps.accounts))) {
    return;
  }
  const account = accountFor(deps.accounts);
  const given = [...new Set(allRows(target, selected).map(({ instanceId }) => instanceId))];
  const running = await connectableInstances(deps, whileReadingInstances);
  account();
  const order = (await sameAsBefore(deps.mark, given, running)) ?? (await chosen(deps, given, running));
  if (order) {
    await save(deps, account, order);
  }
}

async function sameAsBefore(
  mark: HostFilesMark,
  given: readonly number[],
  running: readonly Instance[],
): Promise<Order | undefined> {
  const { last } = mark;
  const isSame =
    given.length === 0 || (last?.ids?.length === given.length && given.every((id) => last.ids?.includes(id)));
  if (!last || !isSame) {
    return undefined;
  }
  if (!(await isFolder(last.folder))) {
    await mark.keep(undefined);
    return undefined;
  }
  const members = membersOf(last, running);
  // Files that name nothing are no choice to repeat.
  const isOver = members.length === 0 && Object.keys(last.names).length === 0;
  return isOver ? undefined : { ...last, members };
}

async function chosen(
  deps: SaveDeps,
  given: readonly number[],
  running: readonly Instance[],
): Promise<Order | undefined> {
  const title = titleOf('gpuRental.instance.saveHostFiles');
  const rows = given.map((instanceId) => ({ instanceId }));
  const members = await chooseHosts(deps, undefined, rows, title);
  const place = members.length === 0 ? undefined : await askFolder(title, deps.mark.last?.folder);
  if (place === undefined) {
    return undefined;
  }
  await mkdir(await realPlace(place), { recursive: true });
  const isAll = given.length === 0 && members.length === running.length;
  const ids = given.length > 0 ? given : members.map(({ id }) => id);
  return { folder: await realPlace(place), members, ...(isAll ? {} : { ids }) };
}

async function askFolder(title: string, last: string | undefined): Promise<Place | undefined> {
  const opened = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
  const here: Place | undefined =
    opened === undefined ? undefined : { path: join(opened, '.gpu-rental', 'hosts'), root: { opened } };
  const known = [
    ...(last === undefined || last === here?.path
      ? []
      : [
          {
            label: t('In the Same Folder'),
            description: last,
            value: { path: last, root: { chosen: last } },
          },
        ]),
    ...(here ? [{ label: t('In the Workspace'), description: '.gpu-rental/hosts', value: here }] : []),
  ];
  const answer =
    known.length === 0
      ? ({ kind: 'picked', value: 'other' } as const)
      : await pickFromList<Place | 'other'>({
          title,
          placeholder: t('Where do you want to keep the files?'),
          rows: [
            ...known.map((row) => ({ ...row, icon: 'folder' })),
            { icon: 'folder-opened', label: t('In Another Folder…'), value: 'other' },
          ],
        });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  if (answer.value !== 'other') {
    return answer.value;
  }
  const [folder] = await pickLocal({
    title,
    openLabel: t('Keep the Files Here'),
    canSelectFiles: false,
    canSelectFolders: true,
  });
  const path = folder && (await realpath(folder.fsPath));
  return path === undefined ? undefined : { path, root: { chosen: path } };
}

async function save(deps: SaveDeps, account: () => Account, order: Order): Promise<void> {
  const { fleet, mark, ssh } = deps;
  const { folder, ids, members } = order;
  const { key } = account();
  throwIfPartial(fleet);
  // The tools can't ask about a host key, so they refuse one that no login has proved.
  const problems = await problemsOfSeveral(
    members.map(({ id }) => id),
    key,
  );
  const reached = members.filter(({ id }) => !problems.has(id));
  const [first] = members;
  if (first && reached.length === 0) {
    throw new UserError(
      text(
        'No host files were saved, because no login works. {0}: {1}',
        nameAmong(first, members),
        problems.get(first.id) ?? '',
      ),
      { nextStep: 'retry' },
    );
  }
  const hosts = reached.map((one) => ({ ...one, alias: ssh.aliasOf(account(), one.id) }));
  const [host] = hosts;
  const options = host ? ssh.command(host.alias).slice(1, -1).map(quoteForShell).join(' ') : '';
  const lastHashes = mark.last?.folder === folder ? mark.last.hashes : {};
  const question = replacingQuestion();
  const hashes = await writeHostFiles(folder, hostFiles(hosts, options), lastHashes, async (changed) => {
    const mayReplace = await question(changed);
    account();
    return mayReplace;
  });
  if (!hashes) {
    return;
  }
  const names = Object.fromEntries(reached.map((one) => [one.id, nameAmong(one, members)]));
  await mark.keep({
    ...{ accountKey: key, folder, names, hashes, leftOut: [...problems.keys()] },
    ...(ids ? { ids } : {}),
  });
  report(deps, folder, members, problems);
}

/** A list that lacks some is not one of all that run. */
function throwIfPartial({ state }: SeveralDeps['fleet']): void {
  if (state.kind === 'ready' && state.error instanceof Error) {
    throw state.error;
  }
  if (state.kind !== 'ready' || !isComplete(state.value)) {
    throw new UserError(text('The service did not send all instances, so no host files were saved.'), {
      nextStep: 'retry',
    });
  }
}

function report(
  deps: SaveDeps,
  folder: string,
  members: readonly Instance[],
  problems: ReadonlyMap<number, string>,
): void {
  const leftOut = members.filter(({ id }) => problems.has(id));
  const saved = t('Saved host files in {0}. Instances: {1}.', folder, members.length - leftOut.length);
  if (leftOut.length > 0) {
    const names = leftOut.map((one) => nameAmong(one, members)).join(', ');
    message(
      'warning',
      t('{0} Left out, because no login works: {1}.', saved, names),
      titledAction('gpuRental.showLog'),
    );
    return;
  }
  message(
    'info',
    saved,
    titledAction('gpuRental.openGuide', 'tools'),
    { label: t('Show the Folder'), run: () => showFolder(folder) },
    {
      label: t('Choose Again…'),
      run: async () => {
        const account = accountFor(deps.accounts);
        const order = await chosen(deps, [], await connectableInstances(deps, whileReadingInstances));
        if (order) {
          await save(deps, account, order);
        }
      },
    },
  );
}
