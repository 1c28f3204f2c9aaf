import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { JobState } from '../../../../src/jobs/model/job';
import { fromDollars, zero } from '../../../../src/model/money';
import { bringOutputs } from '../../../../src/jobs/store/bringOutputs';
import { checkpointFolder } from '../../../../src/jobs/store/checkpoints';
import type { StoppedMachine } from '../../../../src/jobs/model/jobMachine';
import { Traffic, trafficOf } from '../../../../src/jobs/store/traffic';
import { UserError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { formatText } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { aJobRow, jobTrouble } from '../../../support/jobRow';
import { FakeMachine } from '../../../support/jobWindows';
import { useFolder } from '../../../support/useFolder';
import { only } from '../../../support/only';

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

  it('are here with what they cost, which the machine is told, and no checkpoint is left', async () => {
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
    it(`are fetched three times more where some did not come: ${names.join()}`, async () => {
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
    for (const bytes of [1e9, 3e9, 2e9]) first({ bytes, totalBytes: 5e9 });
    assert.deepEqual([seen, traffic.cost], [[1e9, 3e9, 2e9], fromDollars(2_000_000)]);
    const second = traffic.noting();
    for (const bytes of [7e9, 8e9]) second({ bytes, totalBytes: 9e9 });
    assert.equal(traffic.cost, fromDollars(3_000_000));
  });

  it('costs what the host of the machine charges for its way, if that is known', () => {
    const instance = anInstance({ id: 7, inetDownPerGb: fromDollars(1), inetUpPerGb: fromDollars(2) });
    const costOf = (found: typeof instance | undefined, way: 'sending' | 'fetching', instanceId?: number) => {
      const fleet = { find: (id: number) => (id === 7 ? found : undefined) };
      const traffic = trafficOf({ fleet }, aJobRow({}, { instanceId }), way);
      const note = traffic.noting();
      for (const bytes of [0, 1e9]) note({ bytes, totalBytes: 1e9 });
      return traffic.cost;
    };
    assert.equal(costOf(instance, 'sending', 7), fromDollars(1));
    assert.equal(costOf(instance, 'fetching', 7), fromDollars(2));
    assert.equal(costOf(undefined, 'sending', 7), zero);
    assert.equal(costOf(instance, 'sending'), zero);
  });
});
