import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { pickLocal } from '../../editor/pickLocal';
import { pickFromList } from '../../editor/quickPick';
import { UserError } from '../../util/errors';
import { realPlace, type Place } from '../../util/realPlace';
import { text } from '../../util/text';
import type { HostSet } from '../model/hostSet';
import { groupIn, strangersIn } from '../store/hostFolder';
import type { HostSets } from '../store/hostSets';

/** Returns a name, proposed for a new set, that none of the others has. */
export function freeName(taken: readonly HostSet[]): string {
  const names = new Set(taken.map(({ name }) => name));
  let number = 1;
  while (names.has(number === 1 ? 'gpus' : `gpus${number}`)) {
    number += 1;
  }
  return number === 1 ? 'gpus' : `gpus${number}`;
}

/** Asks where the files are kept. */
export async function askFolder(name: string): Promise<Place | undefined> {
  const workspace = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  const answer = workspace
    ? await pickFromList<'workspace' | 'other'>({
        title: t('Files of {0}', name),
        placeholder: t('Where do you want to keep the files?'),
        rows: [
          {
            id: 'workspace',
            icon: 'root-folder',
            label: t('In the Workspace'),
            description: `.gpu-rental/${name}`,
            value: 'workspace',
          },
          { id: 'other', icon: 'folder', label: t('In Another Folder…'), value: 'other' },
        ],
      })
    : { kind: 'picked' as const, value: 'other' as const };
  if (answer.kind !== 'picked') {
    return undefined;
  }
  if (answer.value === 'workspace' && workspace) {
    const opened = workspace.uri.fsPath;
    return { path: join(opened, '.gpu-rental', name), root: { opened } };
  }
  const [chosen] = await pickLocal({
    title: t('Files of {0}', name),
    openLabel: t('Keep the Files Here'),
    canSelectFiles: false,
    canSelectFolders: true,
  });
  const path = chosen && (await realpath(chosen.fsPath));
  return path === undefined ? undefined : { path, root: { chosen: path } };
}

/** Makes the folder where it is missing, and returns its real path. Throws `LeadsOutError` if a link leads it elsewhere. */
export async function makeFolder(place: Place): Promise<string> {
  await mkdir(await realPlace(place), { recursive: true });
  return realPlace(place);
}

/** Checks that no file of the user, nor of another group, would be overwritten. */
export async function checkFolder(
  sets: HostSets,
  accountKey: string,
  folder: string,
  name: string,
): Promise<void> {
  throwIfTaken(folder, await strangersIn(folder, name));
  const owner = await sets.inFolder(folder);
  if (owner && owner.accountKey !== accountKey) {
    throw new UserError(
      text(
        'The folder {0} has the files of the group {1} of another account. Choose another folder.',
        folder,
        owner.name,
      ),
    );
  }
  // Files of our own that no group on this computer keeps, such as those of a cloned repository, are taken over.
  const other = owner?.name ?? (await groupIn(folder));
  if (other !== undefined && (owner || other !== name)) {
    throw new UserError(
      text('The folder {0} has the files of the group {1}. Choose another folder.', folder, other),
    );
  }
}

export function throwIfTaken(folder: string, strangers: readonly string[]): void {
  if (strangers.length > 0) {
    throw new UserError(
      text(
        'The folder {0} has files of other tools that would be overwritten: {1}. Choose another folder.',
        folder,
        strangers.join(', '),
      ),
    );
  }
}

export function folderGone({ folder, name }: HostSet): UserError {
  return new UserError(
    text(
      'The folder {0} no longer exists. Remove the group {1}, then create it in another folder.',
      folder,
      name,
    ),
  );
}
