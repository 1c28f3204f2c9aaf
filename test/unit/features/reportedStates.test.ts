import assert from 'node:assert/strict';
import { register as showInstances, tickFirstSteps } from '../../../src/features/instances';
import { register as showJobs } from '../../../src/jobs/ui';
import { anInstance } from '../../support/builders';
import { FakeClock } from '../../support/fakeClock';
import { aJobRow } from '../../support/jobRow';
import { only } from '../../support/only';

const quiet = () => ({ dispose: () => undefined });
const none = { onDidChange: quiet, onDidPost: quiet };

/** What a feature tells the editor or the list of instances as soon as it begins. */
describe('From its start on a feature shows', () => {
  const clock = new FakeClock();

  /** The keys that were set and the interest in the list. */
  function instancesWith({
    isVisible = false,
    isFocused = false,
    isInStatusBar = false,
    phases = [],
    state = { kind: 'loading' },
  }: {
    readonly isVisible?: boolean;
    readonly isFocused?: boolean;
    readonly isInStatusBar?: boolean;
    readonly phases?: readonly string[];
    readonly state?: object;
  }) {
    const keys = new Map<string, unknown>();
    const interests: unknown[] = [];
    const view = { visible: isVisible, onDidChangeVisibility: quiet };
    showInstances(
      only({
        ...{ accounts: none, volumes: none, instanceGroups: { ...none, groups: [] } },
        ...{ commands: { register: quiet }, clock, presence: { ...none, isAnyUsed: false } },
        ...{ otherAccounts: () => Promise.resolve([]), windowInUse: { ...none, isFocused } },
        rentals: { ...none, rentals: phases.map((kind) => ({ phase: { kind } })) },
        settings: { ...none, get: () => isInStatusBar },
        fleet: { ...none, state, facts: () => ({}), setInterest: (one: unknown) => interests.push(one) },
        trees: { 'gpuRental.instances': { setProvider: () => undefined, view } },
        contextKeys: { set: (key: string, value: unknown) => keys.set(key, value) },
      }),
    );
    return { keys, interests };
  }

  const one = { kind: 'ready', value: { instances: [anInstance()] }, fetchedAt: 0 };
  const empty = { kind: 'ready', value: { instances: [] }, fetchedAt: 0 };
  const interests = {
    'an open view': [{ isVisible: true }, true, false],
    'a window in use': [{ isFocused: true }, false, true],
    'an instance in the status bar': [{ isInStatusBar: true, state: one }, true, false],
    'an instance that the status bar does not show': [{ state: one }, false, false],
    'no instance for the status bar': [{ isInStatusBar: true, state: empty }, false, false],
    'a list that is not read yet': [{ isInStatusBar: true }, false, false],
  } as const;
  for (const [what, [given, viewVisible, windowFocused]] of Object.entries(interests)) {
    it(`whether the list is looked at: ${what}`, () => {
      assert.deepEqual(instancesWith(given).interests, [{ viewVisible, windowFocused }]);
    });
  }

  for (const [phase, isOpen] of [
    ['sent', true],
    ['notKnown', true],
    ['waiting', true],
    ['ready', false],
    ['failed', false],
  ] as const) {
    it(`whether something is being rented: ${phase}`, () => {
      assert.equal(instancesWith({ phases: ['failed', phase] }).keys.get('gpuRental.renting'), isOpen);
    });
  }

  const jobs = {
    'no job': [{}, false],
    'a job': [{ rows: [aJobRow()] }, true],
    'a job whose file is damaged': [{ damaged: ['/a'] }, true],
    'jobs that can’t be read': [{ error: new Error('No disk') }, true],
  } as const;
  for (const [what, [given, isShown]] of Object.entries(jobs)) {
    it(`whether there are jobs: ${what}`, () => {
      const keys = new Map<string, unknown>();
      const list = { ...none, rows: [], open: [], damaged: [], error: undefined, moves: none, ...given };
      const view = { visible: false, onDidChangeVisibility: quiet };
      showJobs(
        only({
          ...{ jobs: list, accounts: none, fleet: none, notices: none, clock, commands: { register: quiet } },
          startWatches: { onDidHappen: quiet },
          trees: { 'gpuRental.jobs': { setProvider: () => undefined, view } },
          contextKeys: { set: (key: string, value: unknown) => keys.set(key, value) },
          ...{
            oneWindow: { offer: () => undefined },
            presence: { set: quiet },
            statusItem: { set: quiet, owned: quiet },
            work: { add: quiet },
            workspaceParts: { add: quiet },
          },
        }),
      );
      assert.deepEqual(
        [keys.get('gpuRental.jobs'), keys.get('gpuRental.done.job')],
        [isShown, 'rows' in given ? true : undefined],
      );
    });
  }

  const steps = {
    rent: { rentals: { ...none, rentals: [{ phase: { kind: 'ready', instanceId: 7 } }] } },
    connect: { presence: { ...none, isAnyUsed: true } },
    stop: {
      fleet: { ...none, state: one, facts: () => ({ lastRequest: { isAccepted: true, kind: 'stop' } }) },
    },
  } as const;
  const others = {
    ...{
      rentals: { ...none, rentals: [{ phase: { kind: 'sent' } }] },
      presence: { ...none, isAnyUsed: false },
    },
    ...{ fleet: { ...none, state: { kind: 'loading' } } },
  };
  for (const [step, given] of Object.entries(steps)) {
    it(`which step of the walkthrough is done: ${step}`, () => {
      const keys: string[] = [];
      tickFirstSteps(
        only({
          ...others,
          ...given,
          contextKeys: { set: (key: string) => keys.push(key) },
        }),
      );
      assert.deepEqual(keys, [`gpuRental.done.${step}`]);
    });
  }

  for (const [what, request, isDone] of [
    ['a destroy', { isAccepted: true, kind: 'destroy' }, true],
    ['a start', { isAccepted: true, kind: 'start' }, false],
    ['a stop that was refused', { isAccepted: false, kind: 'stop' }, false],
    ['nothing', undefined, false],
  ] as const) {
    it(`that something was stopped: ${what}`, () => {
      const keys: string[] = [];
      const fleet = { ...none, state: one, facts: () => ({ lastRequest: request }) };
      tickFirstSteps(
        only({
          ...others,
          fleet,
          contextKeys: { set: (key: string) => keys.push(key) },
        }),
      );
      assert.equal(keys.includes('gpuRental.done.stop'), isDone);
    });
  }
});
