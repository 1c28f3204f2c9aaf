import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { reasonOf, t } from '../../editor/localize';
import { DisposableStore } from '../../util/disposable';
import type { Log } from '../../util/log';
import { isOver } from '../model/job';
import { plainLog } from '../model/logText';
import type { JobEnd } from '../model/onMachine';
import { logPieceBytes } from '../store/jobLogFiles';
import type { JobDeps } from './deps';
import { filesWithJobs } from './jobSource';
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

/** Returns to the start of the line and clears it. */
const anew = '\r\u001b[K';

/** Shows the log of a job as a terminal. Closing it does not stop the job. */
export class JobTerminal implements vscode.Pseudoterminal {
  private readonly store = new DisposableStore();
  private readonly written = this.store.add(new vscode.EventEmitter<string>());
  private readonly closed = this.store.add(new vscode.EventEmitter<number>());
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;
  private columns = 80;
  /** The number of log bytes that are shown as whole lines. */
  private at = 0;
  /** The start of a line that may still change, as last written. */
  private last = '';
  private isClosed = false;
  private jobId: string | undefined;
  private following: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: Pick<JobDeps, 'jobs'> & { readonly log: Log },
    /** Orders the job; resolves with its id, or `undefined` if the user canceled. */
    private readonly order: () => Promise<string | undefined>,
    /** Lets the user stop the job. */
    private readonly stop: (jobId: string) => Promise<void> = () => Promise.resolve(),
  ) {}

  /** Ctrl+C ends a command in any other terminal; here it asks, because the job also runs without this terminal. */
  handleInput(typed: string): void {
    if (typed === '\u0003' && this.jobId !== undefined && !this.isClosed) {
      void this.stop(this.jobId);
    }
  }

  open(dimensions: vscode.TerminalDimensions | undefined): void {
    this.columns = dimensions?.columns ?? this.columns;
    void this.run().catch((error: unknown) => {
      this.deps.log.warn(`A job of a task could not be run: ${String(error)}`);
      this.endWith(reasonOf(error) ?? t('See the log for details.'), 1);
    });
  }

  setDimensions({ columns }: vscode.TerminalDimensions): void {
    this.columns = columns;
  }

  close(): void {
    this.isClosed = true;
    this.deps.jobs.watch(this, []);
    this.store.dispose();
  }

  private async run(): Promise<void> {
    const id = await this.order();
    if (id === undefined) {
      this.end(1);
      return;
    }
    this.jobId = id;
    this.deps.jobs.watch(this, this.isClosed ? [] : [id]);
    this.store.add(this.deps.jobs.onDidChange(() => this.follow(id)));
    this.follow(id);
  }

  /** Reads one piece after the other, so that nothing is written twice. */
  private follow(id: string): void {
    this.following = this.following
      .then(() => this.show(id))
      .catch((error: unknown) => {
        this.deps.log.warn(`The log of job ${id} could not be read: ${String(error)}`);
      });
  }

  private async show(id: string): Promise<void> {
    // Reads the state before the log: if the job is over, the log is complete.
    const row = this.deps.jobs.find(id);
    if (!row) {
      // The list is that of another account, or of none.
      this.endWith(t('The account changed. The job may still run, but it is not shown here any more.'), 1);
      return;
    }
    let isMore = true;
    while (isMore && !this.isClosed) {
      isMore = await this.showPiece(id);
    }
    if (isOver(row)) {
      this.endWith(t('The job has ended.'), exitCodeOf(row.state.end));
    }
  }

  /**
   * Writes whole lines once and rewrites the last line, such as a progress bar, in place. Returns true if more follows.
   */
  private async showPiece(id: string): Promise<boolean> {
    const { bytes, at } = await this.deps.jobs.log(id, this.at);
    const isFull = bytes.length === logPieceBytes;
    // A line longer than one piece is written in parts.
    const whole = bytes.lastIndexOf('\n') + 1 || (isFull ? bytes.length : 0);
    const lines = plainLog(bytes.toString('utf8', 0, whole));
    const last = plainLog(bytes.toString('utf8', whole)).slice(0, Math.max(0, this.columns - 1));
    this.at = at + whole;
    if (whole > 0 || last !== this.last) {
      this.last = last;
      this.written.fire(`${anew}${lines.replaceAll('\n', '\r\n')}${last}`);
    }
    return isFull;
  }

  private endWith(words: string, code: number): void {
    if (!this.isClosed) {
      this.written.fire(`\r\n${words.replaceAll('\n', '\r\n')}\r\n`);
      this.end(code);
    }
  }

  private end(code: number): void {
    if (!this.isClosed) {
      this.isClosed = true;
      this.deps.jobs.watch(this, []);
      this.closed.fire(code);
    }
  }
}

/** A job that was ended early has not succeeded, even if it saved its work and exited with 0. */
function exitCodeOf(end: JobEnd | undefined): number {
  const { code = 1, why } = end ?? {};
  return why === 'itself' ? code : code || 1;
}
