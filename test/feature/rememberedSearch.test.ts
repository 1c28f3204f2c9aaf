import assert from 'node:assert/strict';
import { OfferList } from '../support/feature/offerList';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the search that is remembered', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let list: OfferList;

  const count = () => list.body()?.['num_gpus'];
  const reopen = async () => {
    window.quick.escape();
    await computer().rest();
    await list.open();
  };

  before(async () => {
    window = await computer().openWindow();
    list = new OfferList(window);
    await window.signIn();
    window.clearToasts();
    await list.open();
  });

  it('proposes single GPUs until the user chooses how many', async () => {
    assert.deepEqual(count(), { eq: 1 });
    await list.sortBy('Lowest Price');
    await list.back();
    await reopen();
    assert.deepEqual([count(), list.body()?.['order']], [{ eq: 1 }, [['dph_total', 'asc']]]);
  });

  it('lets what is typed widen the proposal, also the next time', async () => {
    await window.quick.type('h100', { enter: false });
    await computer().until('any count', () => count() === undefined);
    await window.quick.type('', { enter: false });
    await reopen();
    assert.deepEqual(count(), { eq: 1 });
  });

  it('keeps what was chosen in its place', async () => {
    await window.quick.pick('Show Larger Machines Too');
    await computer().until('the wide search', () => count() === undefined);
    await reopen();
    assert.equal(count(), undefined);
    window.quick.escape();
  });
});
