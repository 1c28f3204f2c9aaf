import assert from 'node:assert/strict';
import {
  advanceCheck,
  beginCheck,
  type CheckResult,
  type MachineCheck,
} from '../../../../src/model/rentals/machineCheck';
import { CheckRuns, type Checked } from '../../../../src/store/rentals/checkRuns';
import { CancelledError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { FakeClock } from '../../../support/fakeClock';
import { proved, ScriptedChecks } from '../../../support/machineChecks';

describe('checks of machines that run', () => {
  let clock: FakeClock;
  let checks: ScriptedChecks;
  let results: (readonly [number, CheckResult['kind']])[];
  let stages: string[];
  let logged: unknown[];
  let runs: CheckRuns;
  const wanted = (instanceId: number, since = 1) => ({ instanceId, since, check: beginCheck(clock.now()) });

  beforeEach(() => {
    clock = new FakeClock();
    checks = new ScriptedChecks();
    results = [];
    stages = [];
    logged = [];
    runs = new CheckRuns({
      checks,
      clock,
      log: { ...silentLog, error: (...words) => logged.push(...words) },
      onProgress: (_: Checked, { stage, problem }: MachineCheck) =>
        stages.push(`${stage} ${problem ?? 'none'}`),
      onResult: ({ instanceId }, result) => results.push([instanceId, result.kind]),
    });
  });
  afterEach(() => runs.dispose());

  it('tries again after pauses that grow, and ends with what the login proved', async () => {
    const times: number[] = [];
    checks.answer = (_, onStage) => {
      times.push(clock.elapsed() / 1000);
      if (times.length < 6) {
        return { kind: 'waits', stage: 'port', problem: 'refused' };
      }
      onStage('gpu');
      return proved;
    };
    runs.sync([wanted(7)]);
    await clock.advance(40_000);
    assert.deepEqual(times, [0, 1, 3, 7, 15, 23]);
    assert.deepEqual(results, [[7, 'proved']]);
    assert.deepEqual(stages, [...Array.from({ length: 5 }, () => 'port refused'), 'gpu none']);
  });

  it('gives up a machine that never lets anybody in, after a minute', async () => {
    checks.answer = () => ({ kind: 'waits', stage: 'login', problem: 'authentication' });
    runs.sync([wanted(7)]);
    await clock.advance(58_000);
    assert.deepEqual(results, []);
    await clock.advance(10_000);
    assert.deepEqual(results, [[7, 'unproved']]);
    const count = checks.checks.length;
    await clock.advance(600_000);
    assert.equal(checks.checks.length, count);
    assert.equal(clock.pending, 0);
  });

  for (const [direction, hours] of [
    ['forward', 3],
    ['back', -3],
  ] as const) {
    it(`gives it as long when the clock is set ${direction}`, async () => {
      checks.answer = () => ({ kind: 'waits', stage: 'login', problem: 'authentication' });
      runs.sync([wanted(7)]);
      await clock.advance(30_000);
      clock.jump(hours * 3_600_000);
      await clock.advance(28_000);
      assert.deepEqual(results, []);
      await clock.advance(10_000);
      assert.deepEqual(results, [[7, 'unproved']]);
    });
  }

  it('lets no machine wait for another one', async () => {
    checks.answer = (id, _, signal) =>
      id === 7
        ? new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          })
        : proved;
    runs.sync([wanted(7), wanted(8), wanted(9)]);
    await clock.advance(0);
    assert.deepEqual(results, [
      [8, 'proved'],
      [9, 'proved'],
    ]);
  });

  it('never checks a machine twice at once, also if it starts again during the check', async () => {
    let release: (() => void) | undefined;
    checks.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(proved);
      });
    for (const since of [1, 1, 2]) {
      runs.sync([wanted(7, since)]);
      await clock.advance(100);
    }
    assert.equal(checks.checks.length, 1);
    release?.();
    await clock.advance(100);
    assert.equal(checks.checks.length, 2);
    assert.deepEqual([checks.mostAtOnce, results], [1, []]);
    release?.();
    await clock.advance(100);
    assert.deepEqual(results, [[7, 'proved']]);
  });

  it('ends with those that are not wanted any more', async () => {
    checks.answer = () => ({ kind: 'waits', stage: 'port', problem: 'refused' });
    runs.sync([wanted(7)]);
    await clock.advance(5000);
    runs.sync([]);
    await clock.advance(600_000);
    assert.deepEqual([results, clock.pending], [[], 0]);
  });

  it('does not treat an error of our own as one of the machine', async () => {
    const fault = new Error('disk full');
    checks.answer = () => Promise.reject(fault);
    runs.sync([wanted(7)]);
    await clock.advance(0);
    assert.deepEqual(results, [[7, 'notChecked']]);
    assert.deepEqual(logged, ['Instance 7 could not be checked', fault]);
    // An end of ours is none.
    checks.answer = () => Promise.reject(new CancelledError());
    runs.sync([wanted(8)]);
    await clock.advance(0);
    assert.deepEqual([results.length, logged.length], [1, 2]);
  });

  it('tries one more time after a restart that lasted longer than the limit', async () => {
    const check = advanceCheck(
      beginCheck(clock.now() - 3_600_000),
      { stage: 'login' },
      clock.now() - 3_500_000,
    );
    runs.sync([{ instanceId: 7, since: 1, check }]);
    await clock.advance(0);
    assert.deepEqual(results, [[7, 'proved']]);
  });
});
