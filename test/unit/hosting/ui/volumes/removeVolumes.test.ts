import assert from 'node:assert/strict';
import type { Client } from '../../../../../src/api/client';
import { removeVolumes } from '../../../../../src/hosting/ui/volumes/removeVolumes';
import type { Volume } from '../../../../../src/model/volume';
import { useClients } from '../../../../support/apiClient';
import { useSimulators, type TestSimulator } from '../../../../support/startSimulator';

describe('deleting volumes', () => {
  const simulators = useSimulators();
  const clients = useClients();
  const path = '/api/v0/volumes/';
  let simulator: TestSimulator;
  let client: Client;
  let signal: AbortSignal;

  beforeEach(async () => {
    simulator = await simulators.start();
    ({ client } = clients.connect(simulator));
    ({ signal } = new AbortController());
  });

  async function make(count: number): Promise<readonly Volume[]> {
    const [offer] = (await client.volumes.search({ leastSizeGb: 50, limit: 1 })).items;
    for (let index = 0; index < count; index += 1) {
      await client.volumes.create({ offerId: offer?.id ?? 0, sizeGb: 10, name: `disk${index}` });
    }
    const { items } = await client.volumes.list();
    assert.equal(items.length, count);
    return items;
  }
  const ids = (volumes: readonly Volume[]) => volumes.map(({ id }) => id);

  it('counts what the service lists no more, also where the answer was lost', async () => {
    const all = await make(3);
    simulator.fail({ kind: 'dropBefore', method: 'DELETE', path });
    simulator.fail({ kind: 'dropAfter', method: 'DELETE', path });
    const { deleted, problems } = await removeVolumes(client, all, signal);
    assert.deepEqual(ids(deleted), ids(all.slice(1)));
    assert.equal(problems.length, 1);
    assert.deepEqual(ids((await client.volumes.list()).items), ids(all.slice(0, 1)));
  });

  it('reports that one is left though the service called it deleted', async () => {
    const [volume] = await make(1);
    assert.ok(volume);
    simulator.fail({ kind: 'answer', method: 'DELETE', path, status: 200, body: { success: true } });
    const { deleted, problems } = await removeVolumes(client, [volume], signal);
    assert.deepEqual(deleted, []);
    assert.match(String(problems[0]), /still lists the volume .* still costs money/);
  });

  it('sends no more once it is cancelled, and still reports what became of those that were sent', async () => {
    const all = await make(2);
    const stop = new AbortController();
    const sending: Pick<Client, 'volumes'> = {
      volumes: {
        ...client.volumes,
        remove: async (id) => {
          await client.volumes.remove(id);
          stop.abort();
        },
      },
    };
    const { deleted, problems } = await removeVolumes(sending, all, stop.signal);
    assert.deepEqual([ids(deleted), problems], [ids(all.slice(0, 1)), []]);
    assert.equal(simulator.received('DELETE').length, 1);
  });

  it('reports for each what is not confirmed if the list can’t be read afterwards', async () => {
    const all = await make(3);
    simulator.fail({ kind: 'error', method: 'DELETE', path, status: 403, error: 'auth_error', msg: 'No.' });
    simulator.fail({ kind: 'dropAfter', method: 'DELETE', path });
    simulator.fail({ kind: 'html500', method: 'GET', path, times: 0 });
    const { deleted, problems } = await removeVolumes(client, all, signal);
    assert.deepEqual(deleted, []);
    assert.doesNotMatch(String(problems[0]), /confirm/);
    assert.deepEqual(
      problems
        .slice(1)
        .map((problem) => /did not confirm that the volume .* is deleted/.test(String(problem))),
      [true, true],
    );
  });

  it('keeps one that the service refuses to delete, with the reason', async () => {
    const all = await make(1);
    simulator.fail({ kind: 'error', method: 'DELETE', path, status: 403, error: 'auth_error', msg: 'No.' });
    const { deleted, problems } = await removeVolumes(client, all, signal);
    assert.deepEqual(deleted, []);
    assert.equal(problems.length, 1);
  });
});
