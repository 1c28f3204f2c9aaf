import assert from 'node:assert/strict';
import { isToldByWindow } from '../../../../src/features/readiness/toldByWindow';
import type { Instance } from '../../../../src/model/instances/instance';
import { windowTroubleOf } from '../../../../src/model/instances/windowTrouble';
import type { FailureReason } from '../../../../src/model/rentals/startWatch';

const now = 1_000_000_000;
/** How a machine is listed whose start failed. */
const listed: Readonly<Record<FailureReason, Partial<Instance>>> = {
  exited: { actualStatus: 'exited' },
  unknown: { actualStatus: 'unknown' },
  offline: { actualStatus: 'offline' },
  gaveUp: { actualStatus: 'created', currentState: 'stopped' },
  timedOut: { actualStatus: 'loading' },
};

describe('a failed start of a machine that has a window', () => {
  for (const [reason, part] of Object.entries(listed) as [FailureReason, Partial<Instance>][]) {
    it(`is told once: ${reason}`, () => {
      const machine: Instance = { id: 7, intendedStatus: 'running', ...part };
      const asksInItsWindow = windowTroubleOf(machine, {}, now) !== undefined;
      for (const hadData of [false, true]) {
        const event = { instanceId: 7, kind: 'failed', reason, hadData } as const;
        assert.equal(isToldByWindow(event), asksInItsWindow);
      }
    });
  }

  it('leaves to it what became of a machine that ran, and nothing that it cannot see', () => {
    assert.equal(isToldByWindow({ instanceId: 7, kind: 'ready' }), true);
    assert.equal(isToldByWindow({ instanceId: 7, kind: 'trouble', trouble: 'outbid' }), true);
    assert.equal(isToldByWindow({ instanceId: 7, kind: 'long' }), false);
    assert.equal(isToldByWindow({ instanceId: 7, kind: 'notDestroyed' }), false);
  });
});
