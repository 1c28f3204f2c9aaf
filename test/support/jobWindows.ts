import type { JobMachine, MoveOptions, SentTree } from '../../src/jobs/model/jobMachine';
import { readJob } from '../../src/jobs/model/jobSpec';
import type {
  JobBeat,
  JobEnd,
  JobCheck,
  JobOrder,
  JobOutputs,
  JobThere,
  PhaseOnMachine,
} from '../../src/jobs/model/onMachine';
import { jobNotice } from '../../src/jobs/store/jobNotice';
import { JobRunner } from '../../src/jobs/store/jobRunner';
import type { JobGuard } from '../../src/jobs/store/jobStep';
import { Jobs } from '../../src/jobs/store/jobs';
import { fromDollars } from '../../src/model/money';
import { FailedMachines } from '../../src/store/rentals/failedMachines';
import { replaceInstance } from '../../src/store/rentals/replacement';
import { Notices, type Notice } from '../../src/store/windows/notices';
import { CancelledError, UserError } from '../../src/util/errors';
import { silentLog } from '../../src/util/log';
import type { Place } from '../../src/util/realPlace';
import { text } from '../../src/util/text';
import type { FakeJobDisk } from './fakeJobDisk';
import { noBudget, type FakeComputer } from './fakeWindows';

/** A machine that runs one job, in memory. */
export class FakeMachine implements JobMachine {
  phase: PhaseOnMachine = 'none';
  end: JobEnd | undefined;
  log = '';
  hasFolder = false;
  beat: JobBeat | undefined;
  ago: JobCheck['ago'];
  starts = 0;
  checks = 0;
  cancels = 0;
  readonly orders: JobOrder[] = [];
  /** After so many seconds it stops itself where no job begins. */
  guardSeconds: number | undefined;
  readonly guard: { -readonly [Name in keyof JobGuard]: JobGuard[Name] } = {
    arm: (_, __, seconds) => {
      this.guardSeconds = seconds;
      return Promise.resolve(true);
    },
    disarm: () => {
      this.guardSeconds = undefined;
      return Promise.resolve(true);
    },
  };
  outputsThere: readonly string[] = ['outputs/model.bin'];
  hostile: readonly string[] = [];
  fetched: string | undefined;
  /** The room on the disk of the computer. */
  freeBytes: number | undefined;
  /** Its files are being saved elsewhere. */
  isSaved = false;
  /** Called once, when the next job begins. */
  onBegin: (() => void) | undefined;
  isTransferHeld = false;
  /** The size of each listed file. */
  listedBytes = 3;
  /** What a transfer moves. */
  movedBytes = 0;
  readonly calls: string[] = [];
  /** Jobs of any computer. */
  there: readonly JobThere[] = [];
  /** Called before and after each call takes effect; throws for a cut connection. */
  trouble: ((call: string, when: 'before' | 'after') => void) | undefined;

  begin(order: JobOrder) {
    return this.call('begin', () => {
      this.onBegin?.();
      this.onBegin = undefined;
      this.orders.push(order);
      this.hasFolder = true;
    });
  }

  async sync(order: JobOrder, tree?: SentTree, options?: MoveOptions) {
    await this.transfer(options);
    this.trees.push({ id: order.id, key: order.workspaceKey, names: tree?.names ?? [] });
    return this.call('sync', () => {
      this.phase = 'synced';
      return { files: 1, bytes: 1, leftOut: [] };
    });
  }

  start(order: JobOrder) {
    return this.call('start', () => {
      if (this.phase === 'synced') {
        this.orders.push(order);
        this.starts += 1;
        this.phase = order.after.length > 0 ? 'waiting' : order.setup === undefined ? 'running' : 'settingUp';
        return 'started' as const;
      }
      return 'already' as const;
    });
  }

  check(_: string, offset: number, maxBytes: number): Promise<JobCheck> {
    return this.call('check', () => {
      this.checks += 1;
      const piece = Buffer.from(this.log).subarray(offset, offset + maxBytes);
      return {
        phase: this.phase,
        end: this.end,
        beat: this.beat,
        ago: this.ago,
        log: { offset: offset + piece.length, piece },
        pidAlive: this.phase === 'running',
        hasOutputsList: this.end !== undefined,
      };
    });
  }

  jobsThere() {
    return this.call('jobsThere', () => this.there);
  }

  cancel() {
    return this.call('cancel', () => {
      this.cancels += 1;
      this.ends({ code: 143, why: 'cancelled' });
    });
  }

  limitSeconds: number | undefined;

  extend(_: string, seconds: number): Promise<boolean> {
    return this.call('extend', () => {
      this.limitSeconds = seconds;
      return this.end === undefined;
    });
  }

  outputs(): Promise<JobOutputs> {
    return this.call('outputs', () => ({
      files: this.outputsThere.map((path) => ({
        path,
        kind: 'file' as const,
        size: this.listedBytes,
        modified: 1,
      })),
      leftOut: this.hostile.map((name) => ({ name, why: text('hostile') })),
      hash: 'hash-of-list',
      areHashed: true,
    }));
  }

  /** What is there of a checkpoint now. */
  checkpointThere: readonly string[] = [];
  readonly trees: { readonly id: string; readonly key: string; readonly names: readonly string[] }[] = [];

  checkpoint(): Promise<JobOutputs> {
    return this.call('checkpoint', () => ({
      files: this.checkpointThere.map((path) => ({
        path,
        kind: 'file' as const,
        size: this.listedBytes,
        modified: 1,
      })),
      leftOut: [],
      hash: `hash-of-${this.checkpointThere.join()}`,
      areHashed: true,
    }));
  }

  /** Writes what a fetch brings into its folder. */
  onFetch: ((into: string) => Promise<void>) | undefined;
  /** What a fetch does not bring whole. */
  leavesOut: readonly string[] = [];

  async fetch(_: string, list: JobOutputs, into?: Place, options?: MoveOptions) {
    await this.transfer(options);
    await this.onFetch?.(into?.path ?? '');
    const leftOut = [...list.leftOut, ...this.leavesOut.map((name) => ({ name, why: text('cut') }))];
    return this.call('fetch', () => ({ files: list.files.length, bytes: 3, leftOut }));
  }

  markFetched(_: string, hash: string) {
    return this.call('markFetched', () => {
      this.fetched = hash;
    });
  }

  remove() {
    return this.call('remove', () => undefined);
  }

  /** From now on the connection breaks at these calls. */
  cut(isCut: (call: string, when: 'before' | 'after') => boolean = () => true): void {
    this.trouble = (call, when) => {
      if (isCut(call, when)) {
        throw new CutConnection();
      }
    };
  }

  /** A transfer that is held reports half of its bytes and ends by its signal alone. */
  private async transfer({ signal, onProgress }: MoveOptions = {}): Promise<void> {
    if (this.movedBytes > 0) {
      onProgress?.({ bytes: 0, totalBytes: this.movedBytes });
      onProgress?.({ bytes: this.movedBytes, totalBytes: this.movedBytes });
    }
    if (this.isTransferHeld) {
      onProgress?.({ bytes: 50, totalBytes: 100 });
      await new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new CancelledError());
        });
      });
    }
  }

  ends(end: Pick<JobEnd, 'code' | 'why'>): void {
    this.phase = 'ended';
    this.end = { at: undefined, isOutOfMemory: false, ...end };
  }

  private async call<T>(name: string, effect: () => T): Promise<T> {
    await Promise.resolve();
    this.calls.push(name);
    this.trouble?.(name, 'before');
    const result = effect();
    this.trouble?.(name, 'after');
    return result;
  }
}

/** A machine with several jobs, each as `FakeMachine` has it. */
export class FakeMachines implements JobMachine {
  private readonly jobs = new Map<string, FakeMachine>();

  /** @param keyLength 18 where each attempt is one of its own. */
  constructor(private readonly keyLength: 16 | 18 = 16) {}

  get all(): readonly FakeMachine[] {
    return [...this.jobs.values()];
  }

  /** That of a job, by its own id or that of an attempt. */
  of(id: string): FakeMachine {
    const key = id.slice(0, this.keyLength);
    const machine = this.jobs.get(key) ?? new FakeMachine();
    this.jobs.set(key, machine);
    return machine;
  }

  begin = (order: JobOrder) => this.of(order.id).begin(order);
  sync = (...sent: Parameters<FakeMachine['sync']>) => this.of(sent[0].id).sync(...sent);
  start = (order: JobOrder) => this.of(order.id).start(order);
  check = (id: string, offset: number, maxBytes: number) => this.of(id).check(id, offset, maxBytes);
  cancel = (id: string) => this.of(id).cancel();
  extend = (id: string, seconds: number) => this.of(id).extend(id, seconds);
  outputs = (id: string) => this.of(id).outputs();
  checkpoint = (id: string) => this.of(id).checkpoint();
  fetch = (id: string, list: JobOutputs) => this.of(id).fetch(id, list);
  markFetched = (id: string, hash: string) => this.of(id).markFetched(id, hash);
  remove = (id: string) => this.of(id).remove();
  jobsThere = () => Promise.resolve([]);
}

export class CutConnection extends UserError {
  constructor() {
    super(text('The connection was cut.'));
  }
}

export function aJob(instanceId: number | undefined, fields: Readonly<Record<string, unknown>> = {}) {
  const job = { run: 'train', outputs: ['outputs/**'], limits: { hours: 2, costDollars: 4 }, ...fields };
  const spec = readJob(JSON.stringify({ jobs: { train: job } }), 'train');
  return {
    spec,
    workspace: '/tmp',
    workspaceKey: 'abcd',
    machine: {
      ...(instanceId === undefined ? {} : { instanceId }),
      name: 'trainer',
      perHour: fromDollars(1),
    },
    ends: spec.ends,
    outputsTo: '/tmp',
    decidedAt: {},
  };
}

/** The same for a machine that is rented for it. */
export function aRentedJob(
  rental: { readonly marker: string; readonly by?: string },
  fields: Readonly<Record<string, unknown>> = {},
) {
  const job = aJob(undefined, fields);
  return { ...job, ends: job.spec.rentedEnds, rental };
}

/** A window that carries jobs out, over a service in memory and a clock that a test moves. */
export async function openJobWindow(
  computer: FakeComputer,
  disk: FakeJobDisk,
  machine: JobMachine & {
    readonly guard?: JobGuard;
    readonly freeBytes?: number | undefined;
    readonly isSaved?: boolean;
  },
) {
  const window = await computer.openSignedIn();
  const { accounts, fleet, hub, owned, rentals } = window;
  const { clock } = computer;
  const log = silentLog;
  const notices = owned.add(new Notices(hub));
  const posted: Notice[] = [];
  owned.add(notices.onDidPost((notice) => posted.push(notice)));
  const jobs = owned.add(new Jobs({ accounts, hub, clock, log, storage: () => disk.storage }));
  const keptSecrets = { has: true };
  const secrets = (): Promise<Readonly<Record<string, string>>> =>
    Promise.resolve(keptSecrets.has ? { HF_TOKEN: 'hf_value' } : {});
  owned.add(
    new JobRunner({
      accounts,
      fleet,
      rentals,
      hub,
      jobs,
      notices,
      clock,
      log,
      secrets,
      machine: () => machine,
      stoppedMachine: () => machine,
      replaceMachine: (instanceId, signal) =>
        replaceInstance(
          {
            ...{ accounts, fleet, rentals, hub, clock, log },
            budget: noBudget,
            failedMachines: new FailedMachines(computer.storageDir, () => accounts.active?.key, silentLog),
          },
          instanceId,
          { signal, dataLossAccepted: true },
        ),
      firstContact: () => Promise.resolve(),
      freeBytes: () => Promise.resolve(machine.freeBytes),
      isSaving: () => Promise.resolve(machine.isSaved === true),
      guard: machine.guard ?? new FakeMachine().guard,
    }),
  );
  await clock.advance(0);
  await fleet.refresh();
  return {
    ...window,
    jobs,
    /** Whether the secret store has the values of jobs. */
    keptSecrets,
    /** What was shown, each once, as the windows' claims have it. */
    noticeKinds: () => [
      ...new Map(posted.map(({ key, data }) => [key, jobNotice.parse(data).kind])).values(),
    ],
    row: (id: string) => {
      const row = jobs.find(id);
      if (!row) {
        throw new Error(`no job ${id}`);
      }
      return row;
    },
  };
}
