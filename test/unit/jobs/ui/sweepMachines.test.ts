import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { sweepMachines } from '../../../../src/jobs/ui/sweepMachines';
import { anInstance } from '../../../support/builders';
import { FakeQuickPick } from '../../../support/fakeEditor/quickInput';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The machines that share a matrix', () => {
  const screen = useScreen();
  const now = Date.UTC(2026, 10, 27);
  const aMachine = (id: number) => anInstance({ id, label: `machine ${id}` });
  const first = aMachine(1);
  const others = [2, 3, 4].map(aMachine);
  const deps = {
    clock: { now: () => now },
    fleet: {
      state: { kind: 'ready', value: { instances: [first, ...others] }, fetchedAt: now },
      facts: () => ({}),
      refresh: () => Promise.resolve(),
    },
  };
  const asked = (maxParallel: number, isMatrix = true) =>
    sweepMachines(
      only(deps),
      only({ name: 'train', matrix: isMatrix ? { LR: ['1', '2'] } : undefined, maxParallel }),
      first,
    );
  const ids = (machines: Awaited<ReturnType<typeof asked>>) => machines?.map(({ id }) => id);

  it('are no more than run at once, and the list says how many may be chosen', async () => {
    const answer = asked(3);
    await setImmediate();
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    assert.match(current.placeholder ?? '', /up to 2 besides machine 1/);
    current.items.forEach((row) => current.toggle(row));
    current.accept();
    await setImmediate();
    assert.equal(screen.quick.current, current);
    assert.equal(current.title, 'Select 2 at most. Selected: 3');
    const [row] = current.items;
    assert.ok(row);
    current.toggle(row);
    current.accept();
    assert.deepEqual(ids(await answer), [1, 3, 4]);
  });

  it('are not asked for where one job runs at a time, or there is one job', async () => {
    assert.deepEqual(ids(await asked(1)), [1]);
    assert.deepEqual(ids(await asked(3, false)), [1]);
  });
});
