import assert from 'node:assert/strict';
import type { JobRow, JobState } from '../../../../src/jobs/model/job';
import type { JobStepDeps, Step } from '../../../../src/jobs/store/jobStep';
import { goOnElsewhere, rentAgain } from '../../../../src/jobs/store/nextMachine';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import type { ReplaceResult } from '../../../../src/store/rentals/replacement';
import { UserError } from '../../../../src/util/errors';
import { formatText, text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { aJobRow, jobNow, jobTrouble } from '../../../support/jobRow';

const id = 7;
const marker = '0123abcd';
const never = new AbortController().signal;
const aRental = (phase: object, more: Partial<Rental> = {}) => ({ marker, phase, ...more }) as Rental;
const here = aRental({ kind: 'ready', instanceId: id });

interface World {
  readonly hasEnded?: boolean;
  readonly status?: Parameters<typeof anInstance>[0];
  readonly rentals?: readonly Rental[];
  readonly others?: readonly JobRow[];
  readonly result?: object;
}

/** What a job sees of its machine, which has ended by default; counts what is replaced. */
function world({ hasEnded = true, status, rentals = [here], others = [], result }: World = {}) {
  const replaced: number[] = [];
  const deps = {
    fleet: {
      hasEnded: () => hasEnded,
      find: () => anInstance({ id, ...status }),
      facts: () => ({}),
    },
    rentals: { rentals },
    clock: { now: () => jobNow },
    jobs: { ofInstance: () => others },
    replaceMachine: (instanceId: number) => {
      replaced.push(instanceId);
      return Promise.resolve(result as ReplaceResult);
    },
  } as unknown as JobStepDeps; // nothing else of them is used here
  return { deps, replaced };
}

const fields = { retries: { machineLost: 1, interrupted: 1 } };
const job = { rental: { marker } };
const row = (state: Partial<JobState> = {}, more: object = {}) =>
  aJobRow(state, { fields, job: { ...job, ...more } });
const leaving = (state: Partial<JobState> = {}) => row({ leaving: 'machineLost', ...state });
const whyOf = (step: Step | undefined) =>
  step?.event?.kind === 'failed' && step.event.why ? formatText(step.event.why) : undefined;
const waits: Step = { waitMs: 3000 };

describe('A job whose machine is lost', () => {
  it('notes that it leaves before anything is replaced', async () => {
    const { deps, replaced } = world();
    const step = await goOnElsewhere(deps, row(), never);
    assert.deepEqual([step, replaced], [{ event: { kind: 'leaving', cause: 'machineLost' } }, []]);
  });

  for (const [what, one, seen] of [
    ['whose machine is there', row(), { hasEnded: false }],
    ['whose machine was not rented for it', aJobRow({}, { fields }), {}],
    ['whose machine is not known yet', aJobRow({}, { fields, job, instanceId: undefined }), {}],
    ['that has ended', row({ phase: 'fetching' }), {}],
    ['that was stopped', row({}, { decidedAt: { stop: jobNow } }), {}],
    ['that may not be tried again', aJobRow({}, { job }), {}],
    ['that has no dollars left', row({ beganAt: jobNow - 300 * 60_000 }), {}],
  ] as const) {
    it(`stays where it is: one ${what}`, async () => {
      const { deps, replaced } = world(seen);
      assert.deepEqual([await goOnElsewhere(deps, one, never), replaced], [undefined, []]);
    });
  }

  for (const [kind, minutes, status, cause] of [
    ['unreachable', 5, 'exited', 'interrupted'],
    ['sync', 5, 'exited', 'interrupted'],
    ['unreachable', 4, 'exited', undefined],
    ['release', 60, 'exited', undefined],
    ['unreachable', 60, 'running', undefined],
  ] as const) {
    it(`${cause ? 'leaves' : 'does not leave'} after ${minutes} minutes of ${kind} one that is ${status}`, async () => {
      const { deps } = world({
        hasEnded: false,
        status: { actualStatus: status, intendedStatus: 'running' },
      });
      const step = await goOnElsewhere(deps, row(jobTrouble(kind, minutes)), never);
      assert.deepEqual(step, cause && { event: { kind: 'leaving', cause } });
    });
  }

  it('follows the rental of its machine, which another job or window has replaced', async () => {
    const replacement = aRental({ kind: 'renting' }, { marker: 'next', replaces: marker });
    const moved = { event: { kind: 'moved', cause: 'machineLost' } };
    for (const [one, next, step] of [
      [leaving(), replacement, moved],
      [row({ phase: 'waiting' }), replacement, moved],
      [row({ phase: 'connecting' }), replacement, moved],
      [row(), replacement, { event: { kind: 'leaving', cause: 'machineLost' } }],
      [leaving(), { ...replacement, phase: { kind: 'notRented' } } as Rental, waits],
      [leaving(), { ...replacement, replaces: 'another' }, waits],
    ] as const) {
      const { deps } = world({ rentals: [here, next], result: { kind: 'elsewhere' } });
      assert.deepEqual(await goOnElsewhere(deps, one, never), step);
    }
  });

  it('waits while the machine is being replaced, unless it runs there', async () => {
    const ofAnother = aRental({ kind: 'ready', instanceId: 8 }, { marker: 'another' });
    const rentals = [ofAnother, aRental({ kind: 'ready', instanceId: id }, { replacingSince: jobNow })];
    for (const one of [leaving(), row({ phase: 'waiting' })]) {
      const { deps, replaced } = world({ rentals });
      assert.deepEqual([await goOnElsewhere(deps, one, never), replaced], [waits, []]);
    }
    const running = await goOnElsewhere(world({ rentals }).deps, row(), never);
    assert.equal(running?.event?.kind, 'leaving');
  });

  for (const [result, step] of [
    [{ kind: 'replaced' }, { event: { kind: 'moved', cause: 'machineLost' } }],
    [{ kind: 'replacedBefore' }, waits],
    [{ kind: 'elsewhere' }, waits],
    [
      { kind: 'notNeeded', isRunning: true },
      { event: { kind: 'stayed' }, ...waits },
    ],
    [{ kind: 'overBudget' }, 'Another machine would exceed your budget.'],
    [{ kind: 'noOffer' }, 'No offer fits its search and price limit.'],
    [{ kind: 'templateChanged' }, 'Its template was changed.'],
    [{ kind: 'notDestroyed' }, 'The service has not confirmed that the old machine is destroyed.'],
    [{ kind: 'destroyedOnly', error: new UserError(text('No credit.')) }, 'No credit.'],
    [{ kind: 'destroyedOnly', error: new Error('odd') }, 'No offer fits its search and price limit.'],
  ] as const) {
    it(`${typeof step === 'string' ? 'explains why it does not continue' : 'continues'} after ${result.kind}${'error' in result ? `: ${result.error.message}` : ''}`, async () => {
      const { deps, replaced } = world({ result });
      const taken = await goOnElsewhere(deps, leaving(), never);
      assert.deepEqual(replaced, [id]);
      if (typeof step === 'string') {
        assert.equal(whyOf(taken), step);
        assert.equal(taken?.event?.kind === 'failed' && taken.event.trouble, 'notReplaced');
      } else {
        assert.deepEqual(taken, step);
      }
    });
  }

  const others = (state: Partial<JobState>) => [leaving(), aJobRow(state, { job: { id: 'other' } })];
  const seenThere = [{ id: 'x', name: 'theirs', isAtWork: false }];
  for (const [what, status, rows, expected] of [
    ['another job works on', 'offline', others({}), waits],
    ['another job has outputs on', 'offline', others({ phase: 'fetching' }), /outputs of another job/],
    ['another job leaves as well', 'offline', others({ leaving: 'machineLost' }), undefined],
    ['another job waits for', 'offline', others({ phase: 'queued' }), undefined],
    ['another computer works on', 'offline', [leaving({ others: seenThere })], /Destroy the old machine/],
    ['is back', 'running', others({ phase: 'fetching' }), { event: { kind: 'stayed' }, ...waits }],
    ['has nothing of others', 'running', [leaving()], undefined],
  ] as const) {
    it(`${expected ? 'does not replace' : 'replaces'} a machine that ${what}`, async () => {
      const { deps, replaced } = world({
        hasEnded: false,
        status: { actualStatus: status, intendedStatus: 'running' },
        others: rows,
        result: { kind: 'replaced' },
      });
      const step = await goOnElsewhere(deps, leaving(), never);
      assert.deepEqual(replaced, expected ? [] : [id]);
      if (expected instanceof RegExp) {
        assert.match(whyOf(step) ?? '', expected);
      } else if (expected) {
        assert.deepEqual(step, expected);
      }
    });
  }

  it('is rented for one more time if the first request rented nothing', async () => {
    const ended = aRental({ kind: 'ended', instanceId: id });
    const renting = { phase: 'renting', firstHere: 2 } as const;
    for (const [one, rentals, result, step, count] of [
      [row(renting), [ended], { kind: 'replaced' }, waits, 1],
      [row(renting), [ended], { kind: 'elsewhere' }, waits, 1],
      [row(renting, { decidedAt: { stop: jobNow } }), [ended], {}, { event: { kind: 'notStarted' } }, 0],
      [row({ phase: 'renting' }), [ended], {}, undefined, 0],
      [row({ ...renting, firstHere: 1 }), [ended], {}, undefined, 0],
      [row({ ...renting, phase: 'running' }), [ended], {}, undefined, 0],
      [row(renting), [here], {}, undefined, 0],
      [row(renting), [aRental({ kind: 'ended' })], {}, undefined, 0],
      [row(renting), [], {}, undefined, 0],
    ] as const) {
      const { deps, replaced } = world({ rentals, result });
      assert.deepEqual([await rentAgain(deps, one, never), replaced.length], [step, count]);
    }
  });
});
