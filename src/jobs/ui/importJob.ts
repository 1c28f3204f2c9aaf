import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { DocumentTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { openNamedDocument } from '../../editor/namedDocument';
import { pickLocal } from '../../editor/pickLocal';
import { writeFileAt } from '../../editor/saveFile';
import { titleOf } from '../../editor/titles';
import { applyChanges, JsonPlaces } from '../../model/documents/jsonPlaces';
import {
  checkSyntax,
  machineNameShape,
  renderWorkspaceFile,
  workspaceFilePath,
} from '../../model/workspace/workspaceFile';
import { UserError } from '../../util/errors';
import { ifPresent } from '../../util/missing';
import { plainArgument, plainLines } from '../../util/plainLabel';
import { realPlace } from '../../util/realPlace';
import { text } from '../../util/text';
import { importTask, jobWithLimits, type ImportedJob } from '../model/export/importTask';
import { longestTask } from '../model/export/taskYaml';
import { readJob } from '../model/jobSpec';
import { recipeForJobs } from '../model/jobsInFile';
import { askLimits, askAmount } from './jobsWithoutFile';
import { isTrusted } from './runJob';

/** Makes a job of the workspace file out of a task of another engine, after a question that shows all of it. */
export async function importAJob(target: DocumentTarget | undefined): Promise<void> {
  const folder = isTrusted() ? await folderFor(target) : undefined;
  const file = folder && (await chooseFile(target));
  if (!folder || !file) {
    return;
  }
  const fileFolder = relative(folder, dirname(file.path)).split(sep).join('/') || '.';
  const imported = importTask(file.source, { fileFolder, fileName: basename(file.path) });
  const title = titleOf('gpuRental.job.import');
  const limits = await askLimits(title, {}, imported.hours);
  const price = limits && (await priceOf(imported, title));
  if (!limits || price === null) {
    return;
  }
  const machine = { ...imported.machine, ...(price === undefined ? {} : { maxPricePerHour: price }) };
  const path = await realPlace({ path: join(folder, workspaceFilePath), root: { opened: folder } });
  const before = (await ifPresent(readFile(path, 'utf8'))) ?? '';
  const added = withJob(before, { ...imported, machine }, jobWithLimits(imported, limits));
  // What the file can't have is said before the question, not once it is written.
  recipeForJobs(added.source, readJob(added.source, added.name).machineName);
  if (!(await agreed(imported, added.shown))) {
    return;
  }
  throwIfUnsaved(path);
  if (((await ifPresent(readFile(path, 'utf8'))) ?? '') !== before) {
    throw new UserError(text('{0} has changed. Import the job again.', workspaceFilePath));
  }
  await writeFileAt(vscode.Uri.file(path), added.source);
  await vscode.window.showTextDocument(vscode.Uri.file(path));
}

async function folderFor(target: DocumentTarget | undefined): Promise<string | undefined> {
  const own = target && vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(target.uri));
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const folder =
    own ??
    (folders.length > 1
      ? await vscode.window.showWorkspaceFolderPick({ placeHolder: t('In which folder?') })
      : folders[0]);
  return folder?.uri.scheme === 'file' ? folder.uri.fsPath : undefined;
}

/** Returns the file that a command names or that is in front, or one that the user picks. */
async function chooseFile(target: DocumentTarget | undefined) {
  const inFront = vscode.window.activeTextEditor?.document;
  const document = target
    ? await openNamedDocument(target.uri)
    : inFront && /\.ya?ml$/.test(inFront.uri.path)
      ? inFront
      : undefined;
  if (document) {
    return { path: document.uri.fsPath, source: document.getText() };
  }
  const [chosen] = await pickLocal({
    title: titleOf('gpuRental.job.import'),
    openLabel: t('Import'),
    filters: { YAML: ['yaml', 'yml'] },
  });
  if (!chosen) {
    return undefined;
  }
  // A pipe or a device would keep the window waiting.
  const facts = await stat(chosen.fsPath);
  if (!facts.isFile() || facts.size > longestTask) {
    throw new UserError(text('The file is longer than 256 KB, so it is no simple task.'));
  }
  return { path: chosen.fsPath, source: await readFile(chosen.fsPath, 'utf8') };
}

/** Asks for the price limit that a machine needs here; `undefined` if there is one, and `null` if the user canceled. */
async function priceOf({ machine }: ImportedJob, title: string): Promise<number | undefined | null> {
  return machine['image'] === undefined || machine['maxPricePerHour'] !== undefined
    ? undefined
    : ((await askAmount(title, t('Maximum price in dollars per hour'), 0.5)) ?? null);
}

/** Returns the file with the job under a free name, and its machine beside those that the file has. */
function withJob(before: string, { name, machine }: ImportedJob, job: object) {
  if (before.trim() === '') {
    const file = { ...machine, jobs: { [name]: job } };
    return { name, source: renderWorkspaceFile(file), shown: file };
  }
  const places = new JsonPlaces(before);
  checkSyntax(places);
  const free = freeName(name, [...places.keys(['jobs']), ...places.keys(['machines'])]);
  const isPlain = Object.values(machine).every((value) => value === undefined);
  const machineName = machineNameShape.test(free) ? free : `${free.slice(0, 30)}-machine`;
  const placed = isPlain ? job : { ...job, machine: machineName };
  const own = { ...(isPlain ? {} : { machines: { [machineName]: machine } }), jobs: { [free]: placed } };
  const source = Object.entries(own).reduce((text, [section, entries]) => {
    const [[key, value] = ['', undefined]] = Object.entries(entries);
    const known = new JsonPlaces(text);
    const changes = known.node([section])
      ? known.setAt([section, key], value)
      : known.set(section, { [key]: value });
    return applyChanges(text, changes);
  }, before);
  return { name: free, source, shown: own };
}

function freeName(wanted: string, taken: readonly { readonly name: string }[]): string {
  let free = wanted;
  for (let count = 2; taken.some(({ name }) => name === free); count += 1) {
    free = `${wanted.slice(0, 36)}-${count}`;
  }
  return free;
}

/** Shows what is written, and what is lost: it is a stranger's text until now. */
function agreed(
  { leftOut }: ImportedJob,
  shown: Parameters<typeof renderWorkspaceFile>[0],
): Promise<boolean> {
  return confirm({
    message: t('Add this job to {0}?', workspaceFilePath),
    detail: [
      plainLines(renderWorkspaceFile(shown)),
      ...(leftOut.length === 0 ? [] : [t('Left out: {0}', leftOut.map(plainArgument).join(', '))]),
      t('Its scripts stop at the first error here.'),
    ].join('\n\n'),
    button: t('Add Job'),
  });
}

function throwIfUnsaved(path: string): void {
  if (vscode.workspace.textDocuments.some(({ isDirty, uri }) => isDirty && uri.fsPath === path)) {
    throw new UserError(text('Save {0} first, then import the job again.', workspaceFilePath));
  }
}
