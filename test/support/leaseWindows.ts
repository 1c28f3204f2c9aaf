import type { Lease, LeaseState } from '../../src/schedules/model/schedule';
import type { KernelUse } from '../../src/notebooks/model/kernelUse';
import type { LeaseStorage } from '../../src/schedules/store/scheduleFiles';
import { IdleWatch, type UsageFile } from '../../src/store/instances/idleWatch';
import { InstanceLeases } from '../../src/schedules/store/instanceSchedules';
import { leaseNotice, type LeaseNotice } from '../../src/schedules/store/scheduleNotice';
import { LeaseRunner } from '../../src/schedules/store/scheduleRunner';
import { Notices, type Notice } from '../../src/store/windows/notices';
import { Presence } from '../../src/store/windows/presence';
import { anInstance } from './builders';
import { computerScene, type ServiceStart } from './computerScene';
import type { FakeComputer } from './fakeWindows';

/** The disk of one computer, without the waits of a real one. */
export class FakeLeaseDisk {
  readonly leases = new Map<number, Lease>();
  readonly states = new Map<number, LeaseState>();
  private usage: Parameters<UsageFile['write']>[0] | undefined;
  /** Why nothing can be written. */
  refusal: Error | undefined;
  private owner: string | undefined;
  private readonly others = new Map<string, FakeLeaseDisk>();

  /** What an account has on it. The first account that asks owns `leases` and `states`. */
  storageOf(accountKey: string): LeaseStorage {
    this.owner ??= accountKey;
    if (accountKey === this.owner) {
      return this.storage;
    }
    const other = this.others.get(accountKey) ?? new FakeLeaseDisk();
    this.others.set(accountKey, other);
    return other.storage;
  }

  readonly storage: LeaseStorage = {
    list: async () => {
      const rows = await Promise.all([...this.leases.keys()].map((id) => this.storage.read(id)));
      return rows.filter((row) => row !== undefined);
    },
    read: (id) => {
      const lease = this.leases.get(id);
      const state = this.states.get(id);
      const isOwn = lease !== undefined && state?.leaseId === lease.id;
      return Promise.resolve(lease && { lease, state: isOwn ? state : { leaseId: lease.id } });
    },
    put: (lease) =>
      this.refusal === undefined
        ? Promise.resolve(void this.leases.set(lease.instanceId, lease))
        : Promise.reject(this.refusal),
    putState: (id, state) => Promise.resolve(void this.states.set(id, state)),
    unreadable: [],
    state: (id) => Promise.resolve(this.states.get(id)),
    remove: (id) => {
      const state = this.states.get(id);
      this.leases.delete(id);
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

/** A window that carries leases out and has read the list, over a service in memory and a clock that a test moves. */
export async function openLeaseWindow(computer: FakeComputer, disk: FakeLeaseDisk) {
  const window = await computer.openSignedIn();
  const { accounts, fleet, hub, owned } = window;
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
  const leases = owned.add(
    new InstanceLeases({ accounts, hub, clock, log, storage: (key) => disk.storageOf(key) }),
  );
  const posted: Notice[] = [];
  owned.add(notices.onDidPost((notice) => posted.push(notice)));
  /** What the machines say of their kernels. */
  const kernels = { use: 'idle' as KernelUse, asked: 0 };
  const kernelUse = () => {
    kernels.asked += 1;
    return Promise.resolve(kernels.use);
  };
  owned.add(new LeaseRunner({ accounts, fleet, hub, leases, idle, kernelUse, notices, clock, log }));
  await clock.advance(0);
  await fleet.refresh();
  return {
    ...window,
    presence,
    notices,
    idle,
    leases,
    kernels,
    posted,
    /** What was told, each once, as the windows' claims have it. */
    told: (): readonly LeaseNotice[] =>
      [...new Map(posted.map(({ key, data }) => [key, data])).values()].map((data) =>
        leaseNotice.parse(data),
      ),
  };
}
export type LeaseWindow = Awaited<ReturnType<typeof openLeaseWindow>>;

/** A computer whose windows carry leases out; the service has instance 5001, which runs. */
export async function leaseScene(start: ServiceStart = { instances: [anInstance()] }) {
  const scene = await computerScene(start);
  const { computer } = scene;
  const disk = new FakeLeaseDisk();
  return {
    ...scene,
    disk,
    open: () => openLeaseWindow(computer, disk),
    pass: (ms: number) => passInMinutes(computer, ms),
    at: (inMs: number) => ({ kind: 'at', at: computer.clock.now() + inMs }) as const,
  };
}
export type LeaseScene = Awaited<ReturnType<typeof leaseScene>>;

/** What a window told, in its order. */
export const kindsTold = (window: LeaseWindow) => window.told().map(({ kind }) => kind);

/** Time goes by in steps that a list of the service fits between. */
export async function passInMinutes(computer: FakeComputer, ms: number): Promise<void> {
  const minute = 60_000;
  for (let left = ms; left > 0; left -= minute) {
    await computer.clock.advance(Math.min(left, minute));
  }
}
