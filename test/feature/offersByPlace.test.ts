import assert from 'node:assert/strict';
import { OfferList } from '../support/feature/offerList';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('offers by their place', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let list: OfferList;
  const quick = () => window.quick;

  before(async () => {
    window = await computer().openWindow();
    list = new OfferList(window);
    await window.signIn();
    window.clearToasts();
    await list.open();
    await list.openFilters();
    await list.pick('Reset All Filters');
    await list.back();
    quick().escape();
  });
  afterEach(() => {
    quick().escape();
  });

  it('finds a typed state among the offers of its country', async () => {
    await list.open();
    await quick().type('california', { enter: false });
    await list.settled();
    assert.deepEqual(list.body()?.['geolocation'], { eq: 'US' });
    assert.ok(list.offers().length > 0);
    await quick().row(/^Filters .*All: .*California, US/);
    assert.match(quick().headings()[0] ?? '', /^\d+ of the 64 offers read so far · Best Match$/);
  });

  it('counts the offers beside the way back to them, once the search is answered', async () => {
    await list.open();
    await list.openFilters();
    await list.pick('Rental type');
    await quick().title('Search Offers: Rental type');
    await list.pick('Interruptible');
    await quick().title('Search Offers: Filters');
    await quick().row('Show Offers 64 of many: narrow the search');
    await list.pick('Reset All Filters');
    await quick().row('Show Offers 64 of many: narrow the search');
    await list.back();
  });
});
