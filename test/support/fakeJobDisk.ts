import type { Job, JobRow, JobState } from '../../src/jobs/model/job';
import { lostJobState, type KeptAside } from '../../src/jobs/model/lostProgress';
import type { JobStorage } from '../../src/jobs/store/jobFiles';

/** The disk of one computer, without the waits of a real one. */
export class FakeJobDisk {
  private readonly jobs = new Map<string, Job>();
  private readonly states = new Map<string, JobState>();
  private readonly sent = new Map<string, readonly string[]>();
  private readonly logs = new Map<string, Buffer>();
  private readonly damagedAt = new Map<string, number>();

  /** How often jobs were looked into. */
  reads = 0;
  /** Ids whose files hold no job. */
  readonly broken = new Set<string>();

  readonly storage: JobStorage = {
    ids: () => Promise.resolve([...this.jobs.keys(), ...this.broken]),
    list: () => Promise.resolve([...this.jobs.keys(), ...this.broken].flatMap((id) => this.read(id) ?? [])),
    read: (id) => Promise.resolve(this.read(id)),
    put: (job) => Promise.resolve(void this.jobs.set(job.id, job)),
    putState: (state) => Promise.resolve(void this.states.set(state.jobId, state)),
    putNames: (id, names) => Promise.resolve(void this.sent.set(id, names)),
    names: (id) => Promise.resolve(this.sent.get(id) ?? []),
    writeLog: (id, at, piece) => {
      const before = (this.logs.get(id) ?? Buffer.alloc(0)).subarray(0, at);
      return Promise.resolve(void this.logs.set(id, Buffer.concat([before, piece])));
    },
    readLog: (id, at = 0) =>
      Promise.resolve({ bytes: (this.logs.get(id) ?? Buffer.alloc(0)).subarray(at), at }),
    logPath: (id) => Promise.resolve(`/${id}.log`),
    remove: (id) => {
      this.jobs.delete(id);
      this.states.delete(id);
      return Promise.resolve();
    },
  };

  private read(id: string): JobRow | undefined {
    this.reads += 1;
    const job = this.jobs.get(id);
    return job && { job, state: this.states.get(id) ?? lostJobState(job, this.kept(id)) };
  }

  /** Has the state of a job damaged, as in `JobFiles`. */
  damageState(id: string, at: number): void {
    this.states.delete(id);
    this.damagedAt.set(id, at);
  }

  private kept(id: string): KeptAside | undefined {
    const at = this.damagedAt.get(id);
    return at === undefined ? undefined : { path: `/${id}.state.json.broken-${at}`, at };
  }
}
