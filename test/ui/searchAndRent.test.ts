import assert from 'node:assert/strict';
import { confirmRental, generateKey, signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('search and rent', function () {
  this.timeout(180_000);
  const session = useUiSession('searchAndRent');
  let workbench: Workbench;

  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const searches = () => session().simulator.received('POST', /^\/api\/v0\/bundles\//);

  it('shows good offers at once', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.run('Search Offers…');
    await workbench.quick.waitForTitle('Search Offers');
    await workbench.quick.rows.filter({ hasText: '/h' }).first().waitFor();
    await workbench.shot('01-offers');
    const [first] = searches();
    assert.deepEqual(first?.body, {
      verified: { eq: true },
      rentable: { eq: true },
      external: { eq: false },
      type: 'on-demand',
      order: [['score', 'desc']],
      limit: 64,
      allocated_storage: 20,
    });
  });

  it('understands what is typed, and asks once', async () => {
    const before = searches().length;
    // In one piece: on a busy machine letters may come with pauses, after each of which it may ask.
    await workbench.page.keyboard.insertText('4090 <2 ≥24gb');
    await until('the answer', () => Promise.resolve(searches()[before]));
    await workbench.quick.rows
      .filter({ hasText: 'GPU: RTX 4090 · Memory per GPU: ≥ 24 GB · Price an hour: ≤ $2.00' })
      .waitFor();
    await until('only what fits', async () =>
      (await workbench.quick.rowTexts())
        .filter((text) => text.includes('/h'))
        .every((text) => text.includes('RTX 4090')),
    );
    await workbench.shot('02-typed');
    assert.equal(searches().length, before + 1);
  });

  it('leads through filters and back with the keyboard alone', async () => {
    await workbench.page.keyboard.press('Control+A');
    await workbench.page.keyboard.type('/');
    await workbench.quick.waitForTitle('Search Offers: Filters');
    await workbench.shot('03-filters');
    await workbench.page.keyboard.type('reliab');
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Search Offers: Reliability');
    await workbench.page.keyboard.type('95');
    await workbench.quick.row('At least 95%').waitFor();
    await workbench.shot('04-reliability');
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Search Offers: Filters');
    await workbench.quick.pick('Show Offers');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.shot('05-filtered');
  });

  it('asks step by step, with a default for each, and says at the end what it costs', async () => {
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Rent: Template or Image');
    await workbench.shot('06-source');
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Rent: Disk');
    await workbench.shot('07-disk');
    await workbench.quick.type('30');
    await workbench.quick.waitForTitle('Rent: Label');
    await workbench.quick.type('ui test');
    await workbench.quick.waitForTitle('Rent: Run Type');
    await workbench.shot('08-runtype');
    await workbench.quick.back();
    await workbench.quick.waitForTitle('Rent: Label');
    assert.equal(await workbench.quick.input.inputValue(), 'ui test');
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Rent: Run Type');
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Rent: Confirm');
    await workbench.quick.rows.filter({ hasText: /Rent for \$/ }).waitFor();
    await workbench.shot('09-confirm');
    assert.equal(rentals().length, 0);
  });

  it('estimates the stay that is asked for; what is typed leads to its row and does not rent', async () => {
    const { quick, page } = workbench;
    await quick.rows.filter({ hasText: '8 h with 50 GB down and 0 up come to $' }).waitFor();
    await quick.input.fill('Estimate');
    await quick.rows.filter({ hasText: /Rent for \$/ }).waitFor({ state: 'detached' });
    // Long enough after the step before for an Enter to count.
    await pause(1500);
    await page.keyboard.press('Enter');
    await quick.waitForTitle('Rent: Estimate');
    await quick.input.fill('ten');
    await until('the reason', async () => (await quick.message()).includes('Type hours, GB down and GB up'));
    await quick.input.fill('10 h, 100 GB, 5 GB');
    await workbench.shot('10-stay');
    await page.keyboard.press('Enter');
    await quick.waitForTitle('Rent: Confirm');
    await quick.rows.filter({ hasText: '10 h with 100 GB down and 5 up come to $' }).waitFor();
    await workbench.shot('10-confirm');
    assert.equal(rentals().length, 0);
  });

  it('does not rent by an Enter held down from the step before', async () => {
    await workbench.quick.back();
    await workbench.quick.waitForTitle('Rent: Run Type');
    for (let repeat = 0; repeat < 40; repeat += 1) {
      await workbench.page.keyboard.down('Enter');
    }
    await workbench.page.keyboard.up('Enter');
    await workbench.quick.waitForTitle('Rent: Confirm');
    // An Enter counts only once no other has followed it for a while.
    await pause(1000);
    assert.equal(rentals().length, 0);
    // Comes back once all of them were taken in, in their order.
    await workbench.quick.back();
    await workbench.quick.waitForTitle('Rent: Run Type');
    await workbench.quick.enter({ isList: true });
    await workbench.quick.waitForTitle('Rent: Confirm');
    assert.equal(rentals().length, 0);
  });

  it('rents with one Enter, and sends what was confirmed', async () => {
    const row = workbench.quick.rows.filter({ hasText: /Rent for \$/ });
    await row.waitFor();
    const [price] = /\$[\d.]+\/h/.exec(await row.innerText()) ?? [];
    assert.ok(price);
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    await until('the rental', () => rentals().length > 0);
    await workbench.toast(/Getting ui test ready/);
    assert.equal(rentals().length, 1);
    const body = rentals()[0]?.body as Record<string, unknown>;
    assert.match(String(body['label']), /^ui test \[gr-[0-9a-f]{8}\]$/);
    assert.deepEqual(
      { ...body, label: '' },
      {
        image: 'pytorch/pytorch:latest',
        disk: 30,
        label: '',
        runtype: 'ssh_direct',
        cancel_unavail: true,
      },
    );
    // What was confirmed is what the view and the status bar say.
    await workbench.view('Instances').row('ui test').filter({ hasText: price }).waitFor();
    await until('the price in the status bar', async () =>
      (await workbench.statusText('gpuRental.status')).includes(`· ${price} ·`),
    );
    await workbench.shot('10-rented');
  });

  it('keeps the search from which something was rented among the recent ones', async () => {
    const { quick, page } = workbench;
    const openSaved = async () => {
      await quick.input.fill('saved and recent');
      await quick.row('Saved and Recent Searches').waitFor();
      await quick.enter({ isList: true });
      await quick.waitForTitle('Search Offers: Saved Searches');
    };
    await workbench.run('Search Offers…');
    await quick.waitForTitle('Search Offers');
    await page.keyboard.type('/');
    await quick.waitForTitle('Search Offers: Filters');
    await openSaved();
    await quick.pick('Default Search');
    await quick.waitForTitle('Search Offers: Filters');
    await quick.rows.filter({ hasText: /^\s*GPU\s*any/ }).waitFor();
    await openSaved();
    const recent = quick.rows.filter({ hasText: /GPU: RTX 4090 · Memory per GPU: ≥ 24 GB/ });
    await recent.waitFor();
    await workbench.shot('11-recent');
    await quick.pickMatching(/GPU: RTX 4090 · Memory per GPU: ≥ 24 GB/);
    await quick.waitForTitle('Search Offers: Filters');
    await quick.rows.filter({ hasText: /^\s*GPU\s*RTX 4090/ }).waitFor();
    await page.keyboard.press('Escape');
  });
});
