import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import { windowTroubleOf } from '../../../../src/model/instances/windowTrouble';
import { anInstance } from '../../../support/builders';

const now = 1_000_000_000;
const ran = { readyAt: now - 1000 };
const instance = (part: Partial<Instance>): Instance => ({ id: 7, intendedStatus: 'running', ...part });

describe('what became of the machine of a window', () => {
  const cases: readonly (readonly [string, Partial<Instance>, string | undefined])[] = [
    ['runs', { actualStatus: 'running' }, undefined],
    ['is being prepared', { actualStatus: null }, undefined],
    ['loads its image', { actualStatus: 'loading' }, undefined],
    ['is being stopped', { actualStatus: 'running', intendedStatus: 'stopped' }, undefined],
    ['is stopped', { actualStatus: 'exited', intendedStatus: 'stopped' }, 'stopped'],
    ['has exited', { actualStatus: 'exited' }, 'exited'],
    ['was outbid', { actualStatus: 'exited', isInterruptible: true }, 'outbid'],
    ['sends no heartbeat', { actualStatus: 'unknown' }, 'unknown'],
    ['is offline', { actualStatus: 'offline' }, 'offline'],
    ['is offline while stopped', { actualStatus: 'offline', intendedStatus: 'stopped' }, 'offline'],
    ['gave its start up', { actualStatus: 'created', currentState: 'stopped' }, 'exited'],
    ['is in a state that nobody knows', { actualStatus: 'meditating' }, undefined],
  ];
  for (const [what, part, expected] of cases) {
    it(`${what}: ${expected ?? 'nothing yet'}`, () => {
      assert.equal(windowTroubleOf(instance(part), ran, now), expected);
    });
  }

  it('is not lost where it reports its end beside a contract that runs', () => {
    const lagging = anInstance({ actualStatus: 'exited', currentState: 'running' });
    assert.equal(windowTroubleOf(lagging, {}, now), undefined);
  });

  it('is in no complete list: destroyed', () => {
    assert.equal(windowTroubleOf(undefined, {}, now), 'destroyed');
  });
});
