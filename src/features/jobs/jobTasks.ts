import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { isOver } from '../../model/jobs/job';
import { plainLog } from '../../model/jobs/logText';
import { DisposableStore } from '../../util/disposable';
import type { JobDeps } from './deps';
import { filesWithJobs } from './jobSource';
import { runJob } from './runJob';

/** A task for each job of the folders that are open. */
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
  const execution = new vscode.CustomExecution(() =>
    Promise.resolve(new JobTerminal(deps, { uri: uri.toString(), jobName })),
  );
  return new vscode.Task({ type: 'gpuRental', job: jobName }, folder, jobName, 'GPU Rental', execution);
}

/** The log of a job as a terminal; closing it stops nothing. */
class JobTerminal implements vscode.Pseudoterminal {
  private readonly store = new DisposableStore();
  private readonly written = this.store.add(new vscode.EventEmitter<string>());
  private readonly closed = this.store.add(new vscode.EventEmitter<number>());
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;
  private shown = '';

  constructor(
    private readonly deps: JobDeps,
    private readonly target: { readonly uri: string; readonly jobName: string },
  ) {}

  open(): void {
    void this.run().catch((error: unknown) => {
      this.deps.log.warn(`A job of a task could not be run: ${String(error)}`);
      this.closed.fire(1);
    });
  }

  close(): void {
    this.store.dispose();
  }

  private async run(): Promise<void> {
    const id = await runJob(this.deps, this.target);
    if (id === undefined) {
      this.closed.fire(1);
      return;
    }
    this.store.add(this.deps.jobs.onDidChange(() => void this.follow(id)));
    await this.follow(id);
  }

  private async follow(id: string): Promise<void> {
    const row = this.deps.jobs.find(id);
    const text = plainLog(await this.deps.jobs.log(id));
    const more = text.startsWith(this.shown) ? text.slice(this.shown.length) : `\n${text}`;
    this.shown = text;
    this.written.fire(more.replaceAll('\n', '\r\n'));
    if (!row || isOver(row)) {
      this.written.fire(`\r\n${t('The job has ended.')}\r\n`);
      this.closed.fire(row?.state.end?.code ?? 1);
    }
  }
}
