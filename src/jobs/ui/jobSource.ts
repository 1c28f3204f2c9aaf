import * as vscode from 'vscode';
import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { openNamedDocument } from '../../editor/namedDocument';
import { pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { machineNames, workspaceFilePath, type OpenRecipe } from '../../model/workspace/workspaceFile';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { Job } from '../model/job';
import { variantsOf } from '../model/jobMatrix';
import { jobNames, readJob, type JobSpec } from '../model/jobSpec';
import { recipeForJobs } from '../model/jobsInFile';

/** A row of the confirmation about what a job does, beyond its command. */
export interface JobFact {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
}

/** A job in an open folder of this computer. */
export interface JobSource {
  readonly spec: JobSpec;
  /** The workspace folder. */
  readonly folder: string;
  readonly recipe: OpenRecipe | undefined;
  /** The instances that share the jobs, if they were already chosen. */
  readonly machines?: readonly [Instance, ...Instance[]];
  /** What the user confirms each time. */
  readonly facts?: readonly JobFact[];
}

interface Named {
  readonly uri: vscode.Uri;
  readonly name: string;
}

/** Returns the job that a command names, or lets the user pick one. */
export async function chooseJob(
  target: { readonly uri: string; readonly jobName?: string | undefined } | undefined,
  title = titleOf('gpuRental.job.run'),
): Promise<JobSource | undefined> {
  const files = await filesWithJobs(target?.uri);
  const jobs = files.flatMap(({ uri, names }) => names.map((name) => ({ uri, name })));
  const wanted = target?.jobName === undefined ? jobs : jobs.filter(({ name }) => name === target.jobName);
  if (wanted.length === 0 && target?.jobName !== undefined) {
    throw new UserError(text('{0} has no job named {1}.', workspaceFilePath, target.jobName));
  }
  const picked = await pick(wanted, title);
  return picked && read(picked);
}

/**
 * Returns a job as the file of its open folder has it now; of a matrix, the one combination. A job that the file does not
 * have, such as a script, is as it was ordered.
 */
export async function sourceAgain({ spec, workspace }: Pick<Job, 'spec' | 'workspace'>): Promise<JobSource> {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(workspace));
  if (!folder) {
    throw new UserError(text('Open the folder of the job on this computer to run it.'));
  }
  const uri = vscode.Uri.joinPath(folder.uri, workspaceFilePath);
  const { name, nameInFile = name } = spec;
  const isInFile = jobNames((await sourceOf(uri)) ?? '').includes(nameInFile);
  if (!isInFile) {
    return { spec, folder: workspace, recipe: undefined };
  }
  const source = await read({ uri, name: nameInFile });
  return nameInFile === name ? source : combinationOf(source, name);
}

/** Returns one job of a matrix, with its share of the cost limit. */
function combinationOf(source: JobSource, combination: string): JobSource {
  const spec = variantsOf(source.spec).find(({ name }) => name === combination);
  if (!spec) {
    throw new UserError(text('{0} has no job named {1}.', workspaceFilePath, combination));
  }
  return { ...source, spec };
}

async function pick(jobs: readonly Named[], title: string): Promise<Named | undefined> {
  if (jobs.length === 0) {
    message(
      'info',
      t('This workspace has no job yet. Add "jobs" to its .vscode/gpu-rental.json.'),
      commandAction(titleOf('gpuRental.workspaceFile.create'), 'gpuRental.workspaceFile.create'),
    );
    return undefined;
  }
  if (jobs.length === 1) {
    return jobs[0];
  }
  const several = new Set(jobs.map(({ uri }) => uri.toString())).size > 1;
  const rows = jobs.map((job) => ({
    label: job.name,
    description: several ? vscode.workspace.asRelativePath(job.uri) : '',
    job,
  }));
  return (await pickOne(rows, { title, placeHolder: t('Which job?') }))?.job;
}

/** Returns the jobs of the open folders, or of one file. */
export async function filesWithJobs(
  only?: string,
): Promise<readonly { readonly uri: vscode.Uri; readonly names: readonly string[] }[]> {
  const uris =
    only === undefined
      ? (vscode.workspace.workspaceFolders ?? []).map(({ uri }) =>
          vscode.Uri.joinPath(uri, workspaceFilePath),
        )
      : [(await openNamedDocument(only)).uri];
  const files = await Promise.all(
    uris.map(async (uri) => {
      const source = await sourceOf(uri);
      return source === undefined ? [] : [{ uri, names: jobNames(source) }];
    }),
  );
  return files.flat();
}

/** Returns the machine that the file of an open folder describes by this name. */
export async function machineInFile(folder: vscode.Uri, name: string): Promise<OpenRecipe | undefined> {
  const source = (await sourceOf(vscode.Uri.joinPath(folder, workspaceFilePath))) ?? '';
  return machineNames(source).includes(name) ? recipeForJobs(source, name) : undefined;
}

/** Returns the text as shown in the editor, saved or not. */
async function sourceOf(uri: vscode.Uri): Promise<string | undefined> {
  const shown = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (shown) {
    return shown.getText();
  }
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch (error) {
    // Opening it as a document would fail with an error that does not mention the missing file.
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return undefined;
    }
    throw error;
  }
}

async function read({ uri, name }: Named): Promise<JobSource> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (folder?.uri.scheme !== 'file') {
    throw new UserError(text('Open the folder of the job on this computer to run it.'));
  }
  const source = (await sourceOf(uri)) ?? '';
  try {
    const spec = readJob(source, name);
    return { spec, folder: folder.uri.fsPath, recipe: recipeForJobs(source, spec.machineName) };
  } catch (error) {
    if (error instanceof UserError) {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    }
    throw error;
  }
}
