import assert from 'node:assert/strict';
import { describeFailures, refused } from '../support/failureMatrix';

describeFailures({
  name: 'offers.search',
  method: 'POST',
  path: '/api/v0/bundles/',
  repeat: 'read',
  call: (client, _, options) =>
    client.offers.search(
      {
        filters: {
          gpu_name: { in: ['RTX 4090', 'RTX 3090'] },
          num_gpus: { gte: 1, lte: 2 },
          rentable: { eq: true },
        },
        rentalType: 'on-demand',
        order: [['dph_total', 'asc']],
        limit: 5,
        allocatedStorageGb: 20,
      },
      options,
    ),
  succeeds: (result, simulator) => {
    const { items, skipped } = result as {
      items: { gpuName: string; totalPerHour: number }[];
      skipped: number;
    };
    assert.equal(skipped, 0);
    assert.equal(items.length, 5);
    assert.ok(items.every((offer) => /^RTX [34]090$/.test(offer.gpuName)));
    const prices = items.map((offer) => offer.totalPerHour);
    assert.deepEqual(
      prices,
      [...prices].sort((a, b) => a - b),
    );
    assert.deepEqual(simulator.received('POST', '/api/v0/bundles/').at(-1)?.body, {
      gpu_name: { in: ['RTX 4090', 'RTX 3090'] },
      num_gpus: { gte: 1, lte: 2 },
      rentable: { eq: true },
      type: 'on-demand',
      order: [['dph_total', 'asc']],
      limit: 5,
      allocated_storage: 20,
    });
  },
  refusals: [refused(400, 'invalid_args', /did not accept the request/)],
});

describeFailures({
  name: 'offers.gpuNames',
  method: 'GET',
  path: '/api/v0/gpu_types/',
  repeat: 'read',
  call: (client, _, options) => client.offers.gpuNames(options),
  succeeds: (result) => {
    const { items, skipped } = result as { items: string[]; skipped: number };
    assert.equal(skipped, 0);
    assert.ok(items.includes('RTX 4090'));
  },
});
