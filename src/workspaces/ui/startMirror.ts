import { lstat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { MirrorEnd } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { filesText } from '../../editor/filesText';
import { warnAboutLineEnds } from '../../editor/lineEnds';
import { t } from '../../editor/localize';
import { pickLocal } from '../../editor/pickLocal';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { FolderTarget } from '../../model/instances/heldInstance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { runProgram } from '../../ssh/run';
import { findSentFiles } from '../../ssh/sentFiles';
import { sumOf } from '../../ssh/transfer';
import { accountStill } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { bytesText } from '../../util/bytes';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { homeFolder } from '../../util/thisUser';
import type { FolderMirror, FolderMirrors } from '../model/mirror';
import { isBelow } from './carriedMirrors';
import { nameBelow } from './folderWatch';
import { stayingText, namesText } from './mirrorText';

export type StartDeps = Pick<Services, 'accounts' | 'clock' | 'fleet'> & {
  readonly mirrors: FolderMirrors;
  /** Resolves once this window carries the mirrors of its folders. */
  readonly carried: () => Promise<void>;
};

/** Chooses a folder and an instance, unless a row names one of them, and mirrors the folder after a question. */
export async function startMirror(deps: StartDeps, end: MirrorEnd | undefined): Promise<void> {
  const accountKey = deps.accounts.active?.key;
  const folder = end && 'localFolder' in end ? end.localFolder : await chooseFolder();
  const instanceId =
    folder === undefined
      ? undefined
      : await chooseInstance(
          end && 'instanceId' in end ? end : undefined,
          () => connectableInstances(deps, whileReadingInstances),
          'gpuRental.mirror.start',
        );
  if (folder !== undefined && instanceId !== undefined) {
    await beginMirror(deps, { accountKey: accountStill(deps.accounts, accountKey).key, instanceId, folder });
  }
}

/** Mirrors a folder after a question, unless a mirror has it, and sends it. Returns undefined if the user cancels. */
export async function beginMirror(deps: StartDeps, target: FolderTarget): Promise<FolderMirror | undefined> {
  const { accounts, mirrors } = deps;
  const { accountKey, instanceId } = target;
  checkTrusted();
  const local = await realpath(target.folder);
  await mirrors.ready;
  const known = mirrorOf(mirrors, instanceId, local);
  const instance = deps.fleet.find(instanceId);
  if (!instance) {
    throw new UserError(text('This instance has been destroyed.'));
  }
  const name = plainLabel(instanceName(instance));
  const sent = known ? [] : await confirmMirror(local, target.folder, name);
  if (!sent) {
    return undefined;
  }
  if ((await runCommand('gpuRental.prepareSsh', { instanceId, accountKey })) === undefined) {
    return undefined;
  }
  accountStill(accounts, accountKey);
  const contractStart = instance.startedAt ?? 0;
  const mirror = known ?? (await mirrors.begin({ accountKey, instanceId, contractStart, local }));
  await deps.carried();
  await withCancellableProgress(t('Mirroring {0} to {1}', plainLabel(basename(local)), name), (signal) =>
    mirror.settle(signal),
  );
  await warnAboutLineEnds(local, sent);
  return mirror;
}

/** Nothing of a folder that the user does not trust is sent, whoever asks for it. */
export function checkTrusted(): void {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(text('This workspace is not trusted, so its folder can’t be mirrored.'));
  }
}

/** Returns the mirror on an instance that has a folder, perhaps as a part. */
export function mirrorOf(
  { all }: Pick<FolderMirrors, 'all'>,
  instanceId: number,
  local: string,
): FolderMirror | undefined {
  return all.find(({ folder }) => folder.instanceId === instanceId && isBelow(folder.local, local));
}

async function chooseFolder(): Promise<string | undefined> {
  const title = titleOf('gpuRental.mirror.start');
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const [only, ...others] = folders;
  if (!only) {
    const [picked] = await pickLocal({ title, canSelectFiles: false, canSelectFolders: true });
    return picked?.fsPath;
  }
  const rows = folders.map(({ name, uri }) => ({ label: name, description: uri.fsPath, uri }));
  const picked =
    others.length === 0 ? only : await pickOne(rows, { title, placeHolder: t('In which folder?') });
  return picked?.uri.fsPath;
}

/** States what is sent and what stays here; returns the names of what is sent if the user agrees. */
async function confirmMirror(
  local: string,
  opened: string,
  name: string,
): Promise<readonly string[] | undefined> {
  const folder = plainLabel(basename(local));
  const sync = { include: [], exclude: [], git: false };
  const found = await withCancellableProgress(t('Checking the files that {0} sends…', folder), (signal) =>
    findSentFiles({ run: runProgram, home: homeFolder(), signal }, local, { workdir: '.', sync }, []),
  );
  const hasGit = await lstat(join(local, '.git')).then(
    () => true,
    () => false,
  );
  const staying = [
    ...(hasGit ? [t('.git, because Git on the instance belongs to a clone in a remote window')] : []),
    ...(found.isFromGit ? [t('files that Git ignores')] : []),
    ...stayingText(found.leftOut),
  ];
  const unsaved = unsavedIn(opened);
  const isConfirmed = await confirm({
    message: t('Mirror {0} to {1}?', folder, name),
    detail: [
      t(
        'Sends {0}, {1}, to the folder {2} in /workspace or the home folder, and then each change that you save. Files that change there are listed below the instance, and fetched only if you choose so.',
        filesText(found.tree.files.length),
        bytesText(sumOf(found.tree.files)),
        folder,
      ),
      ...(staying.length === 0 ? [] : [t('Stays on this computer: {0}.', staying.join('; '))]),
      ...(unsaved.length === 0 ? [] : [t('Not saved, so not sent: {0}.', namesText(unsaved))]),
    ].join('\n\n'),
    button: t('Mirror'),
  });
  return isConfirmed ? found.names : undefined;
}

/** The names of unsaved documents and notebooks in a folder. */
export function unsavedIn(folder: string): readonly string[] {
  const { notebookDocuments, textDocuments } = vscode.workspace;
  return [...textDocuments, ...notebookDocuments]
    .filter(({ isDirty }) => isDirty)
    .flatMap(({ uri }) => nameBelow(folder, uri) ?? []);
}
