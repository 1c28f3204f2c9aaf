import * as z from 'zod';
import type { SharedAccess } from '../../model/instances/sharedAccess';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { accountPath } from '../accounts/accountFiles';
import type { Accounts } from '../accounts/accounts';
import { agreedBefore } from '../accounts/sameAccount';
import { DiskList, type DiskListDeps } from '../disk/diskList';
import { newOwnId, ownId, RowFolder } from '../disk/rowFolder';
import type { Notices } from '../windows/notices';
import { takeKeyBack } from './takeKeyBack';

export const sharedNoticeKind = 'sharedAccess';
export const sharedNotice = z.object({
  instanceId: z.number(),
  name: z.string(),
  /** False while the key is still on the instance, because a try failed. */
  isOver: z.boolean(),
});

/** Timers stop while a computer sleeps, so the clock is checked this often (ms). */
const longestTimerMs = 30_000;
const firstPauseMs = 60_000;
const longestPauseMs = 60 * 60_000;

const file = z.object({
  version: z.literal(1),
  instanceId: z.number().int().positive(),
  name: z.string(),
  publicKey: z.string(),
  createdAt: z.number(),
  endsAt: z.number().optional(),
});

class SharedFiles extends RowFolder<SharedAccess> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, ownId, log);
  }

  async read(id: string): Promise<SharedAccess | undefined> {
    const content = await this.file(id, file).value();
    return content && { ...content, id };
  }

  put({ id, ...row }: SharedAccess): Promise<void> {
    return this.file(id, file).write({ version: 1, ...row });
  }

  remove(id: string): Promise<void> {
    return this.file(id, file).remove();
  }

  protected order(one: SharedAccess, other: SharedAccess): number {
    return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
  }
}

export interface SharedAccessesDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: DiskListDeps<SharedFiles>['hub'] & { readonly isLeader: boolean };
  readonly fleet: { hasEnded(instanceId: number): boolean; readonly onDidChange: Event<unknown> };
  readonly notices: Pick<Notices, 'post'>;
  readonly isSameKey: (one: string, other: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly storageDir: string;
}

/**
 * The keys of other users on instances of the active account. The service keeps no end for a key, so the leading window
 * takes each back at its end, or as soon as one leads after it.
 */
export class SharedAccesses implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly list: DiskList<SharedAccess, SharedFiles>;
  /** Tries that failed, by the id of the access. */
  private readonly failures = new Map<string, { readonly tries: number; readonly nextAt: number }>();
  private isRunning = false;

  constructor(private readonly deps: SharedAccessesDeps) {
    this.list = this.owned.add(
      new DiskList({
        ...deps,
        topic: 'sharedAccess.changed',
        open: (accountKey) =>
          new SharedFiles(accountPath(deps.storageDir, accountKey, 'sharedAccess'), deps.log),
        unreadable: 'The shared access could not be read',
      }),
    );
    this.owned.add(this.list.onDidChange(() => this.plan()));
    this.owned.add(deps.hub.onDidChangeLeader(() => this.plan()));
    this.owned.add(deps.fleet.onDidChange(() => this.plan()));
  }

  get onDidChange(): Event<void> {
    return this.list.onDidChange;
  }

  get ready(): Promise<void> {
    return this.list.ready;
  }

  /** Set while rows are missing or old. */
  get error(): unknown {
    return this.list.anyError;
  }

  get damaged(): readonly string[] {
    return this.list.damaged;
  }

  /** Oldest first. */
  get rows(): readonly SharedAccess[] {
    return this.list.rows;
  }

  of(instanceId: number): readonly SharedAccess[] {
    return this.rows.filter((row) => row.instanceId === instanceId);
  }

  find(instanceId: number, publicKey: string): SharedAccess | undefined {
    return this.of(instanceId).find((row) => this.deps.isSameKey(row.publicKey, publicKey));
  }

  /** Keeps an access, in place of an earlier one of the same key; called before the key is sent. */
  async keep(accountKey: string, access: Omit<SharedAccess, 'id' | 'createdAt'>): Promise<SharedAccess> {
    const earlier = this.find(access.instanceId, access.publicKey);
    const row = { ...access, id: earlier?.id ?? newOwnId(), createdAt: this.deps.clock.now() };
    const files = this.list.filesOf(accountKey);
    await files.put(row);
    this.failures.delete(row.id);
    await this.list.publishChange(files);
    return row;
  }

  /** Forgets an access whose key is off its instance. */
  async forget(accountKey: string, id: string): Promise<void> {
    const files = this.list.filesOf(accountKey);
    await files.remove(id);
    this.failures.delete(id);
    await this.list.publishChange(files);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private plan(): void {
    this.timer.value = undefined;
    const { clock, hub } = this.deps;
    const next = Math.min(...this.rows.map((row) => this.dueAt(row)));
    if (!hub.isLeader || this.isRunning || next === Infinity || this.owned.isDisposed) {
      return;
    }
    const delay = Math.min(Math.max(next - clock.now(), 0), longestTimerMs);
    this.timer.value = clock.schedule(() => void this.run(), delay);
  }

  private dueAt({ id, instanceId, endsAt = Infinity }: SharedAccess): number {
    return this.deps.fleet.hasEnded(instanceId) ? 0 : Math.max(endsAt, this.failures.get(id)?.nextAt ?? 0);
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    const { accountKey } = this.list;
    this.isRunning = true;
    try {
      for (const row of this.rows) {
        if (this.dueAt(row) <= this.deps.clock.now() && accountKey !== undefined) {
          await this.end(accountKey, row);
        }
      }
    } finally {
      this.isRunning = false;
      this.plan();
    }
  }

  private async end(accountKey: string, row: SharedAccess): Promise<void> {
    const { accounts, clock, fleet, log, isSameKey } = this.deps;
    const { active } = accounts;
    if (active?.key !== accountKey) {
      return;
    }
    const { id, instanceId, publicKey } = row;
    const isGone = fleet.hasEnded(instanceId);
    try {
      if (!isGone) {
        const isIt = (other: string) => isSameKey(other, publicKey);
        await takeKeyBack(active.client.instances, instanceId, isIt, { ...agreedBefore, isUnasked: true });
      }
      await this.forget(accountKey, id);
      if (!isGone) {
        this.tell(accountKey, row, true);
      }
    } catch (error) {
      const tries = this.failures.get(id)?.tries ?? 0;
      const pause = Math.min(firstPauseMs * 2 ** tries, longestPauseMs);
      this.failures.set(id, { tries: tries + 1, nextAt: clock.now() + pause });
      log.warn(`The key of another user could not be taken off instance ${instanceId}: ${String(error)}`);
      if (!isCancelled(error)) {
        this.tell(accountKey, row, false);
      }
    }
  }

  private tell(accountKey: string, { id, instanceId, name, endsAt }: SharedAccess, isOver: boolean): void {
    const key = `${accountKey}:shared:${id}:${endsAt ?? 0}:${isOver ? 'over' : 'failed'}`;
    this.deps.notices.post({ key, accountKey, kind: sharedNoticeKind, data: { instanceId, name, isOver } });
  }
}
