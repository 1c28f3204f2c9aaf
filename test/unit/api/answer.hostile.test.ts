import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ApiError } from '../../../src/api/errors';
import { calls, type Call } from '../../support/everyCall';
import { scriptedClient } from '../../support/fakeTransport';
import { hostileJson } from '../../support/hostileJson';
import type { ClientMethod } from '../../support/operation';
import { sized } from '../../support/seeded';

/** Runs for each property. */
const runs = sized(60, 300);

/** One try, no waits: what matters is what becomes of one answer. */
const policy = { readAttempts: 1, rateAttempts: 1, limits: {}, resultWaitMs: 0, backOffMs: 0 };

async function outcome(operation: Call, status: number, json: unknown): Promise<unknown> {
  const { client } = scriptedClient(
    (request) =>
      request.url.includes('files.example.com') ? { text: 'output' } : { status, text: JSON.stringify(json) },
    { policy },
  );
  try {
    return await operation.call(client);
  } catch (error) {
    if (error instanceof ApiError) {
      return error;
    }
    throw error;
  }
}

describe('any JSON that arrives', () => {
  for (const [name, operation] of Object.entries(calls)) {
    it(`${name} understands its own example`, async () => {
      const result = await outcome(operation, 200, operation.example);
      assert.ok(!(result instanceof Error), String(result));
    });

    it(`${name} gives a value or throws one of its own errors`, async () => {
      await fc.assert(
        fc.asyncProperty(
          hostileJson(operation.example),
          fc.constantFrom(200, 200, 200, 201, 400, 401, 403, 404, 410, 429, 483, 500, 503),
          async (json, status) => {
            await outcome(operation, status, json);
          },
        ),
        { numRuns: runs },
      );
    });
  }

  const lists: readonly (readonly [name: ClientMethod, wrap: (rows: readonly unknown[]) => unknown])[] = [
    ['offers.search', (offers) => ({ offers })],
    ['instances.list', (instances) => ({ instances, instances_found: instances.length })],
    ['instances.keys', (rows) => ({ ssh_keys: JSON.stringify(rows) })],
    ['sshKeys.list', (rows) => rows],
    ['templates.search', (templates) => ({ templates })],
    ['apiKeys.list', (apikeys) => ({ apikeys })],
    ['teamRoles.list', (rows) => rows],
    ['team.members', (rows) => rows],
    ['team.balances', (balances) => ({ balances })],
    ['machines.list', (machines) => ({ machines })],
    ['deployments.list', (deployments) => ({ deployments })],
    ['volumes.list', (volumes) => ({ volumes })],
    ['volumes.search', (offers) => ({ offers })],
    ['priceIncreases.list', (rows) => rows],
    ['auditLog.list', (audit_logs) => ({ audit_logs })],
    ['invoices.list', (results) => ({ results })],
    ['charges.list', (results) => ({ results })],
  ];
  for (const [name, wrap] of lists) {
    it(`${name} never makes an empty list of broken records, and counts what it leaves out`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1 }), async (rows) => {
          const result = await outcome(calls[name], 200, wrap(rows));
          if (!(result instanceof Error)) {
            const { items, skipped } = result as { items: unknown[]; skipped: number };
            assert.ok(items.length > 0);
            assert.ok(items.length + skipped <= rows.length);
          }
        }),
        { numRuns: runs },
      );
    });
  }

  it('one broken record is logged and hides no other', async () => {
    const { client, log } = scriptedClient([
      { json: { offers: [{ id: 1 }, { id: 'x', dph_total: 3 }, { id: 3 }] } },
    ]);
    const found = await client.offers.search({ filters: {}, rentalType: 'on-demand', order: [] });
    assert.deepEqual(found, { items: [{ id: 1 }, { id: 3 }], skipped: 1 });
    assert.match(log.lines.join('\n'), /warn POST \/api\/v0\/bundles\/: record 1 was left out: .*id/s);
  });
});
