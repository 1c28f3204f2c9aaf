import * as vscode from 'vscode';
import { t } from '../../../editor/localize';
import { pickOne } from '../../../editor/quickPick';
import { writeFileAt } from '../../../editor/saveFile';
import { templateImage, templateName } from '../../../model/templates/templateName';
import {
  renderWorkspaceFile,
  workspaceFilePath,
  type RecipeFields,
} from '../../../model/workspace/workspaceFile';
import type { Services } from '../../services';
import { realPlace } from '../../../util/realPlace';
import { exists } from './workspaceFiles';

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
  const file: RecipeFields = {
    ...source,
    filters: { num_gpus: { eq: 1 }, reliability: { gte: 0.98 } },
    diskGb: 40,
    maxPricePerHour: 0.5,
    folder: '/workspace',
    whenRunning: 'ask',
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

async function chooseSource({
  accounts,
  templates,
}: Deps): Promise<Pick<RecipeFields, 'template' | 'image'> | undefined> {
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
  const picked = await pickOne([image, ...rows], {
    title: t('Create Workspace File'),
    placeHolder: t('What does this workspace rent?'),
  });
  if (!picked) {
    return undefined;
  }
  if (!('template' in picked)) {
    return { image: 'pytorch/pytorch:latest' };
  }
  const { id, name, hashId } = picked.template;
  return { template: { id, name, hash: hashId } };
}
