import assert from 'node:assert/strict';
import { confirmRental, haveKey, rentalsOf, searchAndReview } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the price limit of all that runs', () => {
  const setting = 'gpuRental.rent.limitPerHour';
  const computer = useComputer({ settings: { [setting]: 0.001 } });
  let window: FeatureWindow;
  const quick = () => window.quick;
  const dollars = (text: string) => Number(/\$([\d.]+)\/h/.exec(text)?.[1]);

  before(async () => {
    await haveKey(computer());
    window = await computer().openWindow();
    await window.signIn();
    window.clearToasts();
  });
  afterEach(() => {
    window.clearToasts();
    quick().escape();
  });

  it('keeps to the price limit an hour, unless it is overridden by name', async () => {
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    assert.equal(quick().activeRow(), 'Over your price limit. Choose how to continue below.');
    await quick().row('Your limit is $0.0010/h');
    // The row at the cursor only says it: no Enter rents.
    await confirmRental(window);
    await computer().pass(10_000);
    await quick().title('Rent: Confirm');
    assert.deepEqual(rentalsOf(computer()), []);
    await quick().pick(/^Rent over the Limit for \$/);
    await computer().until('the rental', () => rentalsOf(computer())[0]?.status === 200);
    await window.toast(/is ready/);
    assert.equal(rentalsOf(computer()).length, 1);
  });

  it('counts what runs already', async () => {
    const running = dollars(await window.statusShows(/1 running · \$/));
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    const offer = dollars((await quick().row(/^Rent over the Limit for \$/)).label);
    quick().escape();
    // Enough for each of them, and not for both.
    computer().settings.set(setting, Math.max(running, offer) * 1.01);
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    await quick().row(/^Rent over the Limit for \$/);
    await quick().row(/^With this one, all your instances cost \$/);
    quick().escape();
    computer().settings.set(setting, (running + offer) * 1.01);
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    assert.match(quick().activeRow() ?? '', /^Rent for \$/);
    assert.equal(rentalsOf(computer()).length, 1);
  });

  it('leaves every price to the user where there is no limit', async () => {
    computer().settings.set(setting, 0);
    await searchAndReview(window, '8x', /^8× /);
    assert.match(quick().activeRow() ?? '', /^Rent for \$/);
    assert.ok(
      !quick()
        .rows()
        .some((row) => row.includes('limit')),
    );
  });
});
