import assert from 'node:assert/strict';
import { Connector } from '../../../../src/features/connect/connector';
import { anInstance } from '../../../support/builders';
import { only } from '../../../support/only';

describe('The host name of a workspace', () => {
  /** Two entries of the account, and one of another account; each has the name that is given. */
  function scene(names: Readonly<Record<string, string>>, state: object) {
    const named: string[] = [];
    const connector = new Connector(
      only({
        fleet: { state },
        globalState: { get: () => undefined },
        ssh: {
          aliasOf: (_: unknown, id: number) => `gpu-${id}`,
          entries: (account?: object) =>
            Promise.resolve(account ? ['gpu-5', 'gpu-7'] : ['gpu-5', 'gpu-7', 'gpu-9']),
          entry: (alias: string) => Promise.resolve({ workspace: names[alias] }),
          nameWorkspace: (host: string, alias: string) => {
            named.push(`${host} ${alias}`);
            return Promise.resolve();
          },
        },
      }),
      only({}),
    );
    const nameHost = (oldId?: number) =>
      connector.nameHost({ instanceId: 7, account: () => only({ key: 'mine' }) }, 'gpu-ws-llm', oldId);
    return { named, nameHost };
  }
  const whole = (...ids: readonly number[]) => ({
    kind: 'ready',
    value: { instances: ids.map((id) => anInstance({ id })), skipped: 0 },
  });
  const other = { 'gpu-5': 'gpu-ws-llm' };

  it('is taken from an instance that is gone, and from the old one of a move', async () => {
    for (const [state, oldId] of [
      [whole(7), undefined],
      [whole(5, 7), 5],
    ] as const) {
      const { named, nameHost } = scene(other, state);
      assert.equal(await nameHost(oldId), true);
      assert.deepEqual(named, ['gpu-ws-llm gpu-7']);
    }
  });

  it('is left to an instance that is there, may be there, or belongs to another account', async () => {
    const { value } = whole(7);
    for (const [names, state] of [
      [other, whole(5, 7)],
      [other, { kind: 'loading' }],
      [other, { kind: 'ready', value: { ...value, skipped: 1 } }],
      [other, { kind: 'ready', value: { ...value, missing: 1 } }],
      [other, { kind: 'ready', value, error: new Error('No answer') }],
      [{ 'gpu-9': 'gpu-ws-llm' }, whole(7)],
    ] as const) {
      const { named, nameHost } = scene(names, state);
      assert.equal(await nameHost(), false, JSON.stringify(state));
      assert.deepEqual(named, []);
    }
  });
});
