import { isOver, machineOf, servedUntil, type JobRow } from '../../jobs/model/job';
import { jobCost } from '../../jobs/model/jobLimits';
import { phaseText } from '../../jobs/model/jobText';
import type { Serves } from '../../jobs/model/serves';
import type { Jobs } from '../../jobs/store/jobs';
import type { Micros } from '../../model/money';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';
import type { Text } from '../../util/text';
import { readServing, type Serving } from '../model/servingLog';
import { servingText } from '../model/servingText';

/** A model that a job serves or served. */
export interface ServedModel extends Serves {
  /** The id of its job. */
  readonly id: string;
  readonly instanceId?: number | undefined;
  readonly serving: Serving;
  /** What it does now, or how it ended. */
  readonly state: Text;
  readonly perHour?: Micros | undefined;
  /** What its machines have cost while they worked for it. */
  readonly cost?: Micros | undefined;
  readonly isOver: boolean;
  /** It is served, or ended so lately that who still asks for it is told why. */
  readonly isRecent: boolean;
}

/** What was read of the log of a job. */
interface ReadLog {
  readonly serving: Serving | undefined;
  /** The bytes of the log that `serving` is about. */
  readonly bytes: number;
}

/** The most of a log that is read when its window opens (bytes). */
const mostBytes = 20_000_000;

/** The models that jobs of the active account serve, with what their logs say of them. */
export class ServedModels implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly logs = new Map<string, ReadLog>();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly reads = new NextRead(() => this.readLogs());
  private readonly nextPast = this.owned.add(new MutableDisposable());

  readonly onDidChange: Event<void> = this.changed.event;

  constructor(
    private readonly deps: {
      readonly jobs: Pick<Jobs, 'rows' | 'onDidChange' | 'log'>;
      readonly clock: Pick<Clock, 'now' | 'schedule'>;
      readonly log: Pick<Log, 'warn'>;
    },
  ) {
    this.owned.add(deps.jobs.onDidChange(() => void this.reads.ask()));
    void this.reads.ask();
  }

  /** Those that are served and those that were, the newest first. */
  get all(): readonly ServedModel[] {
    const { clock, jobs } = this.deps;
    return jobs.rows.flatMap((row) => {
      const { serves, id } = row.job;
      if (!serves) {
        return [];
      }
      const { instanceId, perHour } = machineOf(row);
      const serving = this.logs.get(id)?.serving ?? readServing(undefined, '');
      const isRunning = row.state.phase === 'running' && row.job.decidedAt.stop === undefined;
      return {
        ...serves,
        id,
        instanceId,
        serving,
        state: isRunning ? servingText(serving, serves.downloadBytes) : phaseText(row),
        perHour,
        cost: jobCost(row, clock.now()),
        isOver: isOver(row),
        isRecent: clock.now() < servedUntil(row),
      };
    });
  }

  find(jobId: string): ServedModel | undefined {
    return this.all.find(({ id }) => id === jobId);
  }

  /** Resolves once what the logs have on this computer is read. */
  refresh(): Promise<void> {
    return this.reads.ask();
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Never rejects. */
  private async readLogs(): Promise<void> {
    const rows = this.deps.jobs.rows.filter(({ job }) => job.serves);
    for (const id of this.logs.keys()) {
      if (!rows.some(({ job }) => job.id === id)) {
        this.logs.delete(id);
      }
    }
    for (const row of rows) {
      try {
        await this.readLog(row);
      } catch (error) {
        this.deps.log.warn(`The log of the model ${row.job.id} could not be read: ${String(error)}`);
      }
    }
    this.changed.fire();
    this.changeWhenPast(rows);
  }

  private changeWhenPast(rows: readonly JobRow[]): void {
    const { clock } = this.deps;
    const leftMs = Math.min(...rows.map((row) => servedUntil(row) - clock.now()).filter((ms) => ms > 0));
    this.nextPast.value =
      leftMs === Infinity ? undefined : clock.schedule(() => void this.reads.ask(), leftMs);
  }

  private async readLog({ job: { id }, state: { logSize } }: JobRow): Promise<void> {
    let read = this.logs.get(id) ?? { serving: undefined, bytes: Math.max(0, logSize - mostBytes) };
    if (logSize < read.bytes) {
      // A new machine has a new log.
      read = { serving: undefined, bytes: 0 };
    }
    while (read.bytes < logSize) {
      const piece = await this.deps.jobs.log(id, read.bytes);
      const lines = wholeLines(piece.bytes);
      if (lines === 0) {
        break;
      }
      const serving = readServing(read.serving, piece.bytes.subarray(0, lines).toString());
      read = { serving, bytes: piece.at + lines };
    }
    this.logs.set(id, read);
  }
}

/** Lines longer than this are read in parts (bytes). */
const longLineBytes = 100_000;

/** Returns how many bytes are whole lines. */
function wholeLines(bytes: Buffer): number {
  const lines = bytes.lastIndexOf('\n') + 1;
  return lines === 0 && bytes.length > longLineBytes ? bytes.length : lines;
}
