import assert from 'node:assert/strict';
import { TransportFailure } from '../../../src/api/transport';
import { scriptedClient, type Scripted } from '../../support/fakeTransport';

const user = { json: { id: 3, email: 'ada@example.com' } };
const tooFrequent = { status: 429, json: { detail: 'API requests too frequent endpoint threshold=2.0' } };

describe('reads while others fail', () => {
  const unasked = { isUnasked: true };
  for (const [name, answer, reach] of [
    ['the service is out of reach', { error: new TransportFailure('lost', 'ECONNRESET') }, 'service'],
    ['no answer comes', { stalls: 'untilAborted' }, 'service'],
    ['the route fails', { status: 503, text: '' }, 'route'],
    ['the route fails with a code', { status: 503, json: { error: 'service_unavailable' } }, 'route'],
    ['the route refuses for its rate', tooFrequent, 'route'],
    ['the answer is cut off', { status: 200, text: '{"id":' }, 'route'],
    ['the key may not do it', { status: 403, json: {} }, 'nothing'],
    ['the answer is of another shape', { json: { id: 'x' } }, 'nothing'],
  ] as const) {
    it(`that the user does not wait for put off ${reach} where ${name}`, async () => {
      const { client, transport, finish } = scriptedClient((request) =>
        request.url.includes('/users/') ? answer : { json: { success: true, ssh_keys: [] } },
      );
      await assert.rejects(finish(client.users.current()));
      const isPutOff = async (call: () => Promise<unknown>) => {
        const before = transport.seen.length;
        await call().catch(() => undefined);
        return transport.seen.length === before;
      };
      const own = await isPutOff(() => finish(client.users.current(unasked)));
      const other = await isPutOff(() => client.sshKeys.list(unasked));
      assert.deepEqual([own, other], [reach !== 'nothing', reach === 'service']);
    });
  }

  it('are not put off by a write that failed, nor once one worked', async () => {
    let answer: Scripted = { status: 503, text: '' };
    const { client, transport, finish } = scriptedClient(() => answer);
    await assert.rejects(finish(client.instances.destroy(7)));
    await assert.rejects(finish(client.users.current()));
    answer = user;
    assert.equal((await finish(client.users.current())).id, 3);
    assert.equal((await finish(client.users.current(unasked))).id, 3);
    assert.equal(transport.seen.length, 6);
  });

  it('are repeated after a failure of the service with a code, too', async () => {
    const fails = { status: 503, json: { success: false, error: 'service_unavailable' } };
    const { client, transport, finish } = scriptedClient([fails, user]);
    assert.equal((await finish(client.users.current())).id, 3);
    assert.equal(transport.seen.length, 2);
  });
});
