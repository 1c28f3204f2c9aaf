import assert from 'node:assert/strict';
import type { TestSimulator } from './startSimulator';

/** From now on a list of the simulator ends in a record that is unreadable, beside those that it has now. */
export async function addBrokenRecord(simulator: TestSimulator, path: string, field?: string): Promise<void> {
  const { json } = await simulator.call('GET', path);
  const rows: unknown = field === undefined ? json : json[field];
  assert.ok(Array.isArray(rows) && rows.length > 0, `${path} has something to show`);
  const broken = [...(rows as readonly unknown[]), { id: { broken: true } }];
  const body: unknown = field === undefined ? broken : { ...json, [field]: broken };
  simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, body, times: 0 });
}
