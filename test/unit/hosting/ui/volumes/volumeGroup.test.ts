import assert from 'node:assert/strict';
import { VolumeGroup } from '../../../../../src/hosting/ui/volumes/volumeGroup';
import { fromDollars } from '../../../../../src/model/money';
import type { Volume } from '../../../../../src/model/volume';
import { anInstance } from '../../../../support/builders';
import { FakeEventEmitter } from '../../../../support/fakeEditor/events';
import { labelOf } from '../../../../support/fakeEditor/trees';

type Deps = ConstructorParameters<typeof VolumeGroup>[0];

describe('The volumes below the instances', () => {
  const now = new Date(2026, 0, 15, 12).getTime();
  const used: Volume = {
    id: 3,
    label: 'data',
    sizeGb: 100.04,
    perHour: fromDollars(0.01),
    instanceIds: [7, 8, 9],
  };

  function scene(first: object, { isSignedIn = true, isVisible = false } = {}) {
    const changed = new FakeEventEmitter<unknown>();
    const listed = new FakeEventEmitter<unknown>();
    const volumes = {
      state: first,
      onDidChange: changed.event,
      refresh: (how: object) => Promise.resolve(void reads.push(how)),
    };
    const fleet = {
      state: { kind: 'idle' } as object,
      onDidChange: listed.event,
      find: (id: number) => (id === 7 ? anInstance({ id, label: 'trainer' }) : undefined),
      hasEnded: (id: number) => id === 9,
    };
    const reads: object[] = [];
    const none = { dispose: () => undefined };
    const group = new VolumeGroup({
      accounts: { active: isSignedIn ? { key: 'mine' } : undefined, onDidChange: () => none },
      clock: { now: () => now },
      fleet,
      log: { info: () => undefined },
      trees: { 'gpuRental.instances': { view: { visible: isVisible, onDidChangeVisibility: () => none } } },
      volumes,
    } as unknown as Deps);
    let redraws = 0;
    group.onDidChange(() => (redraws += 1));
    return {
      group,
      reads,
      redraws: () => redraws,
      become: (state: object) => {
        volumes.state = state;
        changed.fire(state);
      },
      list: (...ids: readonly number[]) => {
        fleet.state = { kind: 'ready', value: { instances: ids.map((id) => ({ id })) } };
        listed.fire(undefined);
      },
      rows: () =>
        group.rows().map((row) => {
          const item = row.item();
          const { description, tooltip } = item;
          const hint =
            typeof tooltip === 'object'
              ? tooltip.value.replace(/[\\]|&nbsp;/g, '').replace(/\s*\n+/g, ' / ')
              : tooltip;
          return [labelOf(item), description, hint]
            .filter((part) => part !== undefined && part !== '')
            .join(' | ');
        }),
    };
  }
  const ready = (value: readonly Volume[], more = {}) => ({ kind: 'ready', value, fetchedAt: now, ...more });

  it('show what they hold, what they cost and what uses them', () => {
    const bare: Volume = { id: 4 };
    const unused: Volume = { id: 5, label: 'old', machineId: 178, location: 'Sweden, SE', instanceIds: [9] };
    const { rows, group } = scene(ready([used, bare, unused]));
    assert.deepEqual(rows(), [
      'data | 100 GB · $0.240/day · used by trainer, #8 | Volume #3 / 100 GB / $0.240/day / used by trainer, #8',
      'V.4 | price not stated | Volume #4 / price not stated',
      'old | price not stated · unused | Volume #5 / price not stated / unused / On machine 178 / Sweden',
    ]);
    assert.equal(group.description(), '3 · ≥ $0.240/day');
    assert.equal(scene(ready([used])).group.description(), '1 · $0.240/day');
    assert.equal(scene(ready([used], { skipped: 1 })).group.description(), '≥ 1 · ≥ $0.240/day');
    assert.equal(scene(ready([])).group.description(), '');
    assert.match(scene(ready([used], { error: new Error('x') })).group.description(), /, as of 12:00 PM$/);
  });

  it('show what could not be read, and stay while it is read again', () => {
    const { rows, become } = scene({ kind: 'idle' });
    assert.deepEqual(rows(), []);
    become({ kind: 'loading' });
    assert.deepEqual(rows(), []);
    become({ kind: 'failed', error: new Error('x') });
    assert.equal(rows().length, 1);
    become({ kind: 'loading' });
    assert.deepEqual(rows(), ['Loading…']);
    become(ready([used], { skipped: 2 }));
    assert.equal(rows().length, 2);
    assert.match(rows()[0] ?? '', /Could not be read: 2/);
    become({ kind: 'loading' });
    assert.deepEqual(rows(), [], 'nothing had failed');
  });

  it('are drawn again only where they differ', () => {
    const { become, redraws } = scene({ kind: 'idle' });
    become(ready([used]));
    become(ready([used], { fetchedAt: now + 1 }));
    assert.equal(redraws(), 1);
    become(ready([used], { error: new Error('x') }));
    become(ready([used], { error: new Error('y') }));
    assert.equal(redraws(), 2);
  });

  it('are read once the list of instances is there or in sight, and again when it has other instances', () => {
    const hidden = scene({ kind: 'idle' });
    assert.deepEqual(hidden.reads, []);
    hidden.list(7);
    assert.deepEqual(hidden.reads, [{ isUnasked: true }]);
    hidden.become(ready([]));
    hidden.list(7);
    assert.equal(hidden.reads.length, 1);
    hidden.list(8, 7);
    hidden.list(7, 8);
    assert.equal(hidden.reads.length, 2);
    assert.equal(scene({ kind: 'idle' }, { isVisible: true }).reads.length, 1);
    assert.equal(scene({ kind: 'idle' }, { isVisible: true, isSignedIn: false }).reads.length, 0);
    assert.equal(scene(ready([]), { isVisible: true }).reads.length, 0);
  });
});
