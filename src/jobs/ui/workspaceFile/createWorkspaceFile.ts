import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { localize, t } from '../../../editor/localize';
import { pickOne } from '../../../editor/quickPick';
import { writeFileAt } from '../../../editor/saveFile';
import { titleOf } from '../../../editor/titles';
import { templateImage, templateName } from '../../../model/templates/templateName';
import {
  type RecipeFields,
  renderWorkspaceFile,
  workspaceFilePath,
} from '../../../model/workspace/workspaceFile';
import { errorCode } from '../../../util/errorCode';
import { realPlace } from '../../../util/realPlace';
import { homeFolder } from '../../../util/thisUser';
import type { JobFields } from '../../model/jobFields';
import { workerJobs } from '../../model/workerJobs';
import type { Services } from '../../services';

type Deps = Pick<Services, 'accounts' | 'templates'>;

/** Creates a workspace file. If one exists, opens it unchanged. */
export async function createWorkspaceFile(deps: Deps): Promise<void> {
  const folder = await chooseFolder();
  if (!folder) {
    return;
  }
  const uri = vscode.Uri.joinPath(folder.uri, workspaceFilePath);
  if (await exists(uri)) {
    await vscode.window.showTextDocument(uri);
    return;
  }
  const source = await chooseSource(deps);
  if (!source) {
    return;
  }
  if (uri.scheme === 'file') {
    await realPlace({ path: uri.fsPath, root: { opened: folder.uri.fsPath } });
  }
  const { jobs, ...machine } = source;
  const file: Parameters<typeof renderWorkspaceFile>[0] = {
    ...machine,
    filters: { num_gpus: { eq: 1 }, reliability: { gte: 0.98 } },
    diskGb: 40,
    maxPricePerHour: 0.5,
    folder: '/workspace',
    whenRunning: 'ask',
    ...(jobs && { jobs }),
  };
  await writeFileAt(uri, renderWorkspaceFile(file));
  await vscode.window.showTextDocument(uri);
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 1
    ? vscode.window.showWorkspaceFolderPick({ placeHolder: t('In which folder?') })
    : folders[0];
}

/** What the machine is rented from, and jobs that are ready to run there. */
type Source = Pick<RecipeFields, 'template' | 'image'> & {
  readonly jobs?: Readonly<Record<string, JobFields>>;
};

async function chooseSource({ accounts, templates }: Deps): Promise<Source | undefined> {
  const image = { icon: 'package', label: t('An Image'), description: '', id: undefined };
  if (accounts.active && templates.state.kind === 'idle') {
    // Without the list of templates, the user can still enter an image.
    await templates.refresh().catch(() => undefined);
  }
  const { state } = templates;
  const rows = (accounts.active && state.kind === 'ready' ? state.value : []).map((template) => ({
    label: templateName(template),
    description: templateImage(template),
    id: template.id,
    template,
  }));
  const workers = workerJobs.map(({ label, use, name, job }) => ({
    icon: 'play',
    label,
    description: localize(use),
    jobs: { [name]: job },
  }));
  const picked = await pickOne([image, ...workers, ...rows], {
    title: titleOf('gpuRental.workspaceFile.create'),
    placeHolder: t('What does this workspace rent?'),
  });
  if (!picked) {
    return undefined;
  }
  if (!('template' in picked)) {
    return { image: 'pytorch/pytorch:latest', ...('jobs' in picked && { jobs: picked.jobs }) };
  }
  const { id, name, hashId } = picked.template;
  return { template: { id, name, hash: hashId } };
}

/** Returns the workspace files that exist, at most one per folder. */
export async function workspaceFiles(): Promise<readonly vscode.Uri[]> {
  const uris = (vscode.workspace.workspaceFolders ?? []).map((folder) =>
    vscode.Uri.joinPath(folder.uri, workspaceFilePath),
  );
  const found = await Promise.all(uris.map(async (uri) => ((await exists(uri)) ? uri : undefined)));
  return found.filter((uri) => uri !== undefined);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return false;
    }
    throw error;
  }
}

/** Each file of the package with its name in the sample workspace. */
const files = [
  ['README.md', 'README.md'],
  ['train.sh', 'train.sh'],
  ['train_gpus.py', 'train_gpus.py'],
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
