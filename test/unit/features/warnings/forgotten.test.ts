import assert from 'node:assert/strict';
import { postForgotten } from '../../../../src/features/warnings/forgotten';
import { anInstance } from '../../../support/builders';
import { only } from '../../../support/only';

describe('A forgotten instance', () => {
  const now = 1_000_000_000_000;
  const hour = 3_600_000;
  const posted = (more: object = {}, knowsGpu = true) => {
    const all: { readonly data: object; readonly accountKey: string }[] = [];
    const idle = { lastUsedAt: now - 5 * hour, watchedSince: now - 9 * hour, seenAt: now, knowsGpu };
    const instances = [anInstance({ id: 7 }), anInstance({ id: 8 })];
    postForgotten(
      only({
        accounts: { active: { key: 'mine' } },
        clock: { now: () => now },
        fleet: { state: { kind: 'ready', value: { instances } } },
        idle: { facts: (id: number) => (id === 7 ? idle : undefined) },
        work: { endsInstance: () => false },
        notices: { post: (notice: (typeof all)[number]) => all.push(notice) },
        presence: { isComplete: true },
        settings: { get: () => 4 },
        ...more,
      }),
    );
    return all.map(({ accountKey, data }) => ({ accountKey, ...data }));
  };

  it('is reported once its idle hours are over', () => {
    const notice = { accountKey: 'mine', instanceId: 7, since: now - 5 * hour };
    assert.deepEqual(posted(), [{ ...notice, knowsGpu: true }]);
    assert.deepEqual(posted({}, false), [{ ...notice, knowsGpu: false }]);
  });

  it('is not reported while that is uncertain, or if its end is set', () => {
    const state = { kind: 'ready', value: { instances: [anInstance({ id: 7 })] }, error: new Error('x') };
    for (const more of [
      { accounts: { active: undefined } },
      { fleet: { state: { kind: 'loading' } } },
      { fleet: { state } },
      { presence: { isComplete: false } },
      { work: { endsInstance: () => true } },
      { settings: { get: () => 6 } },
    ]) {
      assert.deepEqual(posted(more), []);
    }
  });
});
