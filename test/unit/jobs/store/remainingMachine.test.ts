import assert from 'node:assert/strict';
import { newJobState, type JobRow, type JobState } from '../../../../src/jobs/model/job';
import { isLostHere, lostJobState } from '../../../../src/jobs/model/lostProgress';
import { isJobOpen } from '../../../../src/jobs/model/reopenedJob';
import { remainingMachine, type RemainingMachineDeps } from '../../../../src/jobs/store/remainingMachine';
import { fromDollars } from '../../../../src/model/money';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { formatText, text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { aJob } from '../../../support/jobWindows';

const id = 5001;
const marker = '0123abcd';

/** A rental as far as it is read here. */
function aRental(phase: object): Rental {
  return { marker, phase } as Partial<Rental> as Rental;
}

function deps(
  instance = anInstance({ id }),
  hasEnded = false,
  rentals: readonly Rental[] = [],
): RemainingMachineDeps {
  return {
    fleet: { find: (one) => (one === instance.id ? instance : undefined), hasEnded: () => hasEnded },
    rentals: { rentals },
  };
}

function aRow(more: Partial<JobState> = {}, instanceId: number | undefined = id): JobRow {
  const job = { ...aJob(instanceId), id: '0123456789abcdef', orderedAt: 1000 };
  const end = { code: 0, why: 'itself', at: 5, isOutOfMemory: false } as const;
  return { job, state: { ...newJobState(job), phase: 'over', outcome: 'kept', end, ...more } };
}

/** A job that rented its machine, which only its progress knew. */
function aLostRow(): JobRow {
  const job = { ...aRow().job, machine: { name: 'RTX 4090' }, rental: { marker } };
  return { job, state: lostJobState(job, undefined) };
}

describe('The machine that a job left', () => {
  it('is the one listed, with what it costs now', () => {
    const left = { instanceId: id, name: 'training', perHour: fromDollars(0.4) };
    assert.deepEqual(remainingMachine(deps(), aRow()), left);
    assert.deepEqual(remainingMachine(deps(), aRow({ outcome: 'stopped' })), left);
  });

  it('has no price where the service states none', () => {
    const { totalPerHour, ...rest } = anInstance({ id });
    assert.equal(totalPerHour, fromDollars(0.4));
    assert.deepEqual(remainingMachine(deps(rest), aRow()), { instanceId: id, name: 'training' });
  });

  it('is none where it is not listed, or has ended', () => {
    assert.equal(remainingMachine(deps(anInstance({ id: id + 1 })), aRow()), undefined);
    assert.equal(remainingMachine(deps(anInstance({ id }), true), aRow()), undefined);
  });

  for (const [name, more] of Object.entries({
    'runs still': { phase: 'running', outcome: undefined },
    'was destroyed': { outcome: 'destroyed' },
    'never began': { end: undefined },
  } satisfies Record<string, Partial<JobState>>)) {
    it(`is none for a job that ${name}`, () => {
      assert.equal(remainingMachine(deps(), aRow(more)), undefined);
    });
  }

  it('is found by the rental where the progress of the job is lost', () => {
    const phase = { kind: 'rented', instanceId: id };
    assert.equal(remainingMachine(deps(undefined, false, [aRental(phase)]), aLostRow())?.instanceId, id);
    assert.equal(
      remainingMachine(deps(undefined, false, [aRental({ kind: 'sent' })]), aLostRow()),
      undefined,
    );
    assert.equal(remainingMachine(deps(), aLostRow()), undefined);
  });
});

describe('A job whose progress is lost', () => {
  it('is over, and names the file that was kept where there is one', () => {
    const { job } = aRow();
    const kept = lostJobState(job, { path: '/jobs/0123.broken-7', at: 7 });
    assert.equal(kept.setAside, '/jobs/0123.broken-7');
    const missing = lostJobState(job, undefined);
    assert.equal(missing.setAside, undefined);
    assert.match(formatText(missing.why ?? text('')), /lost.*check your instances/);
    assert.deepEqual([kept.since, missing.since], [7, 1000]);
  });

  it('counts as lost here until it is known what became of it', () => {
    assert.equal(isLostHere(aLostRow()), true);
    assert.equal(isLostHere(aRow()), false);
    assert.equal(
      isLostHere({ state: { ...aLostRow().state, phase: 'fetching', outcome: undefined } }),
      false,
    );
  });

  it('is not open unless its outputs are asked for since its end', () => {
    const { job, state } = aLostRow();
    assert.equal(isJobOpen({ job, state }), false);
    const asked = (since: number) => isJobOpen({ job: { ...job, reopen: { at: 9, since } }, state });
    assert.deepEqual([asked(state.since), asked(state.since - 1)], [true, false]);
    assert.equal(isJobOpen(aRow({ phase: 'running' })), true);
  });
});
