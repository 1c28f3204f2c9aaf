import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RowFolder } from '../../store/disk/rowFolder';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { Job, JobRow, JobState } from '../model/job';
import { lostJobState, type KeptAside } from '../model/lostProgress';
import { JobLogFiles, type LogPiece } from './jobLogFiles';
import { jobFile, stateFile } from './jobSchemas';

/** The storage for jobs of one account. */
export interface JobStorage {
  /** Returns the jobs, newest first. Throws if the folder can't be read. */
  list(): Promise<readonly JobRow[]>;
  /** Why jobs of the last `list` are missing or old. */
  readonly refused?: unknown;
  /** The paths under which the last `list` found damaged files of jobs, which were set aside. */
  readonly damaged?: readonly string[];
  /** Returns the ids of all jobs without reading their files. */
  ids(): Promise<readonly string[]>;
  /**
   * Reads a job; one whose progress is damaged or missing is over. Throws `FileUnreadableError` when the disk refuses.
   */
  read(jobId: string): Promise<JobRow | undefined>;
  /** Stores a job, whose state must be stored already. */
  put(job: Job): Promise<void>;
  putState(state: JobState): Promise<void>;
  /** The names of the files to send, chosen when the job was ordered. */
  putNames(jobId: string, names: readonly string[]): Promise<void>;
  names(jobId: string): Promise<readonly string[]>;
  /** Writes a piece of the log at its offset, so that a piece that is read again after a crash is not duplicated. */
  writeLog(jobId: string, at: number, piece: Buffer): Promise<void>;
  /** Returns a piece of the log as on the machine: from a byte offset, otherwise the end. */
  readLog(jobId: string, from?: number): Promise<LogPiece>;
  /** Returns the path of the whole log; `undefined` if its beginning was removed because the log is long. */
  logPath(jobId: string): Promise<string | undefined>;
  /** Removes a job, the user's decisions first. */
  remove(jobId: string): Promise<void>;
}

/** The size (bytes) from which a log continues in another file, of which two are kept. */
const logFileBytes = 100_000_000;

/** The name of a damaged part of a job that was set aside, which part, and when (ms since 1970). */
const brokenPart = /^[0-9a-f]{16}\.(state|files)\.json\.broken-(\d+)$/;

/**
 * The jobs of one account. The user's decisions and the progress are separate files, so that the window that runs a
 * job never overwrites a decision.
 */
export class JobFiles extends RowFolder<JobRow> implements JobStorage {
  private readonly logs: JobLogFiles;

  constructor(
    folder: string,
    log: Pick<Log, 'warn'>,
    /** Milliseconds since 1970. */
    now: () => number,
    fileBytes = logFileBytes,
  ) {
    super(folder, /^[0-9a-f]{16}$/, log, now);
    this.logs = new JobLogFiles(folder, fileBytes);
  }

  async read(jobId: string): Promise<JobRow | undefined> {
    const job: Job | undefined = await this.jobFile(jobId).value();
    if (!job) {
      return undefined;
    }
    const state = await this.stateFile(jobId).value();
    if (state) {
      return { job, state };
    }
    const kept = await this.keptState(jobId);
    // A job that was removed during this read has no state either.
    return (await this.jobFile(jobId).value()) && { job, state: lostJobState(job, kept) };
  }

  put(job: Job): Promise<void> {
    return this.jobFile(job.id).write({ version: 1, ...job });
  }

  putState(state: JobState): Promise<void> {
    return this.stateFile(state.jobId).write(state);
  }

  putNames(jobId: string, names: readonly string[]): Promise<void> {
    return this.namesFile(jobId).write([...names]);
  }

  async names(jobId: string): Promise<readonly string[]> {
    const names = await this.namesFile(jobId).value();
    if (!names) {
      // An empty list would run the job without its files, and remove them from the mirror.
      throw new UserError(text('The list of its files is lost. Stop the job and run it again.'));
    }
    return names;
  }

  logPath(jobId: string): Promise<string | undefined> {
    return this.logs.path(jobId);
  }

  writeLog(jobId: string, at: number, piece: Buffer): Promise<void> {
    return this.logs.write(jobId, at, piece);
  }

  readLog(jobId: string, from?: number): Promise<LogPiece> {
    return this.logs.read(jobId, from);
  }

  async remove(jobId: string): Promise<void> {
    await this.jobFile(jobId).remove();
    await this.stateFile(jobId).remove();
    await this.namesFile(jobId).remove();
    await this.logs.remove(jobId);
    for (const name of await readdir(this.path)) {
      if (name.startsWith(jobId) && brokenPart.test(name)) {
        await rm(join(this.path, name), { force: true });
      }
    }
  }

  /**
   * Returns where the progress of a job was last set aside. The name of the file holds it, so
   * that all windows find the same, also after a restart and if another window set it aside.
   */
  private async keptState(jobId: string): Promise<KeptAside | undefined> {
    const kept = (await readdir(this.path)).flatMap((name) => {
      const [, part, at] = brokenPart.exec(name) ?? [];
      return part === 'state' && name.startsWith(jobId)
        ? { path: join(this.path, name), at: Number(at) }
        : [];
    });
    return kept.sort((a, b) => b.at - a.at)[0];
  }

  protected order({ job: one }: JobRow, { job: other }: JobRow): number {
    return other.orderedAt - one.orderedAt || other.id.localeCompare(one.id);
  }

  private jobFile(jobId: string) {
    return this.file(jobId, jobFile);
  }

  private stateFile(jobId: string) {
    const ownState = stateFile.refine((state) => state.jobId === jobId);
    return this.file(`${jobId}.state`, ownState);
  }

  private namesFile(jobId: string) {
    return this.file(`${jobId}.files`, z.array(z.string()));
  }
}
