import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { JobRow } from '../../../../src/jobs/model/job';
import type { MachineEnd } from '../../../../src/jobs/model/jobSpec';
import type { JobDeps } from '../../../../src/jobs/ui/deps';
import { fetchAfterEnd, startToFetch } from '../../../../src/jobs/ui/startToFetch';
import { anInstance } from '../../../support/builders';
import { aJobRow, endOfJob, jobNow, jobTrouble } from '../../../support/jobRow';
import { textsOn, useCommands, useScreen } from '../../../support/onScreen';

/** A machine that stopped while its job ran, or after that. */
describe('The outputs on a stopped machine', () => {
  const screen = useScreen();
  const stopped = { id: 7, label: 'trainer', intendedStatus: 'stopped', actualStatus: 'exited' } as const;
  const interrupted = jobTrouble('machineStopped');
  const done: string[] = [];
  let answers: Readonly<Record<string, unknown>> = {};
  let instance: ReturnType<typeof anInstance> | undefined;
  let active: { readonly key: string } | undefined;
  const note =
    (what: string, usual: unknown = true) =>
    (...args: unknown[]) => {
      done.push([what, ...args.slice(1).map((one) => JSON.stringify(one))].join(' '));
      return Promise.resolve(what in answers ? answers[what] : usual);
    };
  const deps = {
    accounts: {
      get active() {
        return active;
      },
    },
    fleet: { find: () => instance, facts: () => ({}) },
    jobs: {
      ...{ stop: note('stop'), copyOutputs: note('copy'), startForOutputs: note('fetch') },
      ...{ reopen: note('reopen'), pauseFetch: note('pause') },
    },
  } as unknown as JobDeps;
  const start = note('start', 'started');
  useCommands((id, args) => start(id, ...args));

  /** What is shown; then the button is pressed, and what follows is done. */
  const ask = async (
    run: () => Promise<unknown>,
    button?: string,
    meanwhile: () => void = () => undefined,
  ) => {
    const end = run().then(String, String);
    await setImmediate();
    const [question] = screen.messages.shown;
    meanwhile();
    if (question && button !== undefined) {
      question.press(button);
    } else {
      question?.close();
    }
    const result = await end;
    return [...textsOn(screen), ...done.splice(0), result];
  };
  const buttonsOf = async (row: JobRow) =>
    /\[(.*)\]$/.exec((await ask(() => startToFetch(deps, row)))[0] ?? '')?.[1];

  beforeEach(() => {
    answers = {};
    done.length = 0;
    instance = anInstance(stopped);
    active = { key: 'mine' };
  });

  it('need no question if the machine runs, and can’t be fetched if it is gone', async () => {
    const row = aJobRow(interrupted);
    instance = anInstance({ id: 7 });
    assert.deepEqual(await ask(() => startToFetch(deps, row)), ['true']);
    instance = undefined;
    assert.deepEqual(await ask(() => startToFetch(deps, row)), ['false']);
  });

  it('are asked about with all that a start costs and means', async () => {
    const fields = { outputs: ['out/*', '/data/model.bin', '/data/log'], retries: { interrupted: 1 } };
    const ends = (success: MachineEnd) => ({ success, failure: 'keep', limit: 'keep' }) as const;
    const rows = [
      aJobRow(interrupted, { job: { ends: ends('stop') } }),
      aJobRow(interrupted, { fields, job: { ends: ends('destroy') } }),
      aJobRow(
        { phase: 'fetching', ...endOfJob('itself', 0), ...interrupted },
        { job: { ends: ends('destroy') } },
      ),
      aJobRow(interrupted, { job: { ends: ends('destroy'), machineEnd: 'keep' } }),
    ];
    const said: string[] = [];
    const note = async (row: JobRow) => {
      const [question = ''] = await ask(() => startToFetch(deps, row));
      assert.match(
        question,
        /^warning dialog trainer is stopped\. How should the outputs of train be fetched\?/,
      );
      assert.match(
        question,
        /Without a start, its host sends the files over SSH, and the host key is trusted/,
      );
      assert.match(question, /If another user has the GPU, the start waits until it is free\./);
      said.push(
        question
          .replace(/ \[.*\]$/, '')
          .split('\n')
          .filter((line) => /^(Start it|Cost|The file|After)/.test(line))
          .join(' '),
      );
    };
    for (const row of rows) {
      await note(row);
    }
    const { totalPerHour, ...free } = anInstance(stopped);
    assert.ok(totalPerHour);
    instance = free;
    await note(rows[0] ?? aJobRow());
    const otherwise = 'after failure or at a limit: keep it (it still costs money).';
    const stop = `After the fetch: after success: stop it (storage still costs money); ${otherwise}`;
    const destroy = 'destroy it (all data on it is lost)';
    assert.deepEqual(said, [
      `Cost once started: $0.400/h. ${stop}`,
      'Start it to fetch outputs with an absolute path: /data/model.bin, /data/log ' +
        'Cost once started: $0.400/h. ' +
        'The file allows the job to run again there after this interruption. ' +
        `After the fetch: after success: ${destroy}; ${otherwise}`,
      `Cost once started: $0.400/h. After the fetch: ${destroy}.`,
      'Cost once started: $0.400/h. After the fetch: keep it (it still costs money).',
      `Cost once started: a price that the service does not state. ${stop}`,
    ]);
  });

  it('offer another run only where the file allows one', async () => {
    const fields = { retries: { interrupted: 1 } };
    const withRun = 'Not Now, Fetch Without Starting, Start and Fetch, Start and Run Again, Cancel';
    const without = 'Not Now, Fetch Without Starting, Start and Fetch, Cancel';
    assert.equal(await buttonsOf(aJobRow(interrupted, { fields })), withRun);
    assert.equal(await buttonsOf(aJobRow(interrupted)), without);
    const isOver = aJobRow({ phase: 'fetching', ...endOfJob('itself', 0), ...interrupted }, { fields });
    assert.equal(await buttonsOf(isOver), without);
    assert.equal(
      await buttonsOf(aJobRow(interrupted, { fields, job: { decidedAt: { stop: jobNow } } })),
      without,
    );
  });

  for (const [phase, why] of [
    ['waiting', 'The job was waiting there, and it can still run there in its turn.'],
    ['starting', 'If the job has not started there, it can still run there.'],
  ] as const) {
    it(`offer a run without retries to a job that was ${phase} there`, async () => {
      const row = aJobRow({ phase, ...interrupted });
      assert.equal(
        await buttonsOf(row),
        'Not Now, Fetch Without Starting, Start and Fetch, Start and Run Job, Cancel',
      );
      const [question, ...rest] = await ask(() => startToFetch(deps, row), 'Fetch Without Starting');
      assert.ok(question?.split('\n').includes(why), question);
      assert.deepEqual(rest, ['stop', 'copy', 'true']);
      const isStopped = aJobRow({ phase, ...interrupted }, { job: { decidedAt: { stop: jobNow } } });
      assert.equal(await buttonsOf(isStopped), 'Not Now, Fetch Without Starting, Start and Fetch, Cancel');
    });
  }

  it('are fetched in the way that was chosen', async () => {
    const plain = aJobRow(interrupted);
    const again = aJobRow(interrupted, { fields: { retries: { interrupted: 1 } } });
    const last = async (row: JobRow, button: string) =>
      (await ask(() => startToFetch(deps, row), button)).slice(1).join(', ');
    const [without, start, run] = ['Fetch Without Starting', 'Start and Fetch', 'Start and Run Again'];
    assert.equal(await last(plain, without), 'copy, true');
    assert.equal(await last(plain, start), 'fetch, start {"instanceId":7}, true');
    assert.equal(await last(again, without), 'stop, copy, true');
    assert.equal(await last(again, start), 'stop, fetch, start {"instanceId":7}, true');
    assert.equal(await last(again, run), 'start {"instanceId":7}, true');
    answers = { stop: false, start: 'failed' };
    assert.equal(await last(again, without), 'stop, false');
    assert.equal(await last(again, start), 'stop, false');
    assert.equal(await last(again, run), 'start {"instanceId":7}, false');
    answers = { copy: false };
    assert.equal(await last(plain, without), 'copy, false');
  });

  it('are left alone once another account is active', async () => {
    const row = aJobRow(interrupted);
    const change = () => {
      active = { key: 'theirs' };
    };
    for (const button of ['Fetch Without Starting', 'Start and Fetch']) {
      active = { key: 'mine' };
      const [, ...rest] = await ask(() => startToFetch(deps, row), button, change);
      assert.match(rest.join(), /^AccountChangedError/);
    }
  });

  describe('of a job that is over', () => {
    const over = aJobRow({ phase: 'over', ...endOfJob('itself', 0) });
    const fetch = (row: JobRow = over) => fetchAfterEnd(deps, row, { instanceId: 7, name: 'trainer' });

    it('are asked about only where the machine is stopped', async () => {
      instance = anInstance({ id: 7 });
      assert.deepEqual(await ask(fetch), ['reopen {}', 'undefined']);
      instance = undefined;
      assert.deepEqual(await ask(fetch), ['reopen {}', 'undefined']);
      instance = anInstance(stopped);
      const [question, ...rest] = await ask(fetch);
      assert.match(question ?? '', /trainer is stopped\. How should the outputs of train be fetched\?/);
      assert.match(
        question ?? '',
        /After the fetch: stop it \(storage still costs money\)\. \[Not Now, Fetch/,
      );
      assert.deepEqual(rest, ['undefined']);
    });

    it('are fetched in the way that was chosen', async () => {
      const rest = async (button: string, row?: JobRow) =>
        (await ask(() => fetch(row), button)).slice(1).join(', ');
      assert.equal(await rest('Fetch Without Starting'), 'reopen {"isCopied":true}, undefined');
      const both = 'reopen {"isStarted":true}, start {"instanceId":7}';
      assert.equal(await rest('Start and Fetch'), `${both}, undefined`);
      answers = { start: 'failed' };
      assert.equal(await rest('Start and Fetch'), `${both}, pause, undefined`);
      answers = { reopen: false };
      const changed = 'info train has already changed. The list shows its current state. []';
      assert.equal(await rest('Start and Fetch'), `${changed}, reopen {"isStarted":true}, undefined`);
    });

    it('are of the machine that was named, where the job knows none', async () => {
      const lost = aJobRow({ phase: 'over', ...endOfJob('itself', 0) }, { instanceId: undefined });
      instance = anInstance({ id: 7 });
      assert.deepEqual(await ask(() => fetch(lost)), [
        'reopen {"machine":{"instanceId":7,"name":"trainer"}}',
        'undefined',
      ]);
    });
  });
});
