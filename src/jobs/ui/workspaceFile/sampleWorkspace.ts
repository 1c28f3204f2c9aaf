import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { workspaceFilePath } from '../../../model/workspace/workspaceFile';
import type { Services } from '../../services';
import { errorCode } from '../../../util/errorCode';
import { homeFolder } from '../../../util/thisUser';

/** Each file of the package with its name in the sample workspace. */
const files = [
  ['README.md', 'README.md'],
  ['train.sh', 'train.sh'],
  ['gpu-rental.json', workspaceFilePath],
] as const;

/** Copies the missing files only, so that changes of the user stay. */
async function writeSample(from: string, to: string): Promise<void> {
  for (const [source, name] of files) {
    const target = join(to, name);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(from, source), target, constants.COPYFILE_EXCL).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') {
        throw error;
      }
    });
  }
}

/** Opens a folder with a job that trains a small model, in a new window if this one has a folder. */
export async function openSample({ extensionUri }: Pick<Services, 'extensionUri'>): Promise<void> {
  const folder = join(homeFolder(), 'gpu-rental-demo', 'sample');
  await writeSample(vscode.Uri.joinPath(extensionUri, 'media', 'sample').fsPath, folder);
  const isFree = (vscode.workspace.workspaceFolders ?? []).length === 0;
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), {
    forceNewWindow: !isFree,
    forceReuseWindow: isFree,
  });
}
