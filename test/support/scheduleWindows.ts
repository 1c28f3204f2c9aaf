import type { KernelUse } from '../../src/notebooks/model/kernelUse';
import type { Schedule, ScheduleState } from '../../src/schedules/model/schedule';
import { AgreedEnds } from '../../src/schedules/store/agreedEnds';
import { InstanceSchedules } from '../../src/schedules/store/instanceSchedules';
import type { AskKernels } from '../../src/schedules/store/kernelUse';
import type { ScheduleStorage } from '../../src/schedules/store/scheduleFiles';
import { scheduleNotice, type ScheduleNotice } from '../../src/schedules/store/scheduleNotice';
import { ScheduleRunner, type SavedWork } from '../../src/schedules/store/scheduleRunner';
import { IdleWatch, type UsageFile } from '../../src/store/instances/idleWatch';
import { Notices, type Notice } from '../../src/store/windows/notices';
import { Presence } from '../../src/store/windows/presence';
import { anInstance } from './builders';
import { computerScene, type ServiceStart } from './computerScene';
import type { FakeComputer } from './fakeWindows';

/** The disk of one computer, without the waits of a real one. */
export class FakeScheduleDisk {
  readonly schedules = new Map<number, Schedule>();
  readonly states = new Map<number, ScheduleState>();
  private usage: Parameters<UsageFile['write']>[0] | undefined;
  /** Why nothing can be written. */
  refusal: Error | undefined;
  private owner: string | undefined;
  private readonly others = new Map<string, FakeScheduleDisk>();

  /** What an account has on it. The first account that asks owns `schedules` and `states`. */
  storageOf(accountKey: string): ScheduleStorage {
    this.owner ??= accountKey;
    if (accountKey === this.owner) {
      return this.storage;
    }
    const other = this.others.get(accountKey) ?? new FakeScheduleDisk();
    this.others.set(accountKey, other);
    return other.storage;
  }

  readonly storage: ScheduleStorage = {
    list: async () => {
      const rows = await Promise.all([...this.schedules.keys()].map((id) => this.storage.read(id)));
      return rows.filter((row) => row !== undefined);
    },
    read: (id) => {
      const schedule = this.schedules.get(id);
      const state = this.states.get(id);
      const isOwn = schedule !== undefined && state?.scheduleId === schedule.id;
      return Promise.resolve(schedule && { schedule, state: isOwn ? state : { scheduleId: schedule.id } });
    },
    put: (schedule) =>
      this.refusal === undefined
        ? Promise.resolve(void this.schedules.set(schedule.instanceId, schedule))
        : Promise.reject(this.refusal),
    putState: (id, state) => Promise.resolve(void this.states.set(id, state)),
    unreadable: [],
    state: (id) => Promise.resolve(this.states.get(id)),
    remove: (id) => {
      const state = this.states.get(id);
      this.schedules.delete(id);
      this.states.delete(id);
      return Promise.resolve(state);
    },
  };

  readonly usageFile: UsageFile = {
    read: () => Promise.resolve(this.usage ? { kind: 'present', value: this.usage } : { kind: 'absent' }),
    write: (value) => {
      this.usage = value;
      return Promise.resolve();
    },
  };
}

/** The SSH alias of an instance in these windows. */
export const aliasOf = (instanceId: number) => `gpu-${instanceId}`;

/** A window that carries schedules out and has read the list, over a service in memory and a clock that a test moves. */
export async function openScheduleWindow(computer: FakeComputer, disk: FakeScheduleDisk) {
  const window = await computer.openSignedIn();
  const { accounts, fleet, hub, owned, rentals } = window;
  const { clock, log } = computer;
  const presence = owned.add(new Presence({ hub, clock }));
  const notices = owned.add(new Notices(hub));
  const idle = owned.add(
    new IdleWatch({
      accounts,
      fleet,
      hub,
      presence,
      aliasOf: (_, id) => aliasOf(id),
      clock,
      log,
      file: () => disk.usageFile,
    }),
  );
  const schedules = owned.add(
    new InstanceSchedules({ accounts, hub, clock, log, storage: (key) => disk.storageOf(key) }),
  );
  const posted: Notice[] = [];
  owned.add(notices.onDidPost((notice) => posted.push(notice)));
  /** What the machines say of their kernels. */
  const kernels: { use: KernelUse; asked: number; of: (instanceId: number) => KernelUse } = {
    use: 'idle',
    asked: 0,
    of: () => kernels.use,
  };
  const kernelUse: AskKernels = (_, { instanceId }) => {
    kernels.asked += 1;
    return Promise.resolve(kernels.of(instanceId));
  };
  owned.add(new AgreedEnds({ accounts, fleet, hub, rentals, schedules, clock, log }));
  /** What the machines say of their work. */
  const work: {
    isSaved: boolean;
    isBeingSaved: boolean;
    asked: number;
    of: (instanceId: number) => boolean;
  } = {
    isSaved: false,
    isBeingSaved: false,
    asked: 0,
    of: () => work.isSaved,
  };
  const saved: SavedWork = {
    isAllSaved: (_, instanceId) => {
      work.asked += 1;
      return Promise.resolve(work.of(instanceId));
    },
    note: async (instanceId, savedAt) => {
      const marker = rentals.find(instanceId)?.marker;
      await (marker === undefined ? undefined : rentals.update(marker, { savedAt }));
    },
  };
  owned.add(
    new ScheduleRunner({
      ...{ accounts, fleet, hub, schedules, idle, kernelUse, notices, clock, log, saved },
      isSaving: () => Promise.resolve(work.isBeingSaved),
    }),
  );
  await clock.advance(0);
  await fleet.refresh().catch(() => undefined);
  return {
    ...window,
    presence,
    notices,
    idle,
    schedules,
    kernels,
    work,
    posted,
    /** What was shown, each once, as the windows' claims have it. */
    postedNotices: (): readonly ScheduleNotice[] =>
      [...new Map(posted.map(({ key, data }) => [key, data])).values()].map((data) =>
        scheduleNotice.parse(data),
      ),
  };
}
export type ScheduleWindow = Awaited<ReturnType<typeof openScheduleWindow>>;

/** A computer whose windows carry schedules out; the service has instance 5001, which runs. */
export async function scheduleScene(start: ServiceStart = { instances: [anInstance()] }) {
  const scene = await computerScene(start);
  const { computer } = scene;
  const disk = new FakeScheduleDisk();
  return {
    ...scene,
    disk,
    open: () => openScheduleWindow(computer, disk),
    pass: (ms: number) => passInMinutes(computer, ms),
    at: (inMs: number) => ({ kind: 'at', at: computer.clock.now() + inMs }) as const,
  };
}
export type ScheduleScene = Awaited<ReturnType<typeof scheduleScene>>;

/** What a window showed, in its order. */
export const noticeKinds = (window: ScheduleWindow) => window.postedNotices().map(({ kind }) => kind);

/** Time goes by in steps that a list of the service fits between. */
export async function passInMinutes(computer: FakeComputer, ms: number): Promise<void> {
  const minute = 60_000;
  for (let left = ms; left > 0; left -= minute) {
    await computer.clock.advance(Math.min(left, minute));
  }
}
