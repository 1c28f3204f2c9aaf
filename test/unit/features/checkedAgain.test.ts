import assert from 'node:assert/strict';
import { showAgentStatus } from '../../../src/agents/ui/oversight';
import { reportKeyTrouble, adaptToKey } from '../../../src/features/account/accountKey';
import { register as warnOfBudget } from '../../../src/features/budget';
import { registerConflicts } from '../../../src/features/documents/conflictCommands';
import { register as showInstances, tickFirstSteps } from '../../../src/features/instances';
import { register as warn } from '../../../src/features/warnings';
import { register as showHosting, ListAge } from '../../../src/hosting/ui/machines';
import { register as showJobs } from '../../../src/jobs/ui';
import { reportPresence } from '../../../src/jobs/ui/jobPresence';
import { showJobStatus } from '../../../src/jobs/ui/jobStatus';
import { watchPresence } from '../../../src/schedules/ui';
import { reportUnreadable } from '../../../src/schedules/ui/unreadableSchedules';
import { FakeClock, settle } from '../../support/fakeClock';
import { FakeEventEmitter } from '../../support/fakeEditor/events';
import type { Screen } from '../../support/fakeEditor/screen';
import { openScreen } from '../../support/onScreen';
import { only } from '../../support/only';

/** What tells of changes, by name, so that each can be told alone; what is looked at or done after one is noted. */
class Changes {
  private readonly emitters = new Map<string, FakeEventEmitter<unknown>>();
  readonly screen: Screen;
  readonly clock = new FakeClock();
  readonly done: unknown[] = [];
  /** Whether there has been a change, so that something differs from before. */
  isOther = false;

  constructor() {
    this.screen = openScreen();
  }

  get names(): readonly string[] {
    return [...this.emitters.keys()];
  }

  /** Something that tells of its changes, with what is to be read of it. */
  of(name: string, more: object = {}, event = 'onDidChange'): object {
    const emitter = new FakeEventEmitter<unknown>();
    this.emitters.set(name, emitter);
    // Settings are listened to by their section.
    const listen = (...args: unknown[]) => emitter.event(args.at(-1) as (value: unknown) => void);
    return Object.defineProperties({ [event]: listen }, Object.getOwnPropertyDescriptors(more));
  }

  async fire(name: string): Promise<void> {
    const emitter = this.emitters.get(name);
    assert.ok(emitter, `nothing is called ${name}`);
    await settle();
    this.done.splice(0);
    this.isOther = true;
    emitter.fire(undefined);
    await settle();
  }

  readonly note = (...what: readonly unknown[]): void => {
    this.done.push(what);
  };
}

const quiet = () => ({ dispose: () => undefined });
const quietItem = { set: () => undefined, owned: quiet };
const none = { onDidChange: quiet, onDidPost: quiet };
const ready = (instances: readonly object[]) => ({ kind: 'ready', value: { instances }, fetchedAt: 0 });

const cases: Readonly<Record<string, (of: Changes) => unknown>> = {
  'how often the list of instances is read': (of) => {
    const view = of.of('the view', { visible: false }, 'onDidChangeVisibility');
    const fleet = {
      setInterest: of.note,
      get state() {
        return ready(of.isOther ? [{ id: 7 }] : []);
      },
      facts: () => ({}),
    };
    const window = {
      get isFocused() {
        return of.isOther;
      },
    };
    return showInstances(
      only({
        ...{
          accounts: none,
          volumes: none,
          instanceGroups: { ...none, groups: [] },
          commands: { register: quiet },
        },
        ...{ rentals: { ...none, rentals: [] }, presence: none },
        ...{
          otherAccounts: () => Promise.resolve([]),
          contextKeys: { set: () => undefined },
          clock: of.clock,
        },
        fleet: of.of('the instances', fleet),
        trees: { 'gpuRental.instances': { setProvider: () => undefined, view } },
        settings: of.of('the settings', { get: () => true }),
        windowInUse: of.of('the window', window),
      }),
    );
  },
  'whether something is being rented': (of) => {
    const view = { visible: false, onDidChangeVisibility: quiet };
    return showInstances(
      only({
        ...{
          accounts: none,
          volumes: none,
          instanceGroups: { ...none, groups: [] },
          commands: { register: quiet },
        },
        ...{ presence: none, settings: { ...none, get: () => true } },
        ...{ otherAccounts: () => Promise.resolve([]), windowInUse: { ...none, isFocused: true } },
        fleet: { ...none, state: { kind: 'loading' }, setInterest: () => undefined },
        trees: { 'gpuRental.instances': { setProvider: () => undefined, view } },
        rentals: of.of('rentals', { rentals: [] }),
        contextKeys: { set: of.note },
      }),
    );
  },
  'the steps of the walkthrough': (of) => {
    const use = {
      get isAnyUsed() {
        return of.isOther;
      },
    };
    return tickFirstSteps(
      only({
        contextKeys: { set: of.note },
        fleet: of.of('the instances', { state: { kind: 'loading' } }),
        presence: of.of('the use', use),
        rentals: of.of('rentals', { rentals: [] }),
      }),
    );
  },
  'whether there are jobs': (of) => {
    const view = { visible: false, onDidChangeVisibility: quiet };
    const jobs = { rows: [], open: [], damaged: [], error: undefined, moves: none };
    return showJobs(
      only({
        jobs: of.of('the jobs', jobs),
        ...{ accounts: none, fleet: none, notices: none, clock: of.clock, commands: { register: quiet } },
        startWatches: { onDidHappen: quiet },
        ...{
          trees: { 'gpuRental.jobs': { setProvider: () => undefined, view } },
          contextKeys: { set: of.note },
        },
        ...{
          oneWindow: { offer: () => undefined },
          presence: { set: quiet },
          statusItem: quietItem,
          work: { add: quiet },
          workspaceParts: { add: quiet },
        },
      }),
    );
  },
  'jobs in the status bar': (of) => {
    const jobs = {
      get open() {
        of.note('looked');
        return [];
      },
    };
    const trees = { 'gpuRental.jobs': { view: {} } };
    return showJobStatus(
      only({ jobs: of.of('the jobs', jobs), clock: of.clock, trees, statusItem: quietItem }),
    );
  },
  'agents in the status bar': (of) => {
    const watch = {
      ...{ underWay: [], instances: [] },
      get pending() {
        of.note('looked');
        return [];
      },
    };
    return showAgentStatus(
      only(of.of('what agents do', watch)),
      only({ clock: of.clock, statusItem: quietItem }),
    );
  },
  'a key that can’t be used': (of) => {
    const accounts = {
      get state() {
        of.note('looked');
        return { kind: 'signedOut' };
      },
    };
    return reportKeyTrouble(
      only({
        accounts: of.of('the account', accounts),
        fleet: of.of('the instances', { state: { kind: 'loading' } }),
      }),
    );
  },
  'what the key may do': (of) =>
    adaptToKey(
      only({
        commands: { setGuard: quiet },
        contextKeys: { set: of.note },
        keyAccess: of.of('the permissions', { lacks: () => false }),
      }),
    ),
  'a budget that is nearly spent': (of) => {
    const budget = {
      get now() {
        of.note('looked');
        return undefined;
      },
    };
    return warnOfBudget(
      only({
        ...{ accounts: { ...none, active: { key: 'mine' } }, notices: none, commands: { register: quiet } },
        ...{
          fleet: none,
          clock: of.clock,
          hub: { onDidChangeLeader: quiet },
          settings: { ...none, get: () => 0 },
        },
        budget: of.of('the budget', budget),
      }),
    );
  },
  'a conflict of a template': (of) =>
    registerConflicts(
      only({
        templateStores: { documents: of.of('the template', {}, 'onDidNotice') },
        ...{ commands: { register: quiet }, contextKeys: { set: of.note } },
      }),
    ),
  'whether machines are hosted': (of) => {
    const view = { visible: false, onDidChangeVisibility: quiet };
    return showHosting(
      only({
        ...{ accounts: { ...none, active: undefined }, keyAccess: none, clock: of.clock, log: {} },
        ...{ commands: { register: quiet }, contextKeys: { set: of.note } },
        trees: { 'gpuRental.hosting': { setProvider: () => undefined, view } },
        settings: of.of('the settings', { get: () => 'always' }),
      }),
    );
  },
  'how old the list of machines is': (of) => {
    const state = {
      get state() {
        of.note('looked');
        return { kind: 'loading' };
      },
    };
    const view = of.of('the view', { visible: false }, 'onDidChangeVisibility');
    const trees = { 'gpuRental.hosting': { view } };
    return new ListAge(only({ clock: of.clock, trees }), only(of.of('the list', state)));
  },
  'which instances jobs use': (of) =>
    reportPresence(
      only({
        accounts: of.of('the account', { active: undefined }),
        jobs: of.of('the jobs', { rows: [] }),
        presence: { set: of.note },
      }),
    ),
  'schedules that can’t be read': (of) => {
    const schedules = {
      get unreadable() {
        of.note('looked');
        return [];
      },
    };
    return reportUnreadable(
      only({
        ...{ accounts: { active: { key: 'mine' } }, clock: of.clock, notices: none },
        schedules: of.of('the schedules', schedules),
      }),
    );
  },
  'what is about to be lost': (of) => {
    const fleet = {
      get state() {
        of.note('looked');
        return { kind: 'loading' };
      },
    };
    return warn(
      only({
        ...{ accounts: of.of('the account', { active: { key: 'mine' } }), clock: of.clock, notices: none },
        ...{ fleet: of.of('the instances', fleet), volumes: of.of('the volumes') },
        ...{
          instanceGroups: { addInstanceNotes: quiet },
          idle: { onDidCheck: quiet },
          commands: { register: quiet },
        },
      }),
    );
  },
};

describe('A view that depends on others is read again', () => {
  for (const [what, make] of Object.entries(cases)) {
    it(`after each of their changes: ${what}`, async () => {
      const listed = new Changes();
      make(listed);
      assert.ok(listed.names.length > 0);
      const missed: string[] = [];
      for (const name of listed.names) {
        const changes = new Changes();
        make(changes);
        await changes.fire(name);
        if (changes.done.length === 0) {
          missed.push(name);
        }
      }
      assert.deepEqual(missed, []);
    });
  }

  it('at the terminals and folders of the window', async () => {
    const changes = new Changes();
    const presence = { set: changes.note };
    const end = watchPresence(only({ presence }));
    const { terminals, foldersChanged } = changes.screen;
    const after = (change: () => unknown) => {
      changes.done.splice(0);
      change();
      return changes.done.length > 0;
    };
    const terminal = terminals.create({ name: 'one' }, undefined);
    assert.ok(after(() => terminals.create({ name: 'two' }, undefined)));
    assert.ok(after(() => terminals.close(terminal, 0)));
    assert.ok(after(() => foldersChanged.fire(undefined)));
    end.dispose();
    assert.ok(!after(() => foldersChanged.fire(undefined)));
    await settle();
  });
});
