import { join } from 'node:path';
import * as z from 'zod';
import {
  beginStartWatch,
  observe,
  troubleOf,
  startWatchShape,
  type StartLimits,
  type Trouble,
  type StartWatch,
} from '../../model/rentals/startWatch';
import { startCauseOf } from '../../model/instances/instanceState';
import { followAccount } from '../../shared/followAccount';
import { channel } from '../../shared/channel';
import type { OneWindow } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import { DestroyedAgain } from '../instances/destroyedAgain';
import type { FleetStore } from '../instances/fleet';
import { JsonFile } from '../jsonFile';
import type { Accounts, FleetSnapshot, WindowHub } from '../ports';
import type { RentalStore } from './rentalStore';
import { PriceGuard } from './priceGuard';
import { startEvent, type StartEvent } from './startEvent';

export interface StartWatches extends Disposable {
  /** Machines on their way, the same in all windows. */
  readonly watches: readonly StartWatch[];
  readonly onDidChange: Event<readonly StartWatch[]>;
  readonly onDidHappen: Event<StartEvent>;
  /** Stops looking after a machine and keeps it. */
  stopWatching(instanceId: number): Promise<void>;
}

export interface StartWatchesDeps {
  readonly accounts: Accounts;
  readonly fleet: FleetStore;
  readonly rentals: RentalStore;
  readonly hub: WindowHub;
  readonly oneWindow: Pick<OneWindow, 'offer'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly storageDir: string;
  /** Asked at each look, so that a changed setting counts at once. */
  readonly limits: () => StartLimits;
}

export function createStartWatches(deps: StartWatchesDeps): StartWatches {
  return new SharedStartWatches(deps);
}

/** How long after it happened something is still worth telling. */
const untoldMs = 10 * 60_000;

const states = channel(
  'readiness.state',
  z.object({ accountKey: z.string(), watches: z.array(startWatchShape) }),
);
const stops = channel('readiness.stop', z.number());
const events = channel('readiness.event', z.object({ key: z.string(), event: startEvent }));
const readinessFile = z.object({
  version: z.literal(1),
  watches: z.array(startWatchShape),
  /** The trouble that was told of a machine, so that it is told once. */
  troubles: z.array(z.tuple([z.number(), z.string()])),
  /** When the start or reboot was asked for that is or was watched. */
  begun: z.array(z.tuple([z.number(), z.number()])),
});

class SharedStartWatches implements StartWatches {
  private readonly owned = new DisposableStore();
  private readonly changed: Emitter<readonly StartWatch[]>;
  private readonly happened: Emitter<StartEvent>;
  private readonly prices: PriceGuard;
  private readonly destroyed: DestroyedAgain;
  private byInstance = new Map<number, StartWatch>();
  private troubles = new Map<number, string>();
  private begun = new Map<number, number>();
  private accountKey: string | undefined;
  private loaded: Promise<void> = Promise.resolve();
  private queue: Promise<void> = Promise.resolve();
  /** What was marked before this window led, and is told by now. */
  private readonly caughtUp = new Set<string>();

  constructor(private readonly deps: StartWatchesDeps) {
    this.changed = this.owned.add(
      new Emitter((error: unknown) => {
        deps.log.error('A listener of the readiness failed', error);
      }),
    );
    this.happened = this.owned.add(
      new Emitter((error: unknown) => {
        deps.log.error('A listener of what happened to a machine failed', error);
      }),
    );
    this.destroyed = new DestroyedAgain({ ...deps, tell: (key, found) => this.tell(key, found) });
    this.prices = new PriceGuard({
      ...deps,
      tell: (found) => {
        this.tell(`tooDear:${found.instanceId}`, { kind: 'tooDear', ...found });
      },
      accept: ({ marker }) => deps.rentals.update(marker, { mostPerHour: undefined }),
    });
    this.listen();
  }

  get watches(): readonly StartWatch[] {
    return [...this.byInstance.values()].sort((a, b) => a.since - b.since);
  }

  get onDidChange() {
    return this.changed.event;
  }

  get onDidHappen() {
    return this.happened.event;
  }

  async stopWatching(instanceId: number): Promise<void> {
    const rental = this.deps.rentals.find(instanceId);
    if (rental?.phase.kind === 'waiting') {
      await this.deps.rentals.update(rental.marker, { phase: { kind: 'ended', instanceId } });
    }
    stops.send(this.deps.hub, instanceId);
    await this.stopHere(instanceId);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private listen(): void {
    const { accounts, fleet, hub } = this.deps;
    this.owned.add(
      followAccount(accounts, (account) => {
        this.beginAgain(account?.key);
      }),
    );
    this.owned.add(
      fleet.onDidPoll((snapshot) => {
        const { accountKey } = this;
        this.enqueue(() => this.look(snapshot, accountKey));
      }),
    );
    this.owned.add(
      states.on(hub, ({ accountKey, watches }) => {
        if (accountKey === this.accountKey) {
          this.byInstance = new Map(watches.map((one) => [one.instanceId, one]));
          this.changed.fire(this.watches);
        }
      }),
    );
    this.owned.add(
      stops.on(hub, (instanceId) => {
        this.enqueue(() => this.stopHere(instanceId));
      }),
    );
    this.owned.add(events.on(hub, (found) => this.offer(found)));
    this.owned.add(
      hub.onDidChangeLeader((leads) => {
        if (leads && this.accountKey !== undefined) {
          this.loaded = this.load(this.accountKey);
        }
      }),
    );
  }

  /** `key` is the same for the same event in all windows and after a restart. */
  private tell(key: string, event: StartEvent): void {
    const found = { key: `${this.accountKey ?? ''}:${key}`, event };
    events.send(this.deps.hub, found);
    this.offer(found);
  }

  private offer({ key, event }: { readonly key: string; readonly event: StartEvent }): void {
    this.deps.oneWindow.offer(key, () => {
      this.happened.fire(event);
    });
  }

  private enqueue(action: () => Promise<void>): void {
    this.queue = this.queue.then(action).catch((error: unknown) => {
      this.deps.log.error('The machines on their way could not be looked at', error);
    });
  }

  private async stopHere(instanceId: number): Promise<void> {
    if (this.byInstance.delete(instanceId)) {
      this.changed.fire(this.watches);
      await this.save();
    }
  }

  /** One look at everything, in the window that read the list. */
  private async look(snapshot: FleetSnapshot, accountKey: string | undefined): Promise<void> {
    await this.loaded;
    const now = this.deps.clock.now();
    if (accountKey !== this.accountKey) {
      return;
    }
    this.tellUntold();
    this.beginWatches();
    for (const one of this.watches) {
      if (accountKey !== this.accountKey) {
        // A list of one account says nothing about the machines of another.
        return;
      }
      await this.lookAt(one, now);
    }
    for (const { id } of snapshot.instances) {
      this.lookForTrouble(id, now);
    }
    await this.save();
    this.changed.fire(this.watches);
    if (accountKey !== undefined) {
      states.send(this.deps.hub, { accountKey, watches: [...this.watches] });
    }
  }

  /** Rentals that wait, and starts and reboots of ours that have not come to an end. */
  private beginWatches(): void {
    for (const rental of this.deps.rentals.rentals) {
      const { phase } = rental;
      const instance = phase.kind === 'waiting' ? this.deps.fleet.find(phase.instanceId) : undefined;
      if (instance) {
        this.prices.look(rental, instance);
      }
      if (phase.kind === 'waiting' && !this.byInstance.has(phase.instanceId)) {
        this.byInstance.set(phase.instanceId, beginStartWatch(phase.instanceId, 'rent', phase.since));
      }
    }
    const { state } = this.deps.fleet;
    for (const { id } of state.kind === 'ready' ? state.value.instances : []) {
      const request = this.deps.fleet.facts(id).lastRequest;
      const cause = startCauseOf(request);
      if (request && cause && this.begun.get(id) !== request.at) {
        this.begun.set(id, request.at);
        this.byInstance.set(id, beginStartWatch(id, cause, request.at));
      }
    }
  }

  private async lookAt(before: StartWatch, now: number): Promise<void> {
    const { fleet, rentals } = this.deps;
    const { instanceId } = before;
    const facts = fleet.facts(instanceId);
    const instance = fleet.find(instanceId) ?? (fleet.hasEnded(instanceId) ? 'ended' : undefined);
    const step = observe(before, instance, facts, now, this.deps.limits());
    this.byInstance.set(instanceId, step.watch);
    const { message } = step.watch;
    const words = message === undefined ? {} : { message };
    const key = `${instanceId}:${before.since}`;
    if (step.becameLong === true) {
      this.tell(`long:${key}`, { kind: 'long', instanceId, ...words });
    }
    if (!step.outcome) {
      return;
    }
    this.byInstance.delete(instanceId);
    const known = rentals.find(instanceId);
    const rental = known && (await rentals.reread(known.marker));
    const marker = rental?.phase.kind === 'waiting' ? rental.marker : undefined;
    if (before.cause === 'rent' && rental && marker === undefined) {
      // Another window has seen what became of it, and told it.
      return;
    }
    const { outcome } = step;
    switch (outcome.kind) {
      case 'ready':
        await this.mark(marker, { kind: 'ready', instanceId, at: now });
        this.tell(`ready:${key}`, { kind: 'ready', instanceId });
        break;
      case 'failed': {
        const { reason, hadData } = outcome;
        // What the failure says is not said again as trouble.
        this.troubles.set(instanceId, this.troubleNow(instanceId, now) ?? reason);
        await this.mark(marker, { kind: 'failed', instanceId, at: now, reason, hadData, ...words });
        this.tell(`failed:${key}`, { kind: 'failed', instanceId, reason, hadData, ...words });
        break;
      }
      case 'ended':
        await this.mark(marker, { kind: 'ended', instanceId });
        break;
    }
  }

  private async mark(
    marker: string | undefined,
    phase: Parameters<RentalStore['update']>[1]['phase'],
  ): Promise<void> {
    if (marker !== undefined && phase !== undefined) {
      await this.deps.rentals.update(marker, { phase }).catch((error: unknown) => {
        // The user hears of it all the same.
        this.deps.log.error(`What became of ${marker} could not be noted`, error);
      });
    }
  }

  private lookForTrouble(instanceId: number, now: number): void {
    const instance = this.deps.fleet.find(instanceId);
    const facts = this.deps.fleet.facts(instanceId);
    if (!instance || this.byInstance.has(instanceId)) {
      return;
    }
    if (this.destroyed.look(instance, facts.lastRequest, now)) {
      return;
    }
    const trouble = this.troubleNow(instanceId, now);
    if (trouble === undefined) {
      if (instance.actualStatus === 'running') {
        this.troubles.delete(instanceId);
      }
    } else if (this.troubles.get(instanceId) !== trouble) {
      this.troubles.set(instanceId, trouble);
      this.tell(`trouble:${instanceId}:${trouble}:${now}`, { kind: 'trouble', instanceId, trouble });
    }
  }

  private troubleNow(instanceId: number, now: number): Trouble | undefined {
    const instance = this.deps.fleet.find(instanceId);
    return instance && troubleOf(instance, this.deps.fleet.facts(instanceId), now);
  }

  /** What a window that is gone marked and did not live to tell. */
  private tellUntold(): void {
    const now = this.deps.clock.now();
    for (const { phase, requestedAt } of this.deps.rentals.rentals) {
      if ((phase.kind === 'ready' || phase.kind === 'failed') && now - phase.at < untoldMs) {
        const { kind, instanceId } = phase;
        const key = `${kind}:${instanceId}:${requestedAt}`;
        if (this.caughtUp.has(key)) {
          continue;
        }
        this.caughtUp.add(key);
        if (phase.kind === 'ready') {
          this.tell(key, { kind: 'ready', instanceId });
        } else {
          const { reason, message, hadData = true } = phase;
          const words = message === undefined ? {} : { message };
          this.tell(key, { kind: 'failed', instanceId, reason, hadData, ...words });
        }
      }
    }
  }

  private beginAgain(key: string | undefined): void {
    this.accountKey = key;
    this.byInstance = new Map();
    this.troubles = new Map();
    this.begun = new Map();
    this.changed.fire([]);
    this.loaded = key === undefined ? Promise.resolve() : this.load(key);
  }

  private file(accountKey: string) {
    return new JsonFile(join(this.deps.storageDir, 'readiness', `${accountKey}.json`), readinessFile);
  }

  private async load(accountKey: string): Promise<void> {
    try {
      const content = await this.file(accountKey).read();
      if (content.kind === 'present' && accountKey === this.accountKey) {
        this.byInstance = new Map(content.value.watches.map((one) => [one.instanceId, one]));
        this.troubles = new Map(content.value.troubles);
        this.begun = new Map(content.value.begun);
        this.changed.fire(this.watches);
      }
    } catch (error) {
      this.deps.log.error('The machines on their way could not be read', error);
    }
  }

  private async save(): Promise<void> {
    if (this.accountKey === undefined || !this.deps.hub.isLeader) {
      return;
    }
    await this.file(this.accountKey).write({
      version: 1,
      watches: [...this.watches],
      troubles: [...this.troubles],
      begun: [...this.begun],
    });
  }
}
