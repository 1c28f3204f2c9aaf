import assert from 'node:assert/strict';
import { SearchBudget, searchesPerMinute } from '../../../src/store/searchBudget';
import { FakeClock } from '../../support/fakeClock';
import { FakeService } from '../../support/fakeService';
import { FakeHubs } from '../../support/fakeWindows';

describe('the searches of a minute', () => {
  it('are counted together over all windows', async () => {
    const clock = new FakeClock();
    const hubs = new FakeHubs();
    const [first, second] = [new SearchBudget(clock, hubs.open()), new SearchBudget(clock, hubs.open())];
    for (let time = 0; time < searchesPerMinute; time += 1) {
      assert.equal(second.waitMs(), 0);
      (time % 2 === 0 ? first : second).note();
      await clock.advance(1000);
    }
    assert.equal(first.waitMs(), 60_000 - searchesPerMinute * 1000);
    assert.equal(second.waitMs(), first.waitMs());
    await clock.advance(first.waitMs());
    assert.equal(first.waitMs(), 0);
  });

  it('leave less to those who ask for less', () => {
    const clock = new FakeClock();
    const budget = new SearchBudget(clock, new FakeHubs().open());
    for (let time = 0; time < 4; time += 1) {
      budget.note();
    }
    assert.equal(budget.waitMs(4), 60_000);
    assert.equal(budget.waitMs(), 0);
  });

  it('are those of the client, whichever part of the product asks', async () => {
    const clock = new FakeClock();
    const budget = new SearchBudget(clock, new FakeHubs().open());
    const service = new FakeService();
    const client = budget.counting(service.client);
    await client.offers.search({ filters: {}, rentalType: 'on-demand', order: [] });
    await client.users.current();
    assert.equal(service.count('offers.search'), 1);
    assert.equal(budget.waitMs(1), 60_000);
    assert.equal(budget.waitMs(2), 0);
  });
});
