import assert from 'node:assert/strict';
import type { Micros } from '../../../../src/model/money';
import type { Serving } from '../../../../src/models/model/servingLog';
import { servingFacts, servingText } from '../../../../src/models/model/servingText';
import { formatText } from '../../../../src/util/text';

const counters = {
  running: 2,
  waiting: 0,
  promptTokens: 900_000,
  outputTokens: 100_000,
  tokensPerSecond: 41.4,
  requests: 12,
  requestsPerSecond: 0.3,
  lastUseSecondsAgo: 0,
};

describe('the words for a served model', () => {
  for (const [serving, words] of [
    [{ stage: 'preparing' }, 'preparing'],
    [{ stage: 'downloading' }, 'downloading'],
    [{ stage: 'downloading', downloadedBytes: 12.4e9 }, 'downloading, 12 GB of 16 GB'],
    // What lies in the folder already counts as well.
    [{ stage: 'downloading', downloadedBytes: 17e9 }, 'downloading, 16 GB of 16 GB'],
    [{ stage: 'loading', loadedPercent: 40 }, 'loading weights, 40 %'],
    [{ stage: 'ready' }, 'ready'],
    [{ stage: 'ready', counters }, 'ready, 41 tokens/s'],
    [
      { stage: 'ready', counters: { ...counters, running: 0, tokensPerSecond: 0, lastUseSecondsAgo: 720 } },
      'ready, unused for 12 min',
    ],
  ] as const satisfies readonly (readonly [Serving, string])[]) {
    it(`are its step and how far it is: ${words}`, () => {
      assert.equal(formatText(servingText(serving, 16.4e9)), words);
    });
  }

  it('have the price of a million tokens, rounded up, once there are tokens', () => {
    const facts = (serving: Serving, cost: number) =>
      servingFacts(serving, cost as Micros).map(
        ({ label, value }) => `${formatText(label)}: ${formatText(value)}`,
      );
    assert.deepEqual(facts({ stage: 'ready', contextTokens: 38_639, hasTools: false, counters }, 1_120_000), [
      'Context: 37k tokens, no tool calls',
      'Requests: 12 (0.3/s), 900000 tokens read, 100000 written, last one 0 s ago',
      'Cost so far: $1.12, $1.12 for a million tokens',
    ]);
    const unused = { ...counters, promptTokens: 0, outputTokens: 0 };
    assert.deepEqual(facts({ stage: 'ready', counters: unused }, 10_000).at(-1), 'Cost so far: $0.010');
  });
});
