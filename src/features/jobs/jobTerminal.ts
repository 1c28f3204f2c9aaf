import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { isOver } from '../../model/jobs/job';
import { plainLog } from '../../model/jobs/logText';
import type { JobEnd } from '../../model/jobs/onMachine';
import { logPieceBytes } from '../../store/jobs/jobFiles';
import { DisposableStore } from '../../util/disposable';
import type { Log } from '../../util/log';
import type { JobDeps } from './deps';

/** Goes back to the begin of a line and clears it. */
const anew = '\r\u001b[K';

/** The log of a job as a terminal; closing it stops nothing. */
export class JobTerminal implements vscode.Pseudoterminal {
  private readonly store = new DisposableStore();
  private readonly written = this.store.add(new vscode.EventEmitter<string>());
  private readonly closed = this.store.add(new vscode.EventEmitter<number>());
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;
  private columns = 80;
  /** So many bytes of the log stand there in whole lines. */
  private at = 0;
  /** The begin of the line that may still change, as it was written last. */
  private last = '';
  private isClosed = false;
  private following: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: Pick<JobDeps, 'jobs'> & { readonly log: Log },
    /** Orders the job; its id, unless the user stopped. */
    private readonly order: () => Promise<string | undefined>,
  ) {}

  open(dimensions: vscode.TerminalDimensions | undefined): void {
    this.columns = dimensions?.columns ?? this.columns;
    void this.run().catch((error: unknown) => {
      this.deps.log.warn(`A job of a task could not be run: ${String(error)}`);
      this.end(1);
    });
  }

  setDimensions({ columns }: vscode.TerminalDimensions): void {
    this.columns = columns;
  }

  close(): void {
    this.isClosed = true;
    this.store.dispose();
  }

  private async run(): Promise<void> {
    const id = await this.order();
    if (id === undefined) {
      this.end(1);
      return;
    }
    this.store.add(this.deps.jobs.onDidChange(() => this.follow(id)));
    this.follow(id);
  }

  /** One reading after the other, so that nothing is written twice. */
  private follow(id: string): void {
    this.following = this.following
      .then(() => this.show(id))
      .catch((error: unknown) => {
        this.deps.log.warn(`The log of job ${id} could not be read: ${String(error)}`);
      });
  }

  private async show(id: string): Promise<void> {
    // Looked at before its log, which is whole then.
    const row = this.deps.jobs.find(id);
    let isMore = true;
    while (isMore && !this.isClosed) {
      isMore = await this.showPiece(id);
    }
    if (!this.isClosed && (!row || isOver(row))) {
      this.written.fire(`\r\n${t('The job has ended.')}\r\n`);
      this.end(exitCodeOf(row?.state.end));
    }
  }

  /** Writes whole lines once, and the last line, such as a bar of progress, in its own place. True where more follows. */
  private async showPiece(id: string): Promise<boolean> {
    const { bytes } = await this.deps.jobs.log(id, this.at);
    const isFull = bytes.length === logPieceBytes;
    // A line that fills all of it is written in pieces.
    const whole = bytes.lastIndexOf('\n') + 1 || (isFull ? bytes.length : 0);
    const lines = plainLog(bytes.toString('utf8', 0, whole));
    const last = plainLog(bytes.toString('utf8', whole)).slice(0, Math.max(0, this.columns - 1));
    this.at += whole;
    if (whole > 0 || last !== this.last) {
      this.last = last;
      this.written.fire(`${anew}${lines.replaceAll('\n', '\r\n')}${last}`);
    }
    return isFull;
  }

  private end(code: number): void {
    if (!this.isClosed) {
      this.isClosed = true;
      this.closed.fire(code);
    }
  }
}

/** A job that was ended is no success, though it may have saved its work and ended with 0. */
function exitCodeOf(end: JobEnd | undefined): number {
  const { code = 1, why } = end ?? {};
  return why === 'itself' ? code : code || 1;
}
