import assert from 'node:assert/strict';
import { RefusedError } from '../../src/api/errors';
import type { MetricsAnswer } from '../../src/model/offers/gpuMetrics';
import { useClients } from '../support/apiClient';
import { describeFailures } from '../support/failureMatrix';
import { useSimulators } from '../support/startSimulator';

const address = '/api/v0/metrics/gpu/current/';

describeFailures({
  name: 'metrics.gpus',
  method: 'GET',
  path: address,
  repeat: 'read',
  call: (client, _, options) =>
    client.metrics.gpus({ verified: 'all', hostingType: 'all', gpuCount: 'all' }, options),
  succeeds: (result, simulator) => {
    const { gpus, needsMachine, skipped } = result as MetricsAnswer;
    assert.deepEqual([needsMachine, skipped], [false, 0]);
    assert.ok(gpus.length > 10);
    for (const gpu of gpus) {
      const { total = -1, available = -1, rentedVerified = -1, availableVerified = -1 } = gpu;
      const { rentedUnverified = -1, availableUnverified = -1 } = gpu;
      assert.equal(total, rentedVerified + rentedUnverified + available);
      assert.equal(available, availableVerified + availableUnverified);
      assert.ok((gpu.priceP10 ?? 0) <= (gpu.priceMedian ?? 0));
      assert.ok((gpu.priceMedian ?? 0) <= (gpu.priceP90 ?? 0));
    }
    assert.deepEqual(simulator.received('GET', address).at(-1)?.query, {
      verified: 'all',
      hosting_type: 'all',
      num_gpus: 'all',
    });
  },
});

describe('GPU metrics', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('are filtered by verification, kind of host and number of GPUs', async () => {
    const { client } = await clients.start();
    const total = async (query: Parameters<typeof client.metrics.gpus>[0]) =>
      (await client.metrics.gpus(query)).gpus.reduce((sum, gpu) => sum + (gpu.total ?? 0), 0);
    const all = await total({ verified: 'all', hostingType: 'all', gpuCount: 'all' });
    const yes = await total({ verified: 'yes', hostingType: 'all', gpuCount: 'all' });
    const no = await total({ verified: 'no', hostingType: 'all', gpuCount: 'all' });
    const secure = await total({ verified: 'all', hostingType: 'secure_cloud', gpuCount: 'all' });
    const community = await total({ verified: 'all', hostingType: 'community', gpuCount: 'all' });
    const eight = await total({ verified: 'all', hostingType: 'all', gpuCount: '8' });
    assert.equal(yes + no, all);
    assert.equal(secure + community, all);
    assert.ok(eight > 0 && eight < all && eight % 8 === 0);
  });

  it('are kept for accounts that host a machine', async () => {
    const simulator = await simulators.start();
    const made = await simulator.call('POST', '/__sim/accounts/', {});
    const { client } = clients.connect(simulator, { key: made.json.key });
    assert.deepEqual(await client.metrics.gpus({ verified: 'yes', hostingType: 'all', gpuCount: 'all' }), {
      gpus: [],
      needsMachine: true,
      skipped: 0,
    });
  });

  it('are refused for a bucket that is none', async () => {
    const { simulator, client } = await clients.start();
    await assert.rejects(
      client.metrics.gpus({ verified: 'all', hostingType: 'all', gpuCount: 'many' }),
      RefusedError,
    );
    const answer = await simulator.call('GET', `${address}?verified=perhaps`);
    assert.equal(answer.status, 400);
  });

  it('show a price that is null as unknown', async () => {
    const { simulator, client } = await clients.start();
    const body = {
      success: true,
      gpus: [{ gpu_name: 'RTX 4090', total: 4, price_median: null }, { total: 1 }],
    };
    simulator.fail({ kind: 'answer', path: address, body });
    assert.deepEqual(await client.metrics.gpus({ verified: 'all', hostingType: 'all', gpuCount: 'all' }), {
      gpus: [{ gpuName: 'RTX 4090', total: 4 }],
      needsMachine: false,
      skipped: 1,
    });
  });
});
