import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { backOffMs, pollIntervalMs, putOffMs } from '../../../../src/model/instances/pollPlan';

describe('The pause between two lists', () => {
  const quiet = {
    isSignedIn: true,
    instances: { anyChanging: false, anyBilling: true },
    isDoubtful: false,
    isStopping: false,
    isAwaited: false,
    isInView: true,
  };

  it('is short while a stop of ours is under way, which ends within seconds', () => {
    const changing = { ...quiet, instances: { anyChanging: true, anyBilling: true } };
    assert.equal(pollIntervalMs({ ...changing, isStopping: true }), 3000);
    assert.equal(pollIntervalMs(changing), 10_000);
    assert.equal(pollIntervalMs(quiet), 60_000);
  });
});

describe('The pauses while a service fails', () => {
  it('of the list are longer than those in which no read is let go, so that it is made at its time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          assert.ok(backOffMs(failures, random) > putOffMs(failures));
        },
      ),
    );
  });

  it('of the list leave time to read it within 90 seconds after the service works again', () => {
    assert.equal(backOffMs(1, 0.5), 10_000);
    assert.equal(backOffMs(50, 1), 72_000);
    assert.equal(backOffMs(0, 1), 0);
  });
});
