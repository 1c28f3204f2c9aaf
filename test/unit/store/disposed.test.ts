import assert from 'node:assert/strict';
import { join } from 'node:path';
import { RentalHistory } from '../../../src/history/store/rentalHistory';
import { guardedRental } from '../../../src/jobs/guardedRental';
import { JobFiles } from '../../../src/jobs/store/jobFiles';
import { Jobs } from '../../../src/jobs/store/jobs';
import { InstanceSchedules } from '../../../src/schedules/store/instanceSchedules';
import { OtherAccountSchedules } from '../../../src/schedules/store/otherAccountSchedules';
import { ScheduleFiles } from '../../../src/schedules/store/scheduleFiles';
import { ScheduleRunner } from '../../../src/schedules/store/scheduleRunner';
import { TimerProofs } from '../../../src/schedules/store/timerProofs';
import { AccountCleanup } from '../../../src/store/accounts/accountCleanup';
import { createAccounts } from '../../../src/store/accounts/accounts';
import { KeyAccess } from '../../../src/store/accounts/keyAccess';
import { SecondFactorGate } from '../../../src/store/accounts/secondFactor';
import { WindowInUse } from '../../../src/store/accounts/windowInUse';
import { BudgetStops } from '../../../src/store/budget/budgetStops';
import { BudgetStore } from '../../../src/store/budget/budgetStore';
import { createFleet } from '../../../src/store/instances/fleet';
import { GaugeHistory } from '../../../src/store/instances/gaugeHistory';
import { IdleWatch, openUsageFile } from '../../../src/store/instances/idleWatch';
import { KeptLogs } from '../../../src/store/instances/keptLogs';
import { PriceWatch } from '../../../src/store/instances/priceWatch';
import { SearchBudget } from '../../../src/store/offers/searchBudget';
import { SearchWatches } from '../../../src/store/offers/searchWatches';
import { createRentals } from '../../../src/store/rentals/rentals';
import { createStartWatches } from '../../../src/store/rentals/startWatches';
import { createTemplateStores } from '../../../src/store/templates/templateStores';
import { ConnectedWindows } from '../../../src/store/windows/connectedWindows';
import { Notices } from '../../../src/store/windows/notices';
import { Presence } from '../../../src/store/windows/presence';
import { SharedPacing } from '../../../src/store/windows/sharedPacing';
import type { Disposable } from '../../../src/util/disposable';
import { Emitter } from '../../../src/util/emitter';
import { silentLog as log } from '../../../src/util/log';
import { anInstance } from '../../support/builders';
import { CountedListeners } from '../../support/countedListeners';
import { FakeService } from '../../support/fakeService';
import { FakeComputer, noBudget } from '../../support/fakeWindows';
import { secretParts } from '../../support/keptSecrets';

const limits = () => ({ warnPercent: 80, stopsAll: false });
const never = () => Promise.reject(new Error('nothing is asked'));

describe('What is disposed of', () => {
  let computer: FakeComputer;
  let listeners: CountedListeners;
  beforeEach(async () => {
    const service = new FakeService();
    service.instances = [anInstance({ id: 5001, actualStatus: 'running', intendedStatus: 'running' })];
    computer = await FakeComputer.make(service.client);
    listeners = new CountedListeners();
  });
  afterEach(() => computer.dispose());

  /** What everything is made of; whoever listens to it is counted. */
  async function parts() {
    const window = await computer.openSignedIn();
    const { clock, storageDir, secrets } = computer;
    const { owned } = window;
    const counted = <T extends object>(target: T) => listeners.of(target);
    const [accounts, fleet] = [counted(window.accounts), counted(window.fleet)];
    const [hub, rentals] = [counted(window.hub), counted(window.rentals)];
    const schedules = counted(
      owned.add(new InstanceSchedules({ accounts: window.accounts, hub: window.hub, clock, log, storage })),
    );
    const presence = counted(owned.add(new Presence({ hub: window.hub, clock })));
    const notices = owned.add(new Notices(window.hub));
    const logs = new KeptLogs({ storageDir, clock, log, redact: (text) => text });
    const focus = counted({ isFocused: true, onDidChange: new Emitter<boolean>().event });
    const use = {
      presence,
      aliasOf: () => 'gpu-7',
      file: (key: string) => openUsageFile(storageDir, key, log),
    };
    const idle = counted(owned.add(new IdleWatch({ ...window, ...use, clock, log })));
    const budgetOf = () => counted(owned.add(new BudgetStore({ ...window, ...budgetParts(), clock, log })));
    const shared = {
      budgetOf,
      accounts,
      fleet,
      hub,
      rentals,
      clock,
      log,
      storageDir,
      secrets,
      notices,
      schedules,
    };
    return { ...shared, presence, logs, focus, use, idle, storage };

    function storage(accountKey: string) {
      return new ScheduleFiles(join(storageDir, 'accounts', accountKey, 'schedules'), log);
    }
  }
  type Parts = Awaited<ReturnType<typeof parts>>;

  for (const [what, make] of [
    ['AccountCleanup', (one) => new AccountCleanup({ ...one, secretKeys: [] })],
    ['Accounts', (one) => createAccounts({ ...one, createClient: () => new FakeService().client })],
    ['BudgetStore', (one) => new BudgetStore({ ...one, ...budgetParts() })],
    ['BudgetStops', (one) => new BudgetStops({ ...one, budget: one.budgetOf() })],
    ['ConnectedWindows', ({ hub }) => new ConnectedWindows(hub)],
    ['Fleet', (one) => createFleet({ ...one, random: () => 0.5 })],
    ['GaugeHistory', (one) => new GaugeHistory(one)],
    ['IdleWatch', (one) => new IdleWatch({ ...one, ...one.use })],
    ['InstanceSchedules', (one) => new InstanceSchedules(one)],
    ['Jobs', (one) => new Jobs({ ...one, storage: (key) => jobFiles(one, key) })],
    ['KeyAccess', (one) => new KeyAccess(one)],
    ['ScheduleRunner', (one) => new ScheduleRunner({ ...one, kernelUse: never })],
    ['Notices', ({ hub }) => new Notices(hub)],
    ['OtherAccountSchedules', (one) => new OtherAccountSchedules(otherAccountParts(one))],
    ['Presence', (one) => new Presence(one)],
    ['PriceWatch', (one) => new PriceWatch(one)],
    [
      'RentalHistory',
      (one) => new RentalHistory({ ...one, keptLogs: one.logs, work: { rentedByAgents: none } }),
    ],
    ['Rentals', (one) => createRentals({ ...one, budget: noBudget, guarded: guardedRental })],
    ['SearchBudget', ({ clock, hub }) => new SearchBudget(clock, hub)],
    ['SearchWatches', (one) => new SearchWatches({ ...one, budget: new SearchBudget(one.clock, silentHub) })],
    ['SecondFactorGate', ({ hub, focus, clock }) => new SecondFactorGate(hub, focus, clock)],
    ['SharedPacing', (one) => new SharedPacing({ ...one, isInFront: () => true })],
    ['StartWatches', (one) => createStartWatches(startParts(one))],
    ['TemplateStores', (one) => createTemplateStores(templateParts(one))],
    ['TimerProofs', (one) => new TimerProofs({ ...one, ...one.use, check: never })],
    ['WindowInUse', ({ hub, focus, clock }) => new WindowInUse(focus, hub, clock)],
  ] as readonly [string, (one: Parts) => Disposable][]) {
    it(`receives no events and waits for nothing: ${what}`, async () => {
      const all = await parts();
      await computer.clock.advance(0);
      listeners.count = 0;
      const { pending } = computer.clock;
      const made = make(all);
      await computer.clock.advance(0);
      assert.ok(listeners.count > 0, 'it listens');
      made.dispose();
      await computer.clock.advance(0);
      assert.equal(listeners.count, 0);
      assert.equal(computer.clock.pending, pending);
    });
  }
});

const silentHub = { broadcast: () => undefined, on: () => ({ dispose: () => undefined }) };
const none = () => Promise.resolve(new Map<number, string>());

function budgetParts() {
  const volumes = { state: { kind: 'idle' as const }, onDidChange: new Emitter<never>().event };
  return { volumes, limits, onDidChangeLimits: new Emitter<void>().event };
}

function jobFiles({ storageDir, clock }: { storageDir: string; clock: { now(): number } }, key: string) {
  return new JobFiles(join(storageDir, 'accounts', key, 'jobs'), log, () => clock.now());
}

function otherAccountParts<T extends { readonly use: U }, U>(one: T) {
  const lastListed = () => Promise.resolve({ instances: [], fetchedAt: 0 });
  return { ...one, kernelUse: never, check: never, noteDestroyed: never, idle: one.use, lastListed };
}

function startParts<T extends object>(one: T) {
  return {
    ...one,
    oneWindow: { offer: () => undefined },
    limits: () => ({ timeoutMs: 60_000, checksLogin: false }),
    checks: { check: never, keep: never },
  };
}

function templateParts<T extends Pick<FakeComputer, 'secrets' | 'storageDir'>>(one: T) {
  return { ...one, ...secretParts(one.secrets, one.storageDir, log), windowName: 'first' };
}
