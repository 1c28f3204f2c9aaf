import * as z from 'zod';
import type { Instance } from '../../model/instances/instance';
import { startCauseOf } from '../../model/instances/instanceState';
import type { CheckResult } from '../../model/rentals/machineCheck';
import {
  beginStartWatch,
  isUnderWay,
  observe,
  startWatchShape,
  type StartWatch,
} from '../../model/rentals/startWatch';
import { channel } from '../../shared/channel';
import { followAccount } from '../../shared/followAccount';
import { DisposableStore } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { accountPath } from '../accounts/accountFiles';
import { JsonFile, KeptFile } from '../disk/jsonFile';
import type { FleetSnapshot } from '../instances/fleetStore';
import { CheckRuns, type Checked } from './checkRuns';
import { PriceGuard } from './priceGuard';
import type { Rental } from './rentalStore';
import { ifWaiting, lateness, StartNews, StartOutcomes, Troubles } from './startOutcomes';
import type { StartWatches, StartWatchesDeps } from './startWatchPort';

export function createStartWatches(deps: StartWatchesDeps): StartWatches {
  return new SharedStartWatches(deps);
}

const states = channel(
  'readiness.state',
  z.object({ accountKey: z.string(), watches: z.array(startWatchShape) }),
);
const stops = channel('readiness.stop', z.number());

class SharedStartWatches implements StartWatches {
  private readonly owned = new DisposableStore();
  private readonly changed: Emitter<readonly StartWatch[]>;
  private readonly news: StartNews;
  private readonly prices: PriceGuard;
  /** Those whose start has failed stay until they run or are gone. */
  private byInstance = new Map<number, StartWatch>();
  private readonly troubles: Troubles;
  private readonly outcomes: StartOutcomes;
  private readonly checks: CheckRuns;
  private begun = new Map<number, number>();
  private accountKey: string | undefined;
  private file: ReturnType<typeof readinessFile> | undefined;
  private loaded: Promise<void> = Promise.resolve();
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly deps: StartWatchesDeps) {
    this.changed = this.owned.add(
      new Emitter((error: unknown) => {
        deps.log.error('A listener of the readiness failed', error);
      }),
    );
    this.news = this.owned.add(
      new StartNews({
        ...deps,
        accountKey: () => this.accountKey,
        // One that runs may still be checked, by a file that the disk refuses.
        isFollowed: (id) =>
          this.find(id) !== undefined ||
          (this.file?.isRefused === true && deps.rentals.find(id)?.phase.kind === 'ready'),
      }),
    );
    this.prices = new PriceGuard({
      ...deps,
      notify: (found) => {
        this.news.deliver(`tooDear:${found.instanceId}`, { kind: 'tooDear', ...found });
      },
      accept: ({ marker }) => deps.rentals.update(marker, { mostPerHour: undefined }),
    });
    this.troubles = new Troubles({
      ...deps,
      deliver: (key, event) => {
        this.news.deliver(key, event);
      },
    });
    this.outcomes = new StartOutcomes({ ...deps, news: this.news, troubles: this.troubles });
    this.checks = this.owned.add(
      new CheckRuns({
        ...deps,
        onProgress: (checked, check) => {
          this.enqueue(() => this.changeWatch(checked, (watch) => ({ ...watch, check })));
        },
        onResult: (checked, result) => {
          this.enqueue(() => this.endCheck(checked, result));
        },
      }),
    );
    this.listen();
  }

  get watches(): readonly StartWatch[] {
    return this.all.filter(isUnderWay);
  }

  private get all(): readonly StartWatch[] {
    return [...this.byInstance.values()].sort((a, b) => a.since - b.since);
  }

  find(instanceId: number): StartWatch | undefined {
    const watch = this.byInstance.get(instanceId);
    return watch && isUnderWay(watch) ? watch : undefined;
  }

  get onDidChange() {
    return this.changed.event;
  }

  get onDidHappen() {
    return this.news.onDidHappen;
  }

  async stopWatching(instanceId: number): Promise<void> {
    const { rentals } = this.deps;
    const rental = rentals.find(instanceId);
    if (rental) {
      await rentals.update(rental.marker, ifWaiting({ kind: 'ended', instanceId }));
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
        this.enqueue(() => this.check(snapshot, accountKey));
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
    this.owned.add(
      hub.onDidChangeLeader((leads) => {
        if (leads && this.file) {
          this.loaded = this.load(this.file);
        }
        this.enqueue(() => this.loaded.then(() => this.syncChecks()));
      }),
    );
  }

  private enqueue(action: () => Promise<void>): void {
    this.queue = this.queue.then(action).catch((error: unknown) => {
      this.deps.log.error('The machines on their way could not be looked at', error);
    });
  }

  private async stopHere(instanceId: number): Promise<void> {
    const watch = this.byInstance.get(instanceId);
    if (watch && this.byInstance.delete(instanceId)) {
      this.syncChecks();
      // It already runs, which would be reported without a watch.
      this.news.markDelivered(`ready:${instanceId}:${watch.since}`);
      this.changed.fire(this.watches);
      await this.save();
    }
  }

  /** Only the leading window logs in. */
  private syncChecks(): void {
    const wanted = this.deps.hub.isLeader ? this.watches : [];
    this.checks.sync(wanted.flatMap(({ check, ...watch }) => (check ? [{ ...watch, check }] : [])));
  }

  /** Leaves a watch alone that was replaced or removed in between. */
  private async changeWatch(
    { instanceId, since }: Checked,
    change: (watch: StartWatch) => StartWatch | undefined,
  ): Promise<void> {
    const watch = this.byInstance.get(instanceId);
    if (watch?.since !== since || !watch.check) {
      return;
    }
    const changed = change(watch);
    if (changed) {
      this.byInstance.set(instanceId, changed);
    } else {
      this.byInstance.delete(instanceId);
    }
    await this.share();
  }

  private async endCheck(checked: Checked, check: CheckResult): Promise<void> {
    await this.deps.checks.keep(checked.instanceId, check);
    await this.changeWatch(checked, (watch) => {
      const { instanceId, since } = checked;
      const late = lateness(watch);
      // A machine that stopped running is reported as trouble.
      if (this.deps.fleet.find(instanceId)?.actualStatus === 'running') {
        this.news.deliver(`ready:${instanceId}:${since}`, { kind: 'ready', instanceId, check, ...late });
      } else {
        this.news.markDelivered(`ready:${instanceId}:${since}`);
      }
      return undefined;
    });
  }

  /** Checks everything once, in the window that read the list. */
  private async check(snapshot: FleetSnapshot, accountKey: string | undefined): Promise<void> {
    await this.loaded;
    if (this.file?.isRefused === true) {
      await this.load(this.file, this.troubles.export());
    }
    const now = this.deps.clock.now();
    if (accountKey !== this.accountKey) {
      return;
    }
    this.news.deliverUnreported();
    this.beginWatches();
    for (const one of this.all) {
      if (accountKey !== this.accountKey) {
        // The list of one account does not contain the machines of another.
        return;
      }
      await this.checkWatch(one, now);
    }
    for (const { id } of snapshot.instances) {
      if (!this.find(id)) {
        this.troubles.check(id);
      }
    }
    this.syncChecks();
    await this.share();
  }

  /** Shares the watches with the disk, the views of this window and the other windows. */
  private async share(): Promise<void> {
    const { accountKey } = this;
    await this.save();
    this.changed.fire(this.watches);
    if (accountKey !== undefined) {
      states.send(this.deps.hub, { accountKey, watches: [...this.all] });
    }
  }

  /** Starts watches for waiting rentals, and for our unfinished starts and reboots. */
  private beginWatches(): void {
    for (const rental of this.deps.rentals.rentals) {
      const { phase } = rental;
      this.holdPrice(rental);
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

  /** Checks the price of a machine that was rented as stopped, or that the user does not wait for. */
  private holdPrice(rental: Rental): void {
    const { phase } = rental;
    const isHeld = phase.kind === 'waiting' || phase.kind === 'ready' || phase.kind === 'ended';
    const instance = isHeld && phase.instanceId !== undefined ? this.record(phase.instanceId) : undefined;
    if (instance) {
      this.prices.check(rental, instance, this.byInstance.get(instance.id));
    }
  }

  /** Returns the service's record of an instance; an expected instance has no progress. */
  private record(instanceId: number): Instance | undefined {
    const instance = this.deps.fleet.find(instanceId);
    return instance?.isExpected === true ? undefined : instance;
  }

  private async checkWatch(watch: StartWatch, now: number): Promise<void> {
    const { fleet, rentals } = this.deps;
    const { instanceId } = watch;
    const known = rentals.find(instanceId);
    // Another window may have reported the failure.
    const before = known ? withFailure(watch, known) : watch;
    const facts = fleet.facts(instanceId);
    const instance = this.record(instanceId) ?? (fleet.hasEnded(instanceId) ? 'ended' : undefined);
    const step = observe(before, instance, facts, now, this.deps.limits());
    this.byInstance.set(instanceId, step.watch);
    const runsNow = step.watch.check !== undefined && before.check === undefined;
    if (!step.outcome && !runsNow) {
      return;
    }
    const rental = known && (await rentals.reread(known.marker));
    const kind = rental?.phase.kind;
    const isOpen = kind === 'waiting' || (kind === 'failed' && before.failed !== undefined);
    const marker = isOpen ? rental?.marker : undefined;
    const isDecided = before.cause === 'rent' && !before.check && rental && marker === undefined;
    if (isDecided && kind === 'failed') {
      this.byInstance.set(instanceId, withFailure(before, rental));
    } else if (isDecided || (step.outcome && step.outcome.kind !== 'failed')) {
      this.byInstance.delete(instanceId);
    }
    if (isDecided) {
      // Another window has seen the outcome and reported it.
      return;
    }
    if (step.outcome) {
      await this.outcomes.settle(step.outcome, {
        watch: before,
        marker,
        message: step.watch.message,
        at: now,
      });
    } else {
      // The service has done its part; the remaining proof needs no request to it.
      await this.outcomes.mark(marker, { kind: 'ready', instanceId, at: now });
    }
  }

  private beginAgain(key: string | undefined): void {
    this.accountKey = key;
    this.byInstance = new Map();
    this.troubles.import([]);
    this.begun = new Map();
    this.syncChecks();
    this.changed.fire([]);
    this.file = key === undefined ? undefined : readinessFile(this.deps.storageDir, key, this.deps.log);
    this.loaded = this.file ? this.load(this.file) : Promise.resolve();
  }

  private async load(
    file: ReturnType<typeof readinessFile>,
    reported: ReturnType<Troubles['export']> = [],
  ): Promise<void> {
    const content = await file.read();
    if (content && file === this.file) {
      this.byInstance = new Map(content.watches.map((one) => [one.instanceId, one]));
      this.troubles.import([...content.troubles, ...reported]);
      this.begun = new Map(content.begun);
      this.changed.fire(this.watches);
    }
  }

  private async save(): Promise<void> {
    if (!this.deps.hub.isLeader) {
      return;
    }
    await this.file?.write({
      version: 1,
      watches: [...this.all],
      troubles: this.troubles.export(),
      begun: [...this.begun],
    });
  }
}

/** Returns the watch of a rented machine with the failure that its rental records. */
function withFailure(watch: StartWatch, { phase }: Rental): StartWatch {
  const isNew = watch.cause === 'rent' && watch.failed === undefined && watch.check === undefined;
  return isNew && phase.kind === 'failed' ? { ...watch, failed: phase.reason } : watch;
}

const readinessContent = z.object({
  version: z.literal(1),
  watches: z.array(startWatchShape),
  /** Troubles that were reported, so that each is reported once. */
  troubles: z.array(z.tuple([z.number(), z.string()])),
  /** When each watched start or reboot was requested. */
  begun: z.array(z.tuple([z.number(), z.number()])),
});

/** Returns the file in which an account's starting machines survive a restart. */
function readinessFile(storageDir: string, accountKey: string, log: Log) {
  const file = new JsonFile(accountPath(storageDir, accountKey, 'readiness.json'), readinessContent, log);
  return new KeptFile(file, log, 'The machines on their way could not be read');
}
