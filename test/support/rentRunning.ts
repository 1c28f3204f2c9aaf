import assert from 'node:assert/strict';
import type { TestSimulator } from './startSimulator';
import { until } from './until';

/** Waits for a condition that real processes or sockets bring about; fails after `withinMs`. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  await until('the condition to come true', condition, { timeoutMs: withinMs, everyMs: 20 });
}

/** Rents the cheapest offer that has ports; the id of the instance. */
export async function rentCheapest(
  simulator: TestSimulator,
  body: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const found = await simulator.call('POST', '/api/v0/bundles/', {
    rentable: { eq: true },
    direct_port_count: { gte: 4 },
    order: [['dph_total', 'asc']],
    limit: 1,
  });
  const rented = await simulator.call('PUT', `/api/v0/asks/${String(found.json.offers[0].id)}/`, {
    image: 'pytorch/pytorch:latest',
    disk: 10,
    cancel_unavail: true,
    ...body,
  });
  assert.equal(rented.status, 200, rented.text);
  return Number(rented.json.new_contract);
}

/** As `rentCheapest`, and waits until it runs. */
export async function rentRunning(
  simulator: TestSimulator,
  body: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const id = await rentCheapest(simulator, body);
  if (simulator.fakeClock) {
    simulator.advance(600);
  }
  await eventually(() => simulator.world.instance(id)?.actualStatus === 'running', 60_000);
  return id;
}
