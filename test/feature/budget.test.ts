import assert from 'node:assert/strict';
import { confirmRental, haveKey, rentalsOf, searchAndReview } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minute = 60_000;
const perDay = 'gpuRental.budget.perDay';

describe('a budget', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;
  const charges = () => computer().simulator.received('GET', /\/charges\//);

  before(async () => {
    await haveKey(computer());
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    await window.statusShows(/1 running/);
    window.clearToasts();
  });
  afterEach(() => {
    window.clearToasts();
    quick().escape();
  });

  it('asks the service for no charges while none is set', async () => {
    await computer().pass(30 * minute);
    assert.deepEqual(charges(), []);
  });

  it('is in the status bar, from charges that are read every 10 minutes at most', async () => {
    computer().settings.set(perDay, 100);
    await window.statusShows(/\$\d+\.\d\d of \$100\/day/);
    const before = charges().length;
    await computer().pass(60 * minute);
    assert.ok(charges().length - before <= 6, String(charges().length - before));
  });

  it('that is used up asks for a yes that names it, and no Enter of habit rents', async () => {
    computer().settings.set(perDay, 0.01);
    const before = rentalsOf(computer()).length;
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    assert.equal(quick().activeRow(), 'Over your budget. Choose how to continue below.');
    await quick().row(/^You have spent \$\d+\.\d\d of your budget of \$0\.01\/day\./);
    await confirmRental(window);
    await quick().title('Rent: Confirm');
    assert.equal(rentalsOf(computer()).length, before);
    await quick().pick(/^Rent over the Budget for \$/);
    await computer().until('the rental', () => rentalsOf(computer())[before]?.status === 200);
    await window.toast(/Rentals and starts now need your confirmation/);
    window.clearToasts();
  });

  it('that is used up after the confirmation was shown rents nothing', async () => {
    computer().settings.set(perDay, 100);
    const before = rentalsOf(computer()).length;
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    computer().settings.set(perDay, 0.01);
    await confirmRental(window);
    await quick().row(/^Nothing was rented\./);
    assert.equal(quick().activeRow(), 'Over your budget. Choose how to continue below.');
    assert.equal(rentalsOf(computer()).length, before);
  });

  it('that can’t be checked asks as well', async () => {
    computer().settings.set(perDay, 100);
    computer().simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/charges/', times: 0 });
    await computer().pass(30 * minute);
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    await quick().row('Could not read all charges and instances, so your budget may be used up.');
    assert.equal(quick().activeRow(), 'Could not check your budget. Choose how to continue below.');
    await quick().row(/^Rent without a Budget Check for \$/);
    computer().simulator.faults.clear();
  });
});
