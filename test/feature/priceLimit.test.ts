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
    window = await computer().openSignedIn();
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

  it('counts running instances', async () => {
    const running = dollars(await window.statusShows(/1 running · \$/));
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    const offer = dollars((await quick().row(/^Rent over the Limit for \$/)).label);
    quick().escape();
    // Enough for each of them, and not for both.
    computer().settings.set(setting, Math.max(running, offer) * 1.01);
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    await quick().row(/^Rent over the Limit for \$/);
    await quick().row(/^All your instances would then cost up to \$/);
    quick().escape();
    computer().settings.set(setting, (running + offer) * 1.01);
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    assert.match(quick().activeRow() ?? '', /^Rent for \$/);
    assert.equal(rentalsOf(computer()).length, 1);
  });

  it('asks before a start that leads over it, and starts nothing where that is declined', async () => {
    const starts = () =>
      computer()
        .simulator.received('PUT', /^\/api\/v0\/instances\/\d+\/$/)
        .filter(({ body }) => (body as { state?: string }).state === 'running').length;
    const instances = () => window.view('instances');
    await instances().menu(/RTX 3090/, 'Stop…');
    await window.dialogButton('Stop');
    await instances().row(/RTX 3090.*Stopped/);
    computer().settings.set(setting, 0.001);
    await instances().menu(/RTX 3090/, 'Start…');
    await window.dialogButton('Start');
    const { detail } = await window.dialog('Continue over your price limit?');
    assert.match(
      detail ?? '',
      /^All your instances would then cost up to \$[\d.]+\/h\. Your limit is \$0\.0010\/h\.$/,
    );
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.equal(starts(), 0);
    await instances().menu(/RTX 3090/, 'Start…');
    await window.dialogButton('Start');
    await window.dialogButton('Continue Anyway', 'Continue over your price limit?');
    await computer().until('the start', () => starts() === 1);
    await instances().row(/RTX 3090.*Running/);
    computer().settings.set(setting, 1000);
    await instances().menu(/RTX 3090/, 'Stop…');
    await window.dialogButton('Stop');
    await instances().row(/RTX 3090.*Stopped/);
    await instances().menu(/RTX 3090/, 'Start…');
    await window.dialogButton('Start');
    await computer().until('the start within the limit', () => starts() === 2);
  });

  it('asks before a higher bid that leads over it, sends none where that is declined, and lets a bid be lowered', async () => {
    const id = await computer().rentRunning({ label: 'spot', price: 1 });
    const bids = () => computer().simulator.received('PUT', `/api/v0/instances/bid_price/${id}/`).length;
    const bid = async (dollars: string) => {
      await window.view('instances').menu(/spot/, 'Change Bid…');
      await quick().title(/Change Bid:/);
      await quick().type(dollars);
    };
    window.run('Refresh');
    await window.view('instances').row(/spot.*Running/);
    computer().settings.set(setting, 0.001);
    await bid('1.5');
    const { detail } = await window.dialog('Continue over your price limit?');
    assert.match(
      detail ?? '',
      /^All your instances would then cost up to \$[\d.]+\/h\. Your limit is \$0\.0010\/h\.$/,
    );
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.equal(bids(), 0);
    await bid('1.5');
    await window.dialogButton('Continue Anyway', 'Continue over your price limit?');
    await window.toast(/The bid of spot is now \$1\.50\/h/);
    await bid('1.2');
    await window.toast(/The bid of spot is now \$1\.20\/h/);
    computer().settings.set(setting, 1000);
    await bid('1.6');
    await window.toast(/The bid of spot is now \$1\.60\/h/);
    assert.equal(bids(), 3);
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
