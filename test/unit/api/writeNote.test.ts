import assert from 'node:assert/strict';
import type { WriteEnd } from '../../../src/api/writeNote';
import { scriptedClient, type Scripted } from '../../support/fakeTransport';

/** Runs a call of the client and returns what was noted of it. */
async function noted(
  script: readonly Scripted[],
  run: (client: ReturnType<typeof scriptedClient>['client'], signal: AbortSignal) => Promise<unknown>,
) {
  const log: (string | WriteEnd)[] = [];
  const cancel = new AbortController();
  const { client, transport, finish } = scriptedClient(script, {
    onWrite: ({ route, path }) => {
      log.push(`${route} ${path} ${transport.seen.length}`);
      return (end) => log.push(end);
    },
  });
  const call = run(client, cancel.signal);
  await finish(call).catch(() => undefined);
  return log;
}

const id = { 'x-request-id': 'req-1234' };
const done = { json: { success: true }, headers: id };
const asked = 'DELETE /api/v0/instances/{id}/ /api/v0/instances/7/ 0';

describe('a write that is taken down', () => {
  it('is noted before it is sent, and again with its end and the id of the service', async () => {
    assert.deepEqual(await noted([done], (client) => client.instances.destroy(7)), [
      asked,
      { end: 'done', requestId: 'req-1234', newContract: undefined },
    ]);
  });

  it('is noted once if it is sent again after a refusal', async () => {
    const tooSoon = {
      status: 429,
      text: 'API requests too frequent',
      headers: { 'x-request-id': 'req-0000' },
    };
    const log = await noted([tooSoon, done], (client) => client.instances.destroy(7));
    assert.deepEqual(log.slice(1), [{ end: 'done', requestId: 'req-1234', newContract: undefined }]);
    const last = await noted([tooSoon, { json: { success: true } }], (client) => client.instances.destroy(7));
    assert.deepEqual(last.slice(1), [{ end: 'done', requestId: undefined, newContract: undefined }]);
  });

  it('ends as refused only if nothing can have happened', async () => {
    const ends: [Scripted, WriteEnd['end']][] = [
      [{ status: 403, json: { success: false, error: 'forbidden', msg: 'no' } }, 'refused'],
      [{ json: { success: false, error: 'invalid_args', msg: 'no' } }, 'refused'],
      [{ status: 500, text: '<html>' }, 'unknown'],
      [{ json: 'odd' }, 'unknown'],
      [{ error: new Error('reset') }, 'unknown'],
    ];
    for (const [answer, end] of ends) {
      const log = await noted([answer], (client) => client.instances.destroy(7));
      assert.equal((log.at(-1) as WriteEnd).end, end, JSON.stringify(answer));
    }
  });

  it('names the instance that was rented, also where the service calls that a failure', async () => {
    const answer = { json: { success: false, new_contract: 91, instance_api_key: 'planted' } };
    const log = await noted([answer], (client) => client.offers.rent(5, { image: 'i' }));
    assert.deepEqual(log.at(-1), { end: 'done', requestId: undefined, newContract: 91 });
  });

  it('is not noted if it does not leave, and a read never is', async () => {
    assert.deepEqual(await noted([done], (client) => client.offers.rent(5, {})), []);
    assert.deepEqual(
      await noted([done], (client) =>
        client.instances.destroy(7, { isStillWanted: () => Promise.resolve(false) }),
      ),
      [],
    );
    assert.deepEqual(await noted([{ json: { success: true } }], (client) => client.auditLog.list()), []);
  });
});
