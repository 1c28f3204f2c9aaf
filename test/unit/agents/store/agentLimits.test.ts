import assert from 'node:assert/strict';
import type { AgentLimits } from '../../../../src/agents/model/limits';
import { AgentLimitStore } from '../../../../src/agents/store/agentLimits';
import { wideLimits } from '../../../support/agentWindows';
import { FakeSecrets } from '../../../support/fakeWindows';

describe('The limits of agents', () => {
  let secrets: FakeSecrets;
  let set: AgentLimits;
  let store: AgentLimitStore;
  let confirmations: number;
  beforeEach(() => {
    secrets = new FakeSecrets();
    set = wideLimits;
    store = new AgentLimitStore({ settings: () => set, secrets });
    confirmations = 0;
    store.onDidConfirm(() => (confirmations += 1));
  });

  const now = async () => {
    const { inForce, isRaised, isDeclined, revision } = await store.read();
    return [inForce.access, inForce.perDay, isRaised, isDeclined, revision];
  };

  it('are nothing without a confirmation, and what was confirmed with one', async () => {
    assert.deepEqual(await now(), ['off', 0, true, false, 0]);
    await store.confirm(set);
    assert.deepEqual(await now(), ['ask', 1000, false, false, 1]);
    assert.equal(confirmations, 1);
  });

  it('are not read from the secret store while agents are off', async () => {
    secrets.isLocked = true;
    set = { ...wideLimits, access: 'off' };
    assert.deepEqual(await now(), ['off', 1000, false, false, 0]);
  });

  it('are nothing where the secret store holds something else', async () => {
    await store.confirm(set);
    for (const key of await secrets.keys()) {
      for (const other of ['no JSON', '{"access":"ask"}']) {
        secrets.values.set(key, other);
        assert.deepEqual(await now(), ['off', 0, true, false, 0]);
      }
    }
  });

  it('that were declined are not asked about again, until the settings change', async () => {
    await store.confirm(set);
    set = { ...wideLimits, perDay: 2000 };
    assert.deepEqual(await now(), ['ask', 1000, true, false, 1]);
    await store.decline(set);
    assert.deepEqual(await now(), ['ask', 1000, true, true, 2]);
    await store.lower();
    assert.deepEqual(await now(), ['ask', 1000, true, true, 2], 'nothing is kept anew');
    set = { ...wideLimits, perDay: 3000 };
    assert.deepEqual(await now(), ['ask', 1000, true, false, 2]);
    await store.lower();
    set = { ...wideLimits, perDay: 2000 };
    assert.deepEqual(await now(), ['ask', 1000, true, false, 3], 'asked again');
  });

  it('that were declined stay so where others are lowered', async () => {
    await store.confirm(set);
    set = { ...wideLimits, perDay: 2000, hours: 50 };
    await store.decline(set);
    await store.lower();
    assert.deepEqual(await now(), ['ask', 1000, true, true, 3]);
    assert.equal((await store.read()).inForce.hours, 50);
  });

  it('that were lowered rise again only with another confirmation', async () => {
    await store.confirm(set);
    set = { ...wideLimits, perDay: 10 };
    await store.lower();
    assert.deepEqual(await now(), ['ask', 10, false, false, 2]);
    const before = confirmations;
    await store.lower();
    assert.equal(confirmations, before, 'nothing changed');
    set = wideLimits;
    assert.deepEqual(await now(), ['ask', 10, true, false, 2]);
  });

  it('that were lowered during the question stay so', async () => {
    set = { ...wideLimits, perDay: 10 };
    await store.confirm(wideLimits);
    set = wideLimits;
    assert.deepEqual(await now(), ['ask', 10, true, false, 1]);
  });
});
