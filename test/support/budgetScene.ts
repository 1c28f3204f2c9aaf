import type { Charge } from '../../src/model/accounts/charge';
import type { BudgetLimits } from '../../src/model/budget/budget';
import type { Instance } from '../../src/model/instances/instance';
import { fromDollars } from '../../src/model/money';
import { BudgetStops, type BudgetStopsDeps } from '../../src/store/budget/budgetStops';
import { BudgetStore, type BudgetDeps } from '../../src/store/budget/budgetStore';
import { stopNotice, type StopNotice } from '../../src/store/budget/stopNotice';
import { Notices, type Notice } from '../../src/store/windows/notices';
import { Emitter } from '../../src/util/emitter';
import { silentLog } from '../../src/util/log';
import { anInstance } from './builders';
import { FakeService } from './fakeService';
import { FakeComputer, type FakeWindow } from './fakeWindows';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Machines at a dollar an hour and ten cents for storage, with a service that charges for them by its own clock. */
export class BudgetScene {
  readonly service = new FakeService();
  limits: BudgetLimits = { warnPercent: 80, stopsAll: true, day: fromDollars(3) };
  readonly limitsChanged = new Emitter<void>();
  /** How far charges lag behind, in milliseconds. */
  lagMs = 0;
  /** What the service lists instead of its charges. */
  distort: (charges: readonly Charge[]) => readonly Charge[] = (charges) => charges;
  volumes: BudgetDeps['volumes']['state'] = { kind: 'idle' };
  private readonly begun: number;
  /** Milliseconds since the beginning at which machines were stopped. */
  private readonly stoppedAt = new Map<number, number>();

  private constructor(
    readonly ids: readonly number[],
    makeComputer: (service: FakeService) => Promise<FakeComputer>,
  ) {
    this.ready = makeComputer(this.service).then((computer) => {
      this.computer = computer;
    });
    this.begun = 0;
  }

  computer!: FakeComputer;
  private readonly ready: Promise<void>;

  static async make(ids: readonly number[] = [5001]): Promise<BudgetScene> {
    const scene = new BudgetScene(ids, (service) => FakeComputer.make(service.client));
    await scene.ready;
    const { service } = scene;
    service.instances = ids.map((id) => scene.instance(id));
    service.date = () => scene.serviceNow;
    service.charges = () => scene.distort(ids.flatMap((id) => scene.chargesOf(id)));
    service.before = () => {
      service.instances = service.instances.map((one) => scene.listed(one));
    };
    return scene;
  }

  /** The service's clock; nothing sets it. */
  get serviceNow(): number {
    return startMs + this.computer.clock.elapsed() - this.begun;
  }

  /** Dollars that the machines cost in the present day of UTC. */
  get spentToday(): number {
    const from = Math.floor(this.serviceNow / dayMs) * dayMs;
    return this.ids.reduce((sum, id) => sum + this.cost(id, from, this.serviceNow), 0);
  }

  /** What a window knows whose instances these are. */
  budgetOf(
    { accounts, hub, owned }: Pick<FakeWindow, 'accounts' | 'hub' | 'owned'>,
    fleet: BudgetDeps['fleet'],
  ): BudgetStore {
    return owned.add(
      new BudgetStore({
        accounts,
        fleet,
        volumes: { state: this.volumes, onDidChange: new Emitter<never>().event },
        hub,
        clock: this.computer.clock,
        log: silentLog,
        limits: () => this.limits,
        onDidChangeLimits: (listener) => this.limitsChanged.event(listener),
      }),
    );
  }

  /** Whether the window carries the stops of its budget out. */
  async open({
    hasStops = true,
    isSaving,
  }: { readonly hasStops?: boolean; readonly isSaving?: BudgetStopsDeps['isSaving'] } = {}) {
    const window = await this.computer.openSignedIn();
    const { accounts, fleet, hub, owned } = window;
    const { clock } = this.computer;
    const notices = owned.add(new Notices(hub));
    const budget = this.budgetOf(window, fleet);
    const posted: Notice[] = [];
    owned.add(notices.onDidPost((notice) => posted.push(notice)));
    if (hasStops) {
      owned.add(new BudgetStops({ accounts, budget, fleet, hub, notices, isSaving, clock, log: silentLog }));
    }
    await clock.advance(0);
    await fleet.refresh();
    const stopNotices = (): readonly StopNotice[] =>
      [...new Map(posted.map(({ key, data }) => [key, data])).values()].map((data) => stopNotice.parse(data));
    return { ...window, budget, stopNotices };
  }

  /** In steps that a list fits between. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 60_000) {
      await this.computer.clock.advance(Math.min(left, 60_000));
    }
  }

  private instance(id: number): Instance {
    return anInstance({
      id,
      actualStatus: 'running',
      intendedStatus: 'running',
      startedAt: startMs / 1000,
      totalPerHour: fromDollars(1),
      gpuPerHour: fromDollars(0.9),
      storagePerHour: fromDollars(0.1),
      storagePerMonth: fromDollars(72),
    });
  }

  /** As the list has it now. */
  private listed(one: Instance): Instance {
    if (one.intendedStatus === 'stopped') {
      if (!this.stoppedAt.has(one.id)) {
        this.stoppedAt.set(one.id, this.serviceNow);
      }
      return one;
    }
    return { ...one, uptimeMinutes: (this.serviceNow - startMs) / 60_000 };
  }

  private cost(id: number, fromMs: number, toMs: number): number {
    const stop = this.stoppedAt.get(id) ?? Infinity;
    const hours = (from: number, to: number) => Math.max(0, to - from) / hourMs;
    return hours(Math.max(fromMs, startMs), Math.min(stop, toMs)) + hours(Math.max(stop, fromMs), toMs) * 0.1;
  }

  private chargesOf(id: number): Charge[] {
    const until = this.serviceNow - this.lagMs;
    const charges: Charge[] = [];
    for (let from = startMs; from < until;) {
      const to = Math.min(until, (Math.floor(from / dayMs) + 1) * dayMs);
      charges.push({
        start: from / 1000,
        end: to / 1000,
        type: 'instance',
        source: `instance-${id}`,
        amount: fromDollars(this.cost(id, from, to)),
        items: [],
      });
      from = to;
    }
    return charges;
  }
}

/** The fake clock begins with this time of day. */
const startMs = Date.UTC(2026, 0, 15, 12);

export type BudgetWindow = Awaited<ReturnType<BudgetScene['open']>>;
