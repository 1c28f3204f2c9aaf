import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Instance } from '../../../../src/model/instances/instance';
import { costSoFar, stoppedCostPerDay } from '../../../../src/model/instances/instanceCost';
import {
  displayLabel,
  instanceName,
  markerIn,
  nameInRow,
  renamed,
  withMarker,
} from '../../../../src/model/instances/instanceLabel';
import {
  actionsFor,
  billingOf,
  costPerHour,
  fleetCostPerHour,
  intentOf,
  isFailed,
  isReady,
  isStarting,
  lingerGraceMs,
  schedulingGraceMs,
  noFacts,
  stateIcon,
  stateLabel,
  stateOf,
  type InstanceFacts,
  type InstanceStateKind,
} from '../../../../src/model/instances/instanceState';
import { fromDollars } from '../../../../src/model/money';
import { formatText } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 12);
const asked = (kind: 'start' | 'stop' | 'reboot' | 'destroy', agoMs = 1000, more = {}): InstanceFacts => ({
  lastRequest: { kind, at: now - agoMs, ...more },
});
function without(field: keyof Instance, change: Partial<Instance> = {}): Instance {
  return Object.fromEntries(
    Object.entries(anInstance(change)).filter(([name]) => name !== field),
  ) as unknown as Instance;
}

const taken = 'Required resources are currently unavailable, state change queued.';
const waiting = anInstance({ actualStatus: 'scheduling', statusMessage: taken, uptimeMinutes: 7 });

describe('the state of an instance', () => {
  const cases: readonly (readonly [string, Instance, InstanceFacts, InstanceStateKind])[] = [
    ['null is being prepared', anInstance({ actualStatus: null }), noFacts, 'provisioning'],
    ['a missing status is being prepared', without('actualStatus'), noFacts, 'provisioning'],
    ['loading', anInstance({ actualStatus: 'loading' }), noFacts, 'loading'],
    ['running', anInstance(), noFacts, 'running'],
    ['exited while meant to run failed', anInstance({ actualStatus: 'exited' }), noFacts, 'exited'],
    [
      'exited and meant to be stopped is stopped',
      anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' }),
      noFacts,
      'stopped',
    ],
    [
      'the text stopped is a stop too',
      anInstance({ actualStatus: 'stopped', intendedStatus: 'stopped' }),
      noFacts,
      'stopped',
    ],
    [
      'an interruptible one that ran and exited was outbid',
      anInstance({ actualStatus: 'exited', isInterruptible: true }),
      { readyAt: 1 },
      'outbid',
    ],
    [
      'an interruptible one that never ran failed',
      anInstance({ actualStatus: 'exited', isInterruptible: true }),
      noFacts,
      'exited',
    ],
    ['no heartbeat', anInstance({ actualStatus: 'unknown' }), noFacts, 'unknown'],
    ['offline', anInstance({ actualStatus: 'offline' }), noFacts, 'offline'],
    [
      'offline while stopped stays offline',
      anInstance({ actualStatus: 'offline', intendedStatus: 'stopped' }),
      noFacts,
      'offline',
    ],
    [
      'running and meant to be stopped is stopping',
      anInstance({ intendedStatus: 'stopped' }),
      noFacts,
      'stopping',
    ],
    ['our own stop counts before the record shows it', anInstance(), asked('stop'), 'stopping'],
    [
      'exited right after a start is starting',
      anInstance({ actualStatus: 'exited' }),
      asked('start'),
      'starting',
    ],
    [
      'exited is a failure once the start took effect',
      anInstance({ actualStatus: 'exited' }),
      asked('start', 1000, { tookEffect: true }),
      'exited',
    ],
    [
      'exited is a failure after the grace time',
      anInstance({ actualStatus: 'exited' }),
      asked('start', lingerGraceMs),
      'exited',
    ],
    [
      'a start that waits for a GPU is queued for as long as it takes',
      anInstance({ actualStatus: 'exited' }),
      asked('start', 60 * lingerGraceMs, { queued: true }),
      'queued',
    ],
    [
      'a start that is scheduled is starting at first',
      anInstance({ actualStatus: 'scheduling' }),
      asked('start', schedulingGraceMs - 1, { tookEffect: true }),
      'starting',
    ],
    [
      'a start that stays in scheduling is queued, because another user has its GPU',
      anInstance({ actualStatus: 'scheduling' }),
      asked('start', schedulingGraceMs, { tookEffect: true }),
      'queued',
    ],
    [
      'a start of which the service says so is queued at once',
      anInstance({ actualStatus: 'scheduling' }),
      asked('start', 1000, { tookEffect: true, queued: true }),
      'queued',
    ],
    [
      'a start whose answer was lost is queued where the record says so',
      anInstance({ actualStatus: 'exited', statusMessage: taken }),
      asked('start', 60 * lingerGraceMs),
      'queued',
    ],
    [
      'a new machine that stays in scheduling is starting',
      anInstance({ actualStatus: 'scheduling' }),
      noFacts,
      'starting',
    ],
    ['a start that was asked for elsewhere is queued where the record says so', waiting, noFacts, 'queued'],
    ['a start that we have just canceled is stopping', waiting, asked('stop', 1000), 'stopping'],
    [
      'a start in scheduling that was cancelled in the web console is stopping',
      anInstance({ actualStatus: 'scheduling', intendedStatus: 'stopped' }),
      asked('start', schedulingGraceMs, { tookEffect: true }),
      'stopping',
    ],
    [
      'a start that waits and was cancelled in the web console is stopped',
      anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' }),
      asked('start', lingerGraceMs, { queued: true }),
      'stopped',
    ],
    ['a destroyed one is going', anInstance(), asked('destroy'), 'destroying'],
    [
      'one that came back is what it is',
      anInstance(),
      asked('destroy', 1000, { tookEffect: true }),
      'running',
    ],
    [
      'a boot that was given up',
      anInstance({ actualStatus: 'created', currentState: 'stopped' }),
      noFacts,
      'gaveUp',
    ],
    ['a text nobody documented', anInstance({ actualStatus: 'defrosting' }), noFacts, 'other'],
  ];
  for (const [name, instance, facts, expected] of cases) {
    it(`${name}: ${expected}`, () => {
      assert.equal(stateOf(instance, facts, now), expected);
    });
  }

  it('is that of the record once the clock was set back after a request of ours', () => {
    const running = anInstance({ actualStatus: 'running', intendedStatus: 'running' });
    const exited = anInstance({ actualStatus: 'exited', intendedStatus: 'running', uptimeMinutes: 5 });
    const later = -3 * 3_600_000;
    assert.equal(stateOf(running, asked('stop', later), now), 'running');
    assert.equal(actionsFor(running, asked('stop', later), now).canStop, true);
    assert.equal(stateOf(running, asked('destroy', later), now), 'running');
    assert.equal(stateOf(exited, asked('start', later), now), 'exited');
  });

  it('has the intent of the record, else of our last request, else of the contract', () => {
    assert.equal(intentOf(anInstance({ intendedStatus: 'stopped' }), asked('start')), 'stopped');
    assert.equal(intentOf(without('intendedStatus'), asked('stop')), 'stopped');
    assert.equal(intentOf(without('intendedStatus'), asked('start')), 'running');
    assert.equal(intentOf(without('intendedStatus', { nextState: 'stopped' })), 'stopped');
    assert.equal(intentOf(without('intendedStatus', { nextState: 'running' })), 'running');
    assert.equal(
      intentOf(without('intendedStatus', { actualStatus: 'exited', currentState: 'stopped' })),
      'stopped',
    );
    assert.equal(intentOf(without('intendedStatus', { actualStatus: 'exited' })), 'running');
    assert.equal(intentOf(without('intendedStatus', { actualStatus: 'stopped' })), 'stopped');
  });

  it('counts an undocumented text as neither ready nor failed, and shows it without control characters', () => {
    const instance = anInstance({ actualStatus: 'odd\n\u001b[31m\u202eone' });
    const kind = stateOf(instance, noFacts, now);
    assert.equal(isReady(kind) || isFailed(kind, 'running') || isStarting(kind), false);
    assert.equal(formatText(stateLabel(instance, kind)), 'State "odd [31m one"');
  });

  const documented = [
    null,
    'created',
    'loading',
    'scheduling',
    'running',
    'rebooting',
    'recycling',
    'frozen',
  ];
  const statuses = [...documented, 'stopped', 'exited', 'unknown', 'offline'];
  const contracts = ['running', 'stopped', 'frozen', undefined];

  it('costs in full wherever the contract runs or may compute, and has words for every documented state', () => {
    for (const actualStatus of statuses) {
      for (const currentState of contracts) {
        for (const intendedStatus of contracts) {
          for (const isInterruptible of [true, false]) {
            for (const facts of [
              noFacts,
              { readyAt: now - 1 },
              { lastRequest: { kind: 'stop', at: 1 } as const },
            ]) {
              const instance: Instance = {
                ...without('intendedStatus', { actualStatus, isInterruptible }),
                ...(currentState === undefined ? {} : { currentState }),
                ...(intendedStatus === undefined ? {} : { intendedStatus }),
              };
              const kind = stateOf(instance, facts, now);
              const said = JSON.stringify({
                actualStatus,
                currentState,
                intendedStatus,
                isInterruptible,
                kind,
              });
              assert.notEqual(kind, 'other', said);
              assert.ok(formatText(stateLabel(instance, kind)).length > 0, said);
              const computes =
                currentState === 'running' || ['running', 'frozen'].includes(actualStatus ?? '');
              if (computes) {
                assert.equal(costPerHour(instance, kind), costPerHour(instance, 'running'), said);
              }
            }
          }
        }
      }
    }
  });

  it('is outbid if it was not stopped from here, for any intention that the service records', () => {
    const ran = { readyAt: now - 60_000 };
    for (const actualStatus of ['stopped', 'exited']) {
      const states = { currentState: 'stopped', intendedStatus: 'stopped', nextState: 'stopped' };
      const outbid = anInstance({ actualStatus, isInterruptible: true, ...states });
      assert.equal(stateOf(outbid, ran, now), 'outbid');
      assert.equal(intentOf(outbid, ran), 'running');
      assert.deepEqual(
        [actionsFor(outbid, ran, now).canStart, actionsFor(outbid, ran, now).canChangeBid],
        [true, true],
      );
      const own = { ...ran, lastRequest: { kind: 'stop', at: now - 60_000 } } as const;
      assert.equal(stateOf(outbid, own, now), 'stopped');
      const started = { ...ran, lastRequest: { kind: 'start', at: now - 3_600_000 } } as const;
      assert.equal(stateOf(outbid, started, now), 'outbid');
      assert.equal(stateOf({ ...outbid, isInterruptible: false }, ran, now), 'stopped');
      const never = { ...outbid, uptimeMinutes: 0 };
      assert.equal(stateOf(never, noFacts, now), 'stopped', 'one that never ran had no bid to lose');
    }
  });

  it('lets a container be reached that reports its end while its contract runs', () => {
    const lagging = anInstance({ actualStatus: 'exited', currentState: 'running' });
    assert.equal(actionsFor(lagging, noFacts, now).canConnect, true);
    assert.equal(actionsFor({ ...lagging, currentState: 'stopped' }, noFacts, now).canConnect, false);
  });

  it('has a state, a label, an icon, a price and actions for every record there can be', () => {
    const status = fc.option(
      fc.oneof(fc.constantFrom(...statuses.filter((one) => one !== null)), fc.string()),
    );
    const request = fc.option(
      fc.record({
        kind: fc.constantFrom('start' as const, 'stop' as const, 'reboot' as const, 'destroy' as const),
        at: fc.integer({ min: now - 1e7, max: now + 1e4 }),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        status,
        fc.constantFrom('running', 'stopped', 'odd'),
        request,
        fc.boolean(),
        (actual, intended, last, bid) => {
          const instance = anInstance({
            actualStatus: actual,
            intendedStatus: intended,
            isInterruptible: bid,
          });
          const facts: InstanceFacts = last === undefined ? {} : { lastRequest: last };
          const kind = stateOf(instance, facts, now);
          assert.notEqual(formatText(stateLabel(instance, kind)), '');
          assert.ok(stateIcon(instance, facts, kind));
          assert.ok(['running', 'disk'].includes(billingOf(instance, kind)));
          assert.ok((costPerHour(instance, kind) ?? 0) > 0);
          const actions = actionsFor(instance, facts, now);
          assert.ok(actions.canDestroy);
          assert.ok(!actions.canStart || kind === 'stopped' || kind === 'outbid');
          assert.ok(!(actions.canStart && actions.canReplace));
        },
      ),
    );
  });

  it('warns only of one that has data, because it ran or was to stop', () => {
    const icon = (facts: InstanceFacts, intendedStatus: string) =>
      stateIcon(anInstance({ intendedStatus, actualStatus: 'exited' }), facts, 'exited');
    assert.equal(icon(noFacts, 'running'), 'failed');
    assert.equal(icon({ ...noFacts, readyAt: now }, 'running'), 'warning');
    assert.equal(icon(noFacts, 'stopped'), 'warning');
  });

  it('offers Start only for a stopped one, and Replace for one that failed', () => {
    const actions = (instance: Instance, facts = noFacts) => actionsFor(instance, facts, now);
    const failed = actions(anInstance({ actualStatus: 'exited' }));
    assert.deepEqual([failed.canStart, failed.canReplace, failed.canConnect], [false, true, false]);
    const stopped = actions(anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' }));
    assert.deepEqual([stopped.canStart, stopped.canReplace, stopped.canStop], [true, false, false]);
    const ending = (endsAt: number) =>
      actions(anInstance({ actualStatus: 'exited', intendedStatus: 'stopped', endsAt })).canStart;
    assert.deepEqual(
      [ending(now / 1000 + 1), ending(now / 1000)],
      [true, false],
      'not after its rental ended',
    );
    for (const actualStatus of [null, 'loading', 'running', 'exited', 'unknown', 'offline', 'odd']) {
      const { canStop, canDestroy } = actions(anInstance({ actualStatus }));
      assert.deepEqual([canStop, canDestroy], [true, true], String(actualStatus));
    }
    assert.equal(actions(anInstance({ runtype: 'args' })).canConnect, false);
    assert.equal(actions(anInstance({ runtype: 'jupyter_direct' })).canConnect, true);
  });
});

describe('what instances cost', () => {
  it('is the disk while stopped, and never less than is known', () => {
    const stopped = anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' });
    assert.equal(costPerHour(stopped, 'stopped'), fromDollars(0.005));
    assert.equal(costPerHour(without('storagePerHour'), 'stopped'), fromDollars(0.4));
    const sum = fleetCostPerHour([
      [anInstance(), 'running'],
      [stopped, 'stopped'],
      [without('totalPerHour'), 'running'],
    ]);
    assert.deepEqual([sum.perHour, sum.isPartial, sum.isAtMost], [fromDollars(0.405), true, false]);
    assert.equal(fleetCostPerHour([[without('storagePerHour'), 'stopped']]).isAtMost, true);
    assert.equal(fleetCostPerHour([[without('storagePerHour'), 'running']]).isAtMost, false);
  });

  it('is counted from the start of the contract', () => {
    assert.equal(costSoFar(anInstance(), now), fromDollars(0.4));
    assert.equal(costSoFar(without('startedAt'), now), undefined);
    assert.equal(stoppedCostPerDay(anInstance()), fromDollars(0.12));
    assert.equal(stoppedCostPerDay(anInstance({ storagePerMonth: fromDollars(3) })), fromDollars(0.1));
  });
});

describe('the label of an instance', () => {
  it('carries a marker that views hide', () => {
    const label = withMarker('my training', 'abcdef01');
    assert.equal(label, 'my training [gr-abcdef01]');
    assert.equal(markerIn(label), 'abcdef01');
    assert.equal(displayLabel(anInstance({ label })), 'my training');
    assert.equal(displayLabel(anInstance({ label: withMarker('', 'abcdef01') })), undefined);
    assert.equal(markerIn('looks like [gr-abc] one'), undefined);
  });

  it('keeps the marker when it is renamed, and shortens the name rather than the marker', () => {
    const instance = anInstance({ label: 'old [gr-abcdef01]' });
    assert.equal(renamed(instance, 'new'), 'new [gr-abcdef01]');
    assert.equal(renamed(anInstance({ label: 'old' }), 'new'), 'new');
    const long = renamed(instance, '😀'.repeat(300));
    assert.ok(long.length <= 256);
    assert.equal(markerIn(long), 'abcdef01');
    assert.doesNotMatch(long, /[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('can’t carry a line break into a view', () => {
    assert.equal(instanceName(anInstance({ label: 'a\nHost evil\u0000' })), 'a Host evil');
    assert.equal(instanceName(anInstance({ label: '' })), '1× RTX 4090 #5001');
  });

  it('leaves the number of an instance without a label for the end of a narrow row', () => {
    assert.deepEqual(nameInRow(anInstance({ label: '' })), { label: '1× RTX 4090', end: '#5001' });
    assert.deepEqual(nameInRow(anInstance({ label: 'trainer' })), { label: 'trainer' });
  });
});
