import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import type { JobDeps } from './deps';
import { filesWithJobs } from './jobSource';
import { JobTerminal } from './jobTerminal';
import { runJob } from './runJob';

/** Returns a task for each job of the open folders. */
export async function jobTasks(deps: JobDeps): Promise<vscode.Task[]> {
  const files = await filesWithJobs();
  return files.flatMap(({ uri, names }) => {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder ? names.map((name) => jobTask(deps, name, folder, uri)) : [];
  });
}

function jobTask(
  deps: JobDeps,
  jobName: string,
  folder: vscode.WorkspaceFolder,
  uri: vscode.Uri,
): vscode.Task {
  const order = () => runJob(deps, { uri: uri.toString(), jobName });
  const stop = async (jobId: string) => {
    await runCommand('gpuRental.job.stop', { jobId });
  };
  const execution = new vscode.CustomExecution(() => Promise.resolve(new JobTerminal(deps, order, stop)));
  return new vscode.Task({ type: 'gpuRental', job: jobName }, folder, jobName, 'GPU Rental', execution);
}
