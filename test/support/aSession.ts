import assert from 'node:assert/strict';
import { OfferSession, type SessionOptions } from '../../src/features/search/offerSession';
import type { OfferSearch } from '../../src/model/offers/filters';
import type { Offer } from '../../src/model/offers/offer';
import { defaultQuery } from '../../src/model/offers/savedSearches';
import { SearchBudget } from '../../src/store/offers/searchBudget';
import { FakeClock, settle } from './fakeClock';
import { FakeHubs } from './fakeWindows';

interface Asked {
  readonly search: OfferSearch;
  readonly signal: AbortSignal | undefined;
  readonly onWait: ((waitMs: number) => void) | undefined;
  answer(offers: readonly Offer[], skipped?: number): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** A service that answers when the test decides. */
export function aSession(options: Partial<SessionOptions> = {}) {
  const clock = new FakeClock();
  const budget = new SearchBudget(clock, new FakeHubs().open());
  const asked: Asked[] = [];
  const session = new OfferSession({
    clock,
    budget,
    query: defaultQuery,
    search: (search, call) => {
      return new Promise((resolve, reject) => {
        asked.push({
          search,
          signal: call?.signal,
          onWait: call?.onWait,
          answer: async (items, skipped = 0) => {
            resolve({ items, skipped });
            await settle();
          },
          fail: async (error) => {
            reject(error instanceof Error ? error : new Error(String(error)));
            await settle();
          },
        });
      });
    },
    ...options,
  });
  const ask = (index: number): Asked => {
    const found = asked[index];
    assert.ok(found, `There is no search ${index}`);
    return found;
  };
  const ids = () => session.view.rows.map(({ id }) => id);
  return { clock, budget, session, asked, ask, ids };
}
