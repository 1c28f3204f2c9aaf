import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { JobRowTarget } from '../../../../src/commandSpecs';
import type { JobRow } from '../../../../src/jobs/model/job';
import type { JobDeps } from '../../../../src/jobs/ui/deps';
import { extendJob } from '../../../../src/jobs/ui/extendJob';
import { forgetJobs } from '../../../../src/jobs/ui/forgetJobs';
import {
  fetchJobOutputs,
  keepMachine,
  openOutputs,
  releaseMachine,
  rerun,
  retryJob,
  stopJob,
} from '../../../../src/jobs/ui/jobCommands';
import { text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { aJobRow, endOfJob, jobNow, jobTrouble, outputsOfJob } from '../../../support/jobRow';
import { textsOn, useScreen } from '../../../support/onScreen';

const over = { phase: 'over' } as const;
const ended = endOfJob('itself', 0);
const away = { job: { outputsTo: '/nowhere/outputs' } };
const stopped = { job: { decidedAt: { stop: jobNow } } };

const states: Readonly<Record<string, JobRow>> = {
  queued: aJobRow({ phase: 'queued', startedAt: undefined }),
  running: aJobRow(),
  'running, stopped': aJobRow({}, stopped),
  'running, silent': aJobRow(jobTrouble('unreachable')),
  'running, stopped and silent': aJobRow(jobTrouble('unreachable'), stopped),
  'not ready': aJobRow({ phase: 'gettingReady', startedAt: undefined, ...jobTrouble('notReady') }),
  ended: aJobRow({ phase: 'ended', ...ended }),
  'not fetched': aJobRow({ phase: 'fetching', ...ended, ...jobTrouble('fetch') }),
  'on a stopped machine': aJobRow({ phase: 'fetching', ...ended, ...jobTrouble('machineStopped') }),
  fetched: aJobRow({ phase: 'fetched', ...ended, ...outputsOfJob(2) }, away),
  'not released': aJobRow(
    { phase: 'releasing', ...ended, ...outputsOfJob(2), ...jobTrouble('release') },
    away,
  ),
  succeeded: aJobRow({ ...over, ...ended, ...outputsOfJob(2), outcome: 'kept' }, away),
  'failed without outputs': aJobRow({
    ...over,
    ...endOfJob('itself', 3),
    ...outputsOfJob(0),
    outcome: 'destroyed',
  }),
};

/** The states in which a command does what its title says, and in which it says that the job has changed. */
describe('A command of jobs', () => {
  const screen = useScreen();
  const done: string[] = [];
  let row: JobRow | undefined;
  let instance: ReturnType<typeof anInstance> | undefined = anInstance({ id: 7, label: 'trainer' });
  const note =
    (what: string, result: unknown = true) =>
    (...args: unknown[]) => {
      done.push([what, ...args.slice(1).map((one) => JSON.stringify(one))].join(' '));
      return Promise.resolve(result);
    };
  const deps = {
    accounts: { active: { key: 'mine' } },
    clock: { now: () => jobNow, elapsed: () => 0, schedule: () => ({ dispose: () => undefined }) },
    fleet: { find: () => instance, hasEnded: () => false, facts: () => ({}) },
    jobMachine: () => ({ remove: note('remove') }),
    jobs: {
      ...{ find: () => row, stop: note('stop'), retry: note('retry'), forget: note('forget') },
      ...{
        endMachine: note('end'),
        extend: note('extend'),
        reopen: note('reopen'),
        copyOutputs: note('copy'),
      },
      get rows() {
        return row ? [row, row] : [];
      },
    },
    schedules: { find: () => undefined },
    log: { warn: () => undefined },
    rentals: { rentals: [] },
  } as unknown as JobDeps;
  const flush = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
    }
  };
  const closeAll = async () => {
    for (const one of [...screen.messages.shown]) {
      one.close();
    }
    screen.quick.current?.leave();
    await flush();
  };
  /** What a command shows at once; then everything is closed. */
  const shown = async (run: (target?: { readonly jobId: string }) => Promise<unknown>, isTarget = true) => {
    let isOver = false;
    const end = run(isTarget ? { jobId: 'one' } : undefined)
      .catch((error: unknown) => done.push(String(error)))
      .finally(() => {
        isOver = true;
      });
    // Some of them look at the disk first.
    const isEnded = () => isOver;
    while (!isEnded() && screen.messages.shown.length === 0 && !screen.quick.current) {
      await setImmediate();
    }
    await flush();
    const { current } = screen.quick;
    const said = [...textsOn(screen), ...(current ? [`list ${current.title ?? ''}`] : [])];
    await closeAll();
    await end;
    textsOn(screen);
    return said;
  };
  const commands = {
    stop: stopJob,
    fetch: fetchJobOutputs,
    retry: retryJob,
    open: openOutputs,
    again: rerun,
    keep: keepMachine,
    release: releaseMachine,
    extend: extendJob,
    forget: (given: JobDeps, target?: JobRowTarget) => forgetJobs(given, target, undefined),
  };
  const fitting: Readonly<Record<keyof typeof commands, readonly string[]>> = {
    stop: ['queued', 'running', 'running, silent', 'not ready'],
    fetch: ['ended', 'not fetched', 'on a stopped machine', 'fetched', 'succeeded'],
    retry: [
      'running, silent',
      'running, stopped and silent',
      'not fetched',
      'on a stopped machine',
      'not released',
    ],
    open: ['fetched', 'not released', 'succeeded'],
    again: ['succeeded', 'failed without outputs'],
    keep: [
      'queued',
      'running',
      'running, stopped',
      'running, silent',
      'running, stopped and silent',
      'not ready',
      'ended',
      'not fetched',
      'on a stopped machine',
      'fetched',
      'not released',
    ],
    release: [
      'running, stopped and silent',
      'ended',
      'not fetched',
      'on a stopped machine',
      'fetched',
      'not released',
    ],
    extend: ['running', 'running, silent'],
    forget: ['succeeded', 'failed without outputs'],
  };

  beforeEach(() => {
    done.length = 0;
    instance = anInstance({ id: 7, label: 'trainer' });
  });

  for (const name of Object.keys(commands) as (keyof typeof commands)[]) {
    it(`is done where it fits, and refused elsewhere: ${name}`, async () => {
      const fits: string[] = [];
      for (const [state, one] of Object.entries(states)) {
        row = one;
        const said = await shown((target) => commands[name](deps, target));
        if (
          !said.some((line) => /^info (train has already changed|No job is in the right state)/.test(line))
        ) {
          fits.push(state);
        }
      }
      assert.deepEqual(fits, fitting[name]);
    });
  }

  it('shows that there is none if no job fits, and asks which one if several do', async () => {
    const answers: string[] = [];
    for (const given of [undefined, states['running'], states['succeeded']]) {
      row = given;
      for (const [name, command] of Object.entries(commands)) {
        answers.push(`${name}: ${(await shown(() => command(deps, undefined), false)).join(' ')}`);
      }
    }
    assert.deepEqual(answers, [
      'stop: info No job is in the right state for “Stop Job”. []',
      'fetch: info No job is in the right state for “Fetch Outputs of Job”. []',
      'retry: info No job is in the right state for “Retry Job Now”. []',
      'open: info No job is in the right state for “Open Outputs of Job”. []',
      'again: info No job is in the right state for “Run Job Again”. []',
      'keep: info No job is in the right state for “Keep Machine of Job”. []',
      'release: info No job is in the right state for “Release Machine of Job”. []',
      'extend: info No job is in the right state for “Extend Job”. []',
      'forget: info No job is in the right state for “Forget”. []',
      'stop: list Stop Job',
      'fetch: info No job is in the right state for “Fetch Outputs of Job”. []',
      'retry: info No job is in the right state for “Retry Job Now”. []',
      'open: info No job is in the right state for “Open Outputs of Job”. []',
      'again: info No job is in the right state for “Run Job Again”. []',
      'keep: list Keep Machine of Job',
      'release: info No job is in the right state for “Release Machine of Job”. []',
      'extend: list Extend Job',
      'forget: info No job is in the right state for “Forget”. []',
      'stop: info No job is in the right state for “Stop Job”. []',
      'fetch: list Fetch Outputs of Job',
      'retry: info No job is in the right state for “Retry Job Now”. []',
      'open: list Open Outputs of Job',
      'again: list Run Job Again',
      'keep: info No job is in the right state for “Keep Machine of Job”. []',
      'release: info No job is in the right state for “Release Machine of Job”. []',
      'extend: info No job is in the right state for “Extend Job”. []',
      'forget: warning dialog Forget 2 finished jobs? // Logs are removed from this computer. The fetched outputs stay. [Not Now, Forget, Cancel]',
    ]);
  });

  it('asks what becomes of the machine, and names what could be lost', async () => {
    const cases: readonly JobRow[] = [
      states['running, stopped and silent'] ?? aJobRow(),
      states['on a stopped machine'] ?? aJobRow(),
      aJobRow({ phase: 'starting', startedAt: undefined, ...jobTrouble('machineStopped') }),
      states['not fetched'] ?? aJobRow(),
      states['fetched'] ?? aJobRow(),
      aJobRow({
        phase: 'fetched',
        ...ended,
        ...outputsOfJob(2, 1),
        others: [{ id: 'a', name: 'eval', isAtWork: true }],
      }),
      aJobRow({
        phase: 'releasing',
        ...ended,
        ...outputsOfJob(2),
        ...jobTrouble('release', 5, text('It is busy.')),
      }),
    ];
    const said: string[] = [];
    for (const one of cases) {
      row = one;
      said.push(...(await shown((target) => releaseMachine(deps, target))));
    }
    assert.deepEqual(said, [
      'warning dialog What should happen to “trainer”? // It does not answer, so train may still run there. If you destroy it, all data on it is lost, including the outputs of train. [Not Now, Stop, Destroy, Cancel]',
      'warning dialog What should happen to “trainer”? // It is stopped, so the outputs of train can’t be fetched first. If you leave it stopped, you can fetch them later. If you destroy it, all data on it is lost, including these outputs. [Not Now, Leave Stopped, Destroy, Cancel]',
      'warning dialog What should happen to “trainer”? // It is stopped, and it is unknown whether train started there. If you destroy it, all data on it is lost. [Not Now, Leave Stopped, Destroy, Cancel]',
      'warning dialog What should happen to “trainer”? // Some outputs of train may exist only on this machine. If you destroy it, they are fetched first if possible, and all other data is lost. [Not Now, Stop, Destroy, Cancel]',
      'warning dialog What should happen to “trainer”? // The outputs of train are on this computer. If you destroy it, all other data on it is lost. [Not Now, Stop, Destroy, Cancel]',
      'warning dialog What should happen to “trainer”? // ⚠ The job eval of another computer is not finished there.\nSome outputs of train may exist only on this machine. If you destroy it, they are fetched first if possible, and all other data is lost. [Not Now, Stop, Destroy, Cancel]',
      'warning dialog What should happen to “trainer”? // ⚠ It is busy.\nThe outputs of train are on this computer. If you destroy it, all other data on it is lost. [Not Now, Stop, Destroy, Cancel]',
    ]);
  });

  it('does what was confirmed, once', async () => {
    const press = async (run: Promise<unknown>, button: string) => {
      await flush();
      screen.messages.shown.at(-1)?.press(button);
      await flush();
      await closeAll();
      await run;
    };
    row = states['running'];
    await press(stopJob(deps, { jobId: 'one' }), 'Stop Job');
    row = states['fetched'];
    await press(keepMachine(deps, { jobId: 'one' }), 'Keep Machine of Job');
    await press(releaseMachine(deps, { jobId: 'one' }), 'Stop');
    await press(releaseMachine(deps, { jobId: 'one' }), 'Destroy');
    row = states['on a stopped machine'];
    await press(releaseMachine(deps, { jobId: 'one' }), 'Leave Stopped');
    row = states['succeeded'];
    await press(forgetJobs(deps, { jobId: 'one' }, undefined), 'Forget');
    assert.deepEqual(done, [
      'stop',
      'end "keep"',
      'end "stop"',
      'end "destroy"',
      'end "stop"',
      'forget',
      'remove {}',
    ]);
    textsOn(screen);
  });

  it('does nothing that was declined, or confirmed for an account that is no longer active', async () => {
    const { accounts } = deps as unknown as { accounts: { active: { readonly key: string } } };
    for (const [button, active] of [
      ['Not Now', { key: 'mine' }],
      ['Stop Job', { key: 'other' }],
    ] as const) {
      row = states['running'];
      const end = stopJob(deps, { jobId: 'one' }).catch(() => undefined);
      await flush();
      accounts.active = active;
      screen.messages.shown.at(-1)?.press(button);
      await end;
      accounts.active = { key: 'mine' };
    }
    textsOn(screen);
    assert.deepEqual(done, []);
  });

  it('shows what still leads to outputs whose folder is gone', async () => {
    const said: string[] = [];
    for (const name of ['fetched', 'not released', 'succeeded']) {
      row = states[name];
      said.push(...(await shown((target) => openOutputs(deps, target))));
    }
    instance = undefined;
    said.push(...(await shown((target) => openOutputs(deps, target))));
    assert.deepEqual(said, [
      'warning /nowhere/outputs isn’t there. The outputs of train were moved or deleted. [Fetch Outputs of Job, Keep Machine of Job]',
      'warning /nowhere/outputs isn’t there. The outputs of train were moved or deleted. [Keep Machine of Job]',
      'warning /nowhere/outputs isn’t there. The outputs of train were moved or deleted. [Fetch Outputs of Job, Run Job Again…, Show Instance]',
      'warning /nowhere/outputs isn’t there. The outputs of train were moved or deleted. [Run Job Again…]',
    ]);
  });

  it('warns before a job is forgotten whose outputs may exist only there', async () => {
    const lacking = aJobRow({ ...over, ...ended, ...outputsOfJob(2, 1), outcome: 'kept' });
    const said: string[] = [];
    for (const one of [lacking, states['succeeded']]) {
      row = one;
      said.push(...(await shown((target) => forgetJobs(deps, target, undefined))));
    }
    instance = undefined;
    row = lacking;
    said.push(...(await shown((target) => forgetJobs(deps, target, undefined))));
    assert.deepEqual(said, [
      'warning dialog Forget “train”? // Logs are removed from this computer. The fetched outputs stay.\nOutputs on machines can no longer be fetched. Some may exist only there: train. [Not Now, Forget, Cancel]',
      'warning dialog Forget “train”? // Logs are removed from this computer. The fetched outputs stay. [Not Now, Forget, Cancel]',
      'warning dialog Forget “train”? // Logs are removed from this computer. The fetched outputs stay. [Not Now, Forget, Cancel]',
    ]);
  });
});
