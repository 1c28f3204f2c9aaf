import assert from 'node:assert/strict';
import { OfferSession } from '../../../../src/features/search/offerSession';
import { firstSearch } from '../../../../src/model/offers/firstSearch';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { FakeClock } from '../../../support/fakeClock';

function aProposal() {
  return new OfferSession({
    search: () => Promise.resolve({ items: [], skipped: 0 }),
    clock: new FakeClock(),
    budget: { waitMs: () => 0, note: () => undefined },
    query: firstSearch({ rented: [] }),
    onceTyped: defaultQuery,
  });
}

describe('a search that is a proposal', () => {
  it('yields to filters that are typed, and returns without them', () => {
    const session = aProposal();
    assert.deepEqual(session.effectiveQuery.filters.gpuCount, { min: 1, max: 1 });
    session.setTyped('h200');
    assert.equal(session.effectiveQuery.filters.gpuCount, undefined);
    session.setTyped('threadripper');
    assert.deepEqual(session.effectiveQuery.filters.gpuCount, { min: 1, max: 1 });
    assert.ok(session.isAsProposed);
    session.dispose();
  });

  it('stays away when an order is chosen beside what is typed', () => {
    const session = aProposal();
    session.setTyped('h200');
    session.setQuery({ ...session.chosenQuery, sort: 'price' });
    assert.equal(session.effectiveQuery.sort, 'price');
    assert.equal(session.effectiveQuery.filters.gpuCount, undefined);
    assert.equal(session.line, 'h200');
    session.dispose();
  });

  it('is one no more once something was chosen', () => {
    const session = aProposal();
    session.setQuery({ ...session.chosenQuery, sort: 'price' });
    assert.ok(!session.isAsProposed);
    session.setTyped('h200');
    assert.deepEqual(session.effectiveQuery.filters.gpuCount, { min: 1, max: 1 });
    session.dispose();
  });
});
