import { realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { ExportTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { showTerminal } from '../../editor/ownTerminal';
import { pickLocal } from '../../editor/pickLocal';
import { pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { templateImage } from '../../model/templates/templateName';
import { workspaceFilePath, type OpenRecipe } from '../../model/workspace/workspaceFile';
import { quoteForShell } from '../../ssh/commandLine';
import { shellKindOf, shellPathFor } from '../../ssh/shellKind';
import { UserError } from '../../util/errors';
import { safeFileName } from '../../util/fileName';
import { ifPresent } from '../../util/missing';
import { readPlace, realFile, type Place } from '../../util/realPlace';
import { replaceFile } from '../../util/replaceFile';
import { text } from '../../util/text';
import { outputsFolder } from '../machine/outputPatterns';
import { machineEnv, type JobEngine, type ExportKind, type LeavingJob } from '../model/export/engineJob';
import { endings, exportJob, taskName } from '../model/export/exportJob';
import type { JobDeps } from './deps';
import { chooseJob, sourceAgain, type JobSource } from './jobSource';
import { isTrusted } from './runJob';

interface Wanted {
  readonly engine: JobEngine;
  readonly kind: ExportKind;
}

/** Writes a job as a file of another engine, and opens a terminal with the command that starts it there. */
export async function exportAJob(deps: JobDeps, target: ExportTarget | undefined): Promise<void> {
  const title = titleOf('gpuRental.job.export');
  const source = isTrusted() ? await sourceOf(deps, target) : undefined;
  if (!source) {
    return;
  }
  const job = leaving(source, await withImage(deps, source));
  const wanted = await chooseEngine(title, job);
  const file = wanted && (await choosePlace(title, source.folder, job, wanted));
  if (!wanted || !file) {
    return;
  }
  const from = relative(join(file.path, '..'), join(source.folder, ...job.spec.workdir.split('/')));
  const below = slashes(relative(source.folder, file.path));
  const isBelow = !below.startsWith('../') && !isAbsolute(below);
  const { content, command } = exportJob(job, {
    ...wanted,
    workdir: slashes(from) || '.',
    isRepository: job.spec.workdir === '.' && (await isRepository(source.folder)),
    file: quoteForShell(isBelow ? below : file.path),
    localize,
  });
  if (!(await write(file, content))) {
    return;
  }
  await vscode.window.showTextDocument(vscode.Uri.file(file.path));
  openTerminal(source.folder, command);
}

function slashes(path: string): string {
  return path.split(sep).join('/');
}

/** Returns the job of a lens, a row or the palette, as its file has it now. */
async function sourceOf({ jobs }: JobDeps, target: ExportTarget | undefined): Promise<JobSource | undefined> {
  if (!target || 'uri' in target) {
    return chooseJob(target, titleOf('gpuRental.job.export'));
  }
  const row = jobs.find(target.jobId);
  if (!row) {
    throw new UserError(text('The job is no longer in the list.'));
  }
  return sourceAgain(row.job);
}

function leaving({ spec }: JobSource, recipe: OpenRecipe): LeavingJob {
  const folder = outputsFolder(spec.outputs);
  return {
    spec,
    recipe,
    outputs: folder === undefined ? undefined : quotedFolder(folder),
  };
}

function quotedFolder(folder: string): NonNullable<LeavingJob['outputs']> {
  const path = folder.replace(/^\.\//, '');
  return { isAbsolute: path.startsWith('/'), quoted: quoteForShell(path) };
}

/** Returns the machine of a job, with the image of its template: no other engine knows our templates. */
async function withImage(
  { templates }: Pick<JobDeps, 'templates'>,
  { recipe }: JobSource,
): Promise<OpenRecipe> {
  const known = recipe ?? { filters: {}, env: {}, whenRunning: 'ask' };
  const id = known.template?.id;
  if (id === undefined || known.image !== undefined) {
    return known;
  }
  if (templates.state.kind !== 'ready') {
    await templates.refresh();
  }
  const own = templates.state.kind === 'ready' ? templates.state.value : [];
  const template = own.find((one) => one.id === id);
  return template ? { ...known, image: templateImage(template) } : known;
}

async function chooseEngine(title: string, job: LeavingJob): Promise<Wanted | undefined> {
  const [port] = machineEnv(job).tcp;
  const row = (engine: JobEngine, kind: ExportKind, label: string, description: string): Row<Wanted> => ({
    id: `${engine} ${kind}`,
    icon: 'export',
    label,
    description,
    value: { engine, kind },
  });
  const answer = await pickFromList<Wanted>({
    title,
    placeholder: t('For which tool?'),
    rows: [
      row('skypilot', 'task', t('SkyPilot Task'), t('runs the job on a machine that SkyPilot rents')),
      row('dstack', 'task', t('dstack Task'), t('runs the job on a machine that dstack rents')),
      row(
        'dstack',
        'dev-environment',
        t('dstack Dev Environment'),
        t('the machine and the set-up, without the command'),
      ),
      ...(port === undefined
        ? []
        : [row('dstack', 'service', t('dstack Service'), t('publishes port {0} of the job', port))]),
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

async function choosePlace(
  title: string,
  folder: string,
  job: LeavingJob,
  { engine }: Wanted,
): Promise<Place | undefined> {
  const name = `${safeFileName(taskName(engine, job.spec.name), 'job')}${endings[engine]}`;
  const beside = join(folder, workspaceFilePath, '..', name);
  const answer = await pickFromList<'beside' | 'other'>({
    title,
    placeholder: t('Where do you want to write the file?'),
    rows: [
      {
        id: 'beside',
        icon: 'root-folder',
        label: t('Beside the Job File'),
        description: slashes(relative(folder, beside)),
        value: 'beside',
      },
      { id: 'other', icon: 'folder', label: t('In Another Folder…'), value: 'other' },
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  if (answer.value === 'beside') {
    return { path: beside, root: { opened: folder } };
  }
  const [chosen] = await pickLocal({
    title,
    openLabel: t('Write the File Here'),
    canSelectFiles: false,
    canSelectFolders: true,
  });
  const other = chosen && (await realpath(chosen.fsPath));
  return other === undefined ? undefined : { path: join(other, name), root: { chosen: other } };
}

/** Writes a file that is new or was exported alike before; another one only after a question. */
async function write(place: Place, content: string): Promise<boolean> {
  const before = await readPlace(place);
  if (before === content) {
    return true;
  }
  if (
    before !== undefined &&
    !(await confirm({
      message: t('Replace {0}?', basename(place.path)),
      detail: t('The file exists with another content, which is lost.'),
      button: t('Replace'),
    }))
  ) {
    return false;
  }
  await replaceFile(await realFile(place), content);
  return true;
}

async function isRepository(folder: string): Promise<boolean> {
  return (await ifPresent(stat(join(folder, '.git')))) !== undefined;
}

/** Opens a terminal in which the command waits for Enter; both engines run in a POSIX shell alone. */
function openTerminal(folder: string, command: string): void {
  const { shell } = vscode.env;
  if (shellKindOf(shell, process.platform) === 'powershell') {
    message('info', t('Start the job in WSL, with the command in the comment of the file.'));
    return;
  }
  // Its loops are its own.
  const shellPath = shell.endsWith('/fish') ? '/bin/sh' : shellPathFor('posix', shell);
  const terminal = showTerminal({
    name: titleOf('gpuRental.job.export'),
    folder,
    ...(shellPath === undefined ? {} : { shellPath }),
  });
  terminal.sendText(command, false);
}
