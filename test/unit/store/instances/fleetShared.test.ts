import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expectedInstance } from '../../../../src/model/rentals/expectedInstance';
import { fleetFile, fleetNews, reviveState, shareState } from '../../../../src/store/instances/fleetShared';
import { anOffer } from '../../../support/builders';
import { calls } from '../../../support/everyCall';
import { scriptedClient } from '../../../support/fakeTransport';
import { hostileJson } from '../../../support/hostileJson';
import { sized } from '../../../support/seeded';

const { example } = calls['instances.list'];

/** The list that the service answers with, as the window that leads tells it. */
async function newsOf(answer: unknown): Promise<unknown> {
  const { client, finish } = scriptedClient(() => ({ status: 200, text: JSON.stringify(answer) }), {
    policy: { readAttempts: 1 },
  });
  const { items, skipped } = await finish(client.instances.list());
  const value = { instances: items, skipped };
  const state = shareState({ kind: 'ready', value, fetchedAt: 1 });
  return JSON.parse(JSON.stringify({ accountKey: 'a', state, memory: [] }));
}

describe('the list of instances between windows', () => {
  it('is understood for any answer of the service about an instance', async () => {
    await fc.assert(
      fc.asyncProperty(hostileJson(example), async (answer) => {
        const news = await newsOf(answer).catch(() => undefined);
        assert.equal(news === undefined ? undefined : fleetNews.safeParse(news).error, undefined);
      }),
      { numRuns: sized(400, 5000) },
    );
  });

  it('keeps an instance that no answer has had, on disk as well', () => {
    const config = { image: 'pytorch/pytorch', label: 'trainer' };
    const row = expectedInstance(42, { offer: anOffer(), config, rentalType: 'on-demand' });
    const value = { instances: [row], skipped: 0 };
    const throughJson = (sent: unknown): unknown => JSON.parse(JSON.stringify(sent));
    const state = { kind: 'ready', value, fetchedAt: 1 } as const;
    const news = fleetNews.parse(throughJson({ accountKey: 'a', state: shareState(state), memory: [] }));
    assert.deepEqual(reviveState(news.state), state);
    const file = { version: 1, fetchedAt: 1, snapshot: value, memory: [] };
    assert.deepEqual(fleetFile.parse(throughJson(file)), file);
  });

  it('holds no figure that is beyond all bounds', async () => {
    const fields = Object.keys((example as { instances: readonly [object] }).instances[0]);
    for (const field of fields) {
      const row = { ...(example as { instances: readonly [object] }).instances[0], [field]: 1e308 };
      const news = await newsOf({ instances: [{ ...row, id: 5 }], instances_found: 1 });
      assert.equal(fleetNews.safeParse(news).error, undefined, field);
    }
  });
});
