import assert from 'node:assert/strict';
import { typingPauseMs } from '../../../../src/features/search/offerSession';
import { fromDollars } from '../../../../src/model/money';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { searchesPerMinute } from '../../../../src/store/offers/searchBudget';
import { aSession } from '../../../support/aSession';
import { marketOffer } from '../../../support/marketOffer';

const rows = [marketOffer({ id: 1, score: 3 }), marketOffer({ id: 2, score: 2 })];
const fullAnswer = Array.from({ length: 64 }, (_, index) =>
  marketOffer({
    id: index + 1,
    score: 1000 - index,
    gpuPerHour: fromDollars(0.1 + index / 100),
    totalPerHour: fromDollars(0.1 + index / 100),
  }),
);

describe('a search that read a part of the market', () => {
  it('shows that words are looked for only in what was read', async () => {
    const { session, ask } = aSession();
    session.start();
    await ask(0).answer(fullAnswer);
    session.setTyped('epyc');
    assert.ok(session.view.isPartial);
    session.setTyped('');
    assert.ok(!session.view.isPartial);
    session.refresh();
    await ask(1).answer(rows);
    session.setTyped('epyc');
    assert.ok(!session.view.isPartial, 'all that there is was read');
  });

  it('does not treat a full answer as all if an offer of it could not be read', async () => {
    const { session, asked, ask, clock } = aSession({ query: { ...defaultQuery, sort: 'price' } });
    session.start();
    await ask(0).answer(fullAnswer.slice(0, 63), 1);
    assert.deepEqual([session.view.more, session.view.skipped], ['fetchable', 1]);
    await ask(1).answer(fullAnswer.slice(62), 62);
    assert.deepEqual([session.view.more, session.view.skipped], ['fetchable', 63]);
    session.setTyped('3090');
    await clock.advance(typingPauseMs);
    assert.equal(asked.length, 3, 'the service may have others');
    await ask(2).answer(rows);
    assert.deepEqual([session.view.more, session.view.skipped], ['none', 0]);
  });

  it('asks for more rows within the same limit, once it allows that', async () => {
    const { session, asked, ask, clock } = aSession({ query: { ...defaultQuery, sort: 'price' } });
    for (let time = 0; time < searchesPerMinute; time += 1) {
      session.refresh();
    }
    await ask(searchesPerMinute - 1).answer(fullAnswer);
    await session.more();
    assert.equal(asked.length, searchesPerMinute);
    assert.ok(session.view.busy);
    assert.equal(session.view.waitsUntil, clock.now() + 60_000);
    await clock.advance(60_000);
    assert.equal(asked.length, searchesPerMinute + 1);
    assert.deepEqual(ask(searchesPerMinute).search.filters['dph_total'], { gte: 0.729999 });
    await ask(searchesPerMinute).answer([]);
    assert.deepEqual(
      [session.view.busy, session.view.waitsUntil, session.view.more],
      [false, undefined, 'none'],
    );
  });
});
