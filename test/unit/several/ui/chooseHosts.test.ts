import assert from 'node:assert/strict';
import { chooseHosts } from '../../../../src/several/ui/chooseHosts';
import { anInstance } from '../../../support/builders';
import { OnQuick } from '../../../support/onQuick';
import { textsOn, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The instances for a command on several', () => {
  const screen = useScreen();
  const quick = new OnQuick(screen);
  const stopped = { intendedStatus: 'stopped', actualStatus: 'exited' } as const;
  const [trainer, helper, idle] = [
    anInstance({ id: 1, label: 'trainer' }),
    anInstance({ id: 2, label: 'helper', gpuCount: 2 }),
    anInstance({ id: 3, label: 'idle', ...stopped }),
  ];
  let instances: readonly unknown[];
  const deps = only<Parameters<typeof chooseHosts>[0]>({
    clock: { now: () => Date.UTC(2026, 0, 15, 12) },
    fleet: {
      get state() {
        return { kind: 'ready', value: { instances } };
      },
      ...{ facts: () => ({}), refresh: () => Promise.resolve() },
    },
  });
  const targets = (...ids: readonly number[]) => ids.map((instanceId) => ({ instanceId }));

  beforeEach(() => {
    instances = [trainer, helper, idle];
    textsOn(screen);
  });

  it('are those that run, of which some can be left out', async () => {
    const chosen = chooseHosts(deps, undefined, undefined, 'Run on Several');
    assert.deepEqual(await quick.rows(), ['trainer #1 · 1× RTX 4090', 'helper #2 · 2× RTX 4090']);
    assert.equal(quick.title, 'Run on Several');
    await quick.enter();
    assert.deepEqual(await chosen, [trainer, helper], 'all are ticked at first');
    const none = chooseHosts(deps, undefined, undefined, 'Run on Several');
    await quick.escape();
    assert.deepEqual(await none, []);
    assert.deepEqual(textsOn(screen), []);
  });

  it('are the given ones, and what can’t be reached is left out', async () => {
    const [one, other, off] = targets(1, 2, 3);
    assert.deepEqual(await chooseHosts(deps, one, undefined, ''), [trainer]);
    assert.deepEqual(await chooseHosts(deps, one, targets(1, 2), ''), [trainer, helper]);
    assert.deepEqual(textsOn(screen), []);
    assert.deepEqual(await chooseHosts(deps, other, targets(2, 3), ''), [helper]);
    assert.deepEqual(textsOn(screen), ['info Left out, because they are not running or have no SSH: 1. []']);
    assert.deepEqual(await chooseHosts(deps, off, undefined, ''), []);
    assert.deepEqual(textsOn(screen), ['info This needs a running instance. [Show Instances]']);
  });

  it('need no question where one runs', async () => {
    instances = [trainer, idle];
    assert.deepEqual(await chooseHosts(deps, undefined, undefined, ''), [trainer]);
    assert.deepEqual(textsOn(screen), []);
  });
});
