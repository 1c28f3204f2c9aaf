import assert from 'node:assert/strict';
import { beginJob, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { FakeMachines } from '../../../support/jobWindows';

const minute = 60_000;

describe('Jobs whose next attempt does not run', () => {
  let { service, computer, machine: machines, window, pass } = {} as JobWindowScene<FakeMachines>;
  beforeEach(async () => {
    ({ service, computer, machine: machines, window, pass } = await jobWindowScene(new FakeMachines(18)));
  });
  afterEach(() => computer.dispose());

  for (const [what, hasSecret] of [
    ['the user stops the next attempt', true],
    ['the next attempt lacks its secret', false],
  ] as const) {
    it(`bring the outputs of an attempt that has ended where ${what} before its start`, async () => {
      const more = { retries: { exitCodes: { '75': 1 } }, whenDone: { failure: 'destroy' } };
      const job = await beginJob(computer, window, { ...more, secrets: ['HF_TOKEN'] });
      const [first, next] = [machines.of(`${job}01`), machines.of(`${job}02`)];
      next.cut((call) => call === 'sync');
      window.keptSecrets.has = hasSecret;
      first.ends({ code: 75, why: 'itself' });
      await pass(minute);
      assert.deepEqual([window.row(job).state.attempt, window.row(job).state.phase], [2, 'syncing']);
      if (hasSecret) {
        await window.jobs.stop(job);
      }
      next.trouble = undefined;
      await pass(10 * minute);
      const { outputs, end, outcome } = window.row(job).state;
      assert.deepEqual([first.fetched, next.starts, outputs?.files], ['hash-of-list', 0, 1]);
      assert.deepEqual([end?.code, outcome, service.count('instances.destroy')], [75, 'destroyed', 1]);
      const reason = hasSecret ? [] : ['notStarted'];
      assert.deepEqual(window.noticeKinds(), ['triedAgain', 'ended', ...reason, 'released']);
    });
  }

  it('bring the outputs of an attempt that has ended where the next one is stopped while it is set up', async () => {
    const fields = { setup: 'pip install x', retries: { interrupted: 2 } };
    const job = await beginJob(computer, window, fields);
    const [first, second, third] = [1, 2, 3].map((attempt) => machines.of(`${job}0${attempt}`));
    assert.ok(first && second && third);
    first.phase = 'running';
    await pass(minute);
    first.ends({ code: undefined, why: 'interrupted' });
    await pass(minute);
    second.ends({ code: undefined, why: 'interrupted' });
    await pass(minute);
    assert.deepEqual([window.row(job).state.attempt, window.row(job).state.phase], [3, 'settingUp']);
    await window.jobs.stop(job);
    await pass(minute);
    const { outputs, end, outcome } = window.row(job).state;
    assert.deepEqual([first.fetched, second.fetched, third.fetched], ['hash-of-list', undefined, undefined]);
    assert.deepEqual([outputs?.files, end?.why, outcome], [1, 'cancelled', 'kept']);
  });
});
