import assert from 'node:assert/strict';
import { lastSearch, rentalsOf, searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const image = 'nvidia/cuda:12.8.0-cudnn-devel-ubuntu22.04';

describe('fit before payment', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;
  const searches = () => computer().simulator.received('POST', '/api/v0/bundles/').length;

  before(async () => {
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('warns next to the price of an image that needs more CUDA than the driver has', async () => {
    await searchFor(window, 'cuda=12.2', /% reliable/);
    await quick().row(/^Filters.*All: .*CUDA: 12\.2/s);
    await quick().pick('% reliable');
    await quick().title('Rent: Template');
    await quick().type(image, { enter: false });
    await quick().pick(`Use the Image ${image}`);
    await quick().title('Rent: Disk');
    await quick().button('Keep the Defaults and Review');
    await quick().title('Rent: Confirm');
    await quick().row(/The image needs CUDA 12\.8, but this driver \(535\.[\d.]+\) supports up to 12\.2\./);
    await quick().row(/Show Only Offers That Fit.*CUDA: ≥ 12\.8/s);
  });

  it('leads by the keyboard to the offers that fit, and sends no rental', async () => {
    const before = searches();
    await quick().type('only offers', { enter: false });
    await computer().pass(1500);
    await quick().enter();
    await quick().title('Search Offers');
    await computer().until('the search', () => searches() > before);
    await quick().row(/CUDA: 1[23]\.[089] .*% reliable/);
    const { cuda_max_good: cuda, direct_port_count: ports } = lastSearch(computer());
    assert.deepEqual([cuda, ports], [{ gte: 12.8 }, { gte: 1 }]);
    await quick().row(/Filters.*CUDA: ≥ 12\.8/s);
    assert.deepEqual(rentalsOf(computer()), []);
  });

  it('keeps what was chosen, and warns no more', async () => {
    await quick().pick(/CUDA: 1[23]\.[089] .*% reliable/);
    await quick().title('Rent: Disk');
    await quick().button('Keep the Defaults and Review');
    await quick().title('Rent: Confirm');
    await quick().row(image);
    assert.doesNotMatch(quick().rows().join('\n'), /needs CUDA|That Fit/);
    assert.deepEqual(rentalsOf(computer()), []);
  });

  it('is undone by the reset of all filters', async () => {
    await quick().back();
    await quick().title('Rent: Disk');
    await quick().back();
    await quick().title('Search Offers');
    await quick().type('/', { enter: false });
    await quick().title('Search Offers: Filters');
    await quick().pick('Reset All Filters');
    await quick().pick('Show Offers');
    await quick().title(/^Search Offers$/);
    await computer().until('the wide search', () => !('cuda_max_good' in lastSearch(computer())));
  });

  it('marks the offers that do not fit a template, and warns of them before payment, too', async () => {
    quick().escape();
    window.run('Rent from Template…');
    await quick().title('Rent from Template');
    await quick().pick('Fine-tuning');
    await quick().title('Search Offers for Fine-tuning');
    await quick().row('% reliable');
    await quick().type('cuda=12.2', { enter: false });
    await quick().pick(
      /The image needs CUDA 12\.8, but this driver \(535\.[\d.]+\) supports up to 12\.2\. · \$/,
    );
    await quick().title('Rent: Disk');
    await quick().button('Keep the Defaults and Review');
    await quick().title('Rent: Confirm');
    await quick().row(/^The image needs CUDA 12\.8, but this driver/);
    await quick().row(/Show Only Offers That Fit.*CUDA: ≥ 12\.8/s);
    quick().escape();
    assert.deepEqual(rentalsOf(computer()), []);
  });
});
