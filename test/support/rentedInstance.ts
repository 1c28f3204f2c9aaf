import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import type { RentConfig } from '../../src/model/rentals/rent';
import type { TestSimulator } from './startSimulator';

/** The cheapest offer that is free. */
export async function anOfferId(client: Client, rentalType: 'on-demand' | 'interruptible' = 'on-demand') {
  const { items } = await client.offers.search({
    filters: { rentable: { eq: true }, num_gpus: { eq: 1 }, disk_space: { gte: 50 } },
    rentalType,
    order: [['dph_total', 'asc']],
    limit: 1,
  });
  assert.ok(items[0]);
  return items[0];
}

/** Rents one instance; it is still being provisioned. */
export async function rentOne(client: Client, config: Partial<RentConfig> = {}): Promise<number> {
  const offer = await anOfferId(client);
  const rented = await client.offers.rent(offer.id, {
    image: 'pytorch/pytorch:latest',
    diskGb: 10,
    runtype: 'ssh_direct',
    label: 'test [gr-00000001]',
    ...config,
  });
  return rented.instanceId;
}

/** Rents one instance and lets it boot. */
export async function rentRunning(
  simulator: TestSimulator,
  client: Client,
  config: Partial<RentConfig> = {},
): Promise<number> {
  const id = await rentOne(client, config);
  simulator.advance(600);
  assert.equal((await client.instances.get(id))?.actualStatus, 'running');
  return id;
}

/** Public keys for tests; their private halves do not exist. */
export const publicKeys = [
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEf3mfqnR1mQvTqcBbq1sYIhyGgzVzQ1bU6k3nq5oJ0p one@test',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA0xQ6Vt7m3cPpQk2h8r5n9sV1yJb4dL6gTzWqEoXuHa two@test',
] as const;
