import assert from 'node:assert/strict';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { searchesPerMinute } from '../../../../src/store/offers/searchBudget';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anOffer } from '../../../support/builders';

describe('the searches of an agent', () => {
  const { signal } = new AbortController();
  const caller = { id: 'a', name: 'claude', door: 'mcp' } as const;
  let { service, computer, window } = {} as AgentScene;
  const searches = () => service.count('offers.search');
  const search = () => marketTools(window).search_offers({}, { caller, signal });
  const quote = () =>
    marketTools(window).quote_rental(
      { offer: 'offer_9001', image: 'x/y', diskGb: 16, hours: 1, then: 'destroy' },
      { caller, signal },
    );

  beforeEach(async () => {
    ({ service, computer, window } = await agentScene({ offers: [anOffer({ id: 9001 })] }));
  });
  afterEach(() => computer.dispose());

  async function useUp(): Promise<void> {
    for (let time = 0; time < searchesPerMinute; time += 1) {
      await (time % 2 === 0 ? search() : quote());
    }
    assert.equal(searches(), searchesPerMinute);
  }

  it('count like those of the user', async () => {
    await useUp();
    assert.equal(window.searchBudget.waitMs(), 60_000);
  });

  it('leave the rest of a minute to rentals: the agent reads when to call again, or waits', async () => {
    await useUp();
    for (const call of [search, quote]) {
      await assert.rejects(call(), /Call again in 60 seconds/);
    }
    await computer.clock.advance(40_000);
    const later = search();
    await computer.clock.advance(10_000);
    assert.equal(searches(), searchesPerMinute);
    await computer.clock.advance(10_000);
    await later;
    assert.equal(searches(), searchesPerMinute + 1);
  });
});
