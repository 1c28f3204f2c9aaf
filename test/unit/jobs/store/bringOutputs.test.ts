import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { attemptId } from '../../../../src/jobs/model/attemptIds';
import { type JobRow, type JobState, newJobState } from '../../../../src/jobs/model/job';
import type { StoppedMachine } from '../../../../src/jobs/model/jobMachine';
import { jobFolderGone } from '../../../../src/jobs/model/jobText';
import type { JobCheck } from '../../../../src/jobs/model/onMachine';
import { bringOutputs, checkAgain, noOutputs, withoutFolder } from '../../../../src/jobs/store/bringOutputs';
import { checkpointFolder } from '../../../../src/jobs/store/checkpoints';
import { Traffic, trafficOf } from '../../../../src/jobs/store/traffic';
import { fromDollars, zero } from '../../../../src/model/money';
import { UserError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { formatText, text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { aJobRow, endOfJob, jobNow, jobTrouble } from '../../../support/jobRow';
import { aJob, FakeMachine } from '../../../support/jobWindows';
import { only } from '../../../support/only';
import { useFolder } from '../../../support/useFolder';

describe('The outputs of a job', () => {
  let folder = '';
  useFolder((made) => void (folder = made));
  let machine: FakeMachine;
  let warnings: string[];
  beforeEach(() => {
    machine = new FakeMachine();
    warnings = [];
  });

  const job = () => ({
    id: '0123456789abcdef',
    workspace: folder,
    outputsTo: path.join(folder, 'results'),
  });
  function bring(state: Partial<JobState> = {}) {
    const moves = {
      report: (_: string, __: string, run: (onProgress: () => void) => Promise<unknown>) =>
        run(() => undefined),
    };
    const instance = anInstance({ inetUpPerGb: fromDollars(0.05) });
    const deps = {
      jobs: only<Parameters<typeof bringOutputs>[0]['jobs']>({ moves }),
      log: { ...silentLog, warn: (line: string) => void warnings.push(line) },
      fleet: { find: () => instance },
    };
    const source: StoppedMachine = machine;
    const row = aJobRow({ phase: 'fetching', ...state }, { job: job() });
    return bringOutputs(deps, source, row, 'attempt', new AbortController().signal);
  }
  const tried = (tries: number) => {
    const { trouble } = jobTrouble('fetch');
    return { trouble: trouble && { ...trouble, tries } };
  };

  it('are here with what they cost, which the machine stores, and no checkpoint is left', async () => {
    machine.outputsThere = ['a', 'b'];
    machine.movedBytes = 2e9;
    mkdirSync(checkpointFolder(job()), { recursive: true });
    const event = await bring();
    const outputs = { files: 2, bytes: 6, hash: 'hash-of-list', areHashed: true, leftOut: 0 };
    assert.deepEqual(event, { kind: 'fetched', outputs, traffic: fromDollars(0.1) });
    assert.equal(machine.fetched, 'hash-of-list');
    assert.equal(existsSync(path.dirname(checkpointFolder(job()))), false);
    assert.equal(existsSync(job().outputsTo), true);
    assert.deepEqual(warnings, []);
  });

  for (const [names, sentence] of [
    [['a'], 'a could not be fetched: cut'],
    [['a', 'b'], '2 outputs could not be fetched. The first is a: cut'],
  ] as const) {
    it(`are fetched three more times if some are missing: ${names.join()}`, async () => {
      machine.leavesOut = names;
      for (const state of [{}, tried(1), tried(2)]) {
        await assert.rejects(bring(state), (error: unknown) => {
          assert.ok(error instanceof UserError);
          return formatText(error.text) === sentence;
        });
      }
      mkdirSync(checkpointFolder(job()), { recursive: true });
      const event = await bring(tried(3));
      assert.ok(event.kind === 'fetched');
      assert.equal(event.outputs.leftOut, names.length);
      assert.deepEqual([machine.fetched, existsSync(checkpointFolder(job()))], [undefined, true]);
    });
  }

  it('name three of those that no fetch can bring, and count as whole without them', async () => {
    machine.hostile = ['a', 'b', 'c', 'd'];
    const event = await bring();
    assert.ok(event.kind === 'fetched');
    assert.equal(event.outputs.leftOut, 4);
    assert.deepEqual(
      event.outputs.named?.map(({ name }) => name),
      ['a', 'b', 'c'],
    );
    assert.equal(machine.fetched, 'hash-of-list');
    assert.match(warnings[0] ?? '', /left out "a": hostile/);
    assert.equal(warnings.length, 4);
  });
});

describe('The traffic of a job', () => {
  const perGb = fromDollars(1_000_000);

  it('is what was moved, not what was there already, in each of its transfers', () => {
    const traffic = new Traffic(perGb);
    assert.equal(traffic.cost, zero);
    const seen: number[] = [];
    const first = traffic.noting(({ bytes }) => seen.push(bytes));
    for (const bytes of [1e9, 3e9, 2e9]) {
      first({ bytes, totalBytes: 5e9 });
    }
    assert.deepEqual([seen, traffic.cost], [[1e9, 3e9, 2e9], fromDollars(2_000_000)]);
    const second = traffic.noting();
    for (const bytes of [7e9, 8e9]) {
      second({ bytes, totalBytes: 9e9 });
    }
    assert.equal(traffic.cost, fromDollars(3_000_000));
  });

  it('costs what the host of the machine charges for its way, if that is known', () => {
    const instance = anInstance({ id: 7, inetDownPerGb: fromDollars(1), inetUpPerGb: fromDollars(2) });
    const costOf = (found: typeof instance | undefined, way: 'sending' | 'fetching', instanceId?: number) => {
      const fleet = { find: (id: number) => (id === 7 ? found : undefined) };
      const traffic = trafficOf({ fleet }, aJobRow({}, { instanceId }), way);
      const note = traffic.noting();
      for (const bytes of [0, 1e9]) {
        note({ bytes, totalBytes: 1e9 });
      }
      return traffic.cost;
    };
    assert.equal(costOf(instance, 'sending', 7), fromDollars(1));
    assert.equal(costOf(instance, 'fetching', 7), fromDollars(2));
    assert.equal(costOf(undefined, 'sending', 7), zero);
    assert.equal(costOf(instance, 'sending'), zero);
  });
});

const end = { code: 0, why: 'itself', at: 5, isOutOfMemory: false } as const;
const { signal } = new AbortController();

/** A job that may run on two machines more, and after two interruptions. */
function aRow(more: Partial<JobState>): JobRow {
  const retries = { machineLost: 2, interrupted: 2 };
  const job = { ...aJob(5001, { retries }), id: '0123456789abcdef', orderedAt: 1000 };
  const reopened = { at: 9, outcome: 'unknown' } as const;
  return { job, state: { ...newJobState(job), phase: 'fetching', reopened, ...more } };
}

/** A machine that has some attempts of a job, and the attempts that it was asked for. */
function machineWith(phases: Readonly<Record<number, JobCheck['phase']>>, row: JobRow) {
  const asked: number[] = [];
  const attemptOf = (id: string) =>
    [1, 2, 3, 4, 5, 6].find((one) => attemptId(row.job, { attempt: one }) === id);
  const source: Pick<StoppedMachine, 'check'> = {
    check: (id, offset) => {
      const attempt = attemptOf(id) ?? 0;
      asked.push(attempt);
      const phase = phases[attempt] ?? 'none';
      const log = { offset, piece: Buffer.alloc(0) };
      return Promise.resolve({
        ...{ phase, log, pidAlive: false, hasOutputsList: true },
        ...(phase === 'ended' ? { end } : {}),
      });
    },
  };
  return { asked, check: () => checkAgain(source as StoppedMachine, row, signal) };
}

describe('What a machine has of a job whose outputs are fetched again', () => {
  it('is the newest attempt where the progress is lost, from the last that the file allows', async () => {
    const { asked, check } = machineWith({ 1: 'ended', 3: 'ended' }, aRow({ isLost: true }));
    assert.deepEqual(await check(), { kind: 'attemptFound', attempt: 3 });
    assert.deepEqual(asked, [5, 4, 3]);
  });

  it('is how the attempt ended, once that is found', async () => {
    const { asked, check } = machineWith({ 1: 'ended', 3: 'ended' }, aRow({ isLost: true, attempt: 3 }));
    const event = await check();
    assert.ok(event?.kind === 'looked');
    assert.deepEqual(event.check.end, end);
    assert.deepEqual(asked, [5, 4, 3]);
  });

  it('can be fetched at once where its end is known, by one look at its own attempt', async () => {
    for (const isLost of [true, undefined]) {
      const { asked, check } = machineWith({ 2: 'ended', 5: 'ended' }, aRow({ isLost, end, attempt: 2 }));
      assert.equal(await check(), undefined);
      assert.deepEqual(asked, [2]);
    }
  });

  it('is nothing to fetch where its command was never started', async () => {
    const event = await machineWith({ 1: 'synced' }, aRow({ isLost: true })).check();
    assert.ok(event?.kind === 'notFetched');
    assert.equal(event.why?.template, 'Its command was never started.');
  });

  it('is a failure if its folder is gone, which is tried again', async () => {
    const event = await machineWith({}, aRow({ end })).check();
    assert.ok(event?.kind === 'failed');
    assert.deepEqual([event.trouble, event.why?.template], ['fetch', 'Its folder on the machine is gone.']);
  });
});

const check: JobCheck = {
  phase: 'none',
  end: undefined,
  beat: undefined,
  ago: undefined,
  log: { offset: 0, piece: Buffer.alloc(0) },
  pidAlive: false,
  hasOutputsList: false,
};
const reopened = { reopened: { at: jobNow, outcome: 'kept' as const } };
const gone = jobTrouble('machineFails', 5, jobFolderGone);

describe('The folder of a job that is gone from its machine', () => {
  it('is there as long as anything of the job is', () => {
    assert.equal(withoutFolder(aJobRow(), { ...check, phase: 'running' }), undefined);
    assert.equal(withoutFolder(aJobRow(), { ...check, ...endOfJob('itself', 0) }), undefined);
  });

  it('is looked for again after any other failure', () => {
    for (const state of [{}, jobTrouble('unreachable'), jobTrouble('unreachable', 5, text('The cut.'))]) {
      const event = { kind: 'failed', trouble: 'machineFails', why: jobFolderGone };
      assert.deepEqual(withoutFolder(aJobRow(state), check), event);
      const fetching = withoutFolder(aJobRow({ ...state, ...reopened }), check);
      assert.deepEqual(fetching, { ...event, trouble: 'fetch' });
    }
  });

  it('ends the job once it is missed twice, without outputs', () => {
    const event = withoutFolder(aJobRow(gone), check);
    assert.ok(event?.kind === 'looked');
    assert.deepEqual(event.check.end, { code: undefined, why: 'gone', at: undefined, isOutOfMemory: false });
    assert.deepEqual(noOutputs, { files: 0, bytes: 0, hash: '', areHashed: false, leftOut: 0 });
  });

  it('ends the fetch of a job that was over, which stays as it ended', () => {
    const event = withoutFolder(aJobRow({ ...gone, ...reopened }), check);
    assert.deepEqual(event, { kind: 'notFetched', why: jobFolderGone });
  });
});
