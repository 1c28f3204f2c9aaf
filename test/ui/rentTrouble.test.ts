import assert from 'node:assert/strict';
import { confirmRental, generateKey, signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('renting when things change', function () {
  this.timeout(180_000);
  const session = useUiSession('rentTrouble');
  let workbench: Workbench;

  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//);

  async function toConfirmation(): Promise<void> {
    await workbench.run('Search Offers…');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.page.keyboard.type('1x 3090');
    await until('offers of that GPU', async () => {
      const offers = (await workbench.quick.rowTexts()).filter((text) => text.includes('% reliable'));
      return offers.length > 0 && offers.every((text) => text.includes('1× RTX 3090'));
    });
    await workbench.quick.pickMatching(/1× RTX 3090/);
    await workbench.quick.waitForTitle('Rent: Template or Image');
    // The pointer stands where the hover of the box would cover the title.
    await workbench.page.mouse.move(700, 700);
    await workbench.quick.titleButton('Keep the Defaults and Review').focus();
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.waitForTitle('Rent: Confirm');
  }

  it('shows the next best offer when the chosen one is taken at the last moment', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    session().simulator.fail({
      kind: 'error',
      status: 410,
      error: 'no_such_ask',
      path: '/api/v0/asks/*',
      times: 1,
    });
    await toConfirmation();
    await workbench.quick.rows.filter({ hasText: /Rent for/ }).waitFor();
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    await workbench.quick.rows.filter({ hasText: /RTX 3090 24 GB is gone.*next best offer/ }).waitFor();
    await workbench.shot('01-gone');
    assert.equal(rentals().length, 1);
  });

  it('rents nothing where it cannot be read whether anybody could log in, unless it is told to', async () => {
    const before = rentals().length;
    session().simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/ssh/', times: 0 });
    await confirmRental(workbench);
    await workbench.dialog.waitFor({ timeout: 60_000 });
    assert.match(await workbench.dialog.innerText(), /could not be read/);
    await workbench.shot('01-keys-unknown');
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.waitForTitle('Rent: Confirm');
    await workbench.quick.rows.filter({ hasText: 'Nothing was rented' }).waitFor();
    assert.equal(rentals().length, before);
    session().simulator.faults.clear();
  });

  it('warns of a run type without SSH and offers direct SSH', async () => {
    await workbench.quick.pick('Run type');
    await workbench.quick.waitForTitle('Rent: Run Type');
    await workbench.quick.pick('The image as it is, without SSH');
    await workbench.quick.waitForTitle('Rent: Confirm');
    const warning = workbench.quick.rows.filter({ hasText: 'neither SSH nor Jupyter' });
    await warning.waitFor();
    await workbench.shot('02-args');
    await workbench.quick.pickMatching(/neither SSH nor Jupyter/);
    await until('the warning to go', async () => (await warning.count()) === 0);
  });

  it('opens every further option and keeps what was set there', async () => {
    await workbench.quick.pick('More Options…');
    await workbench.quick.waitForTitle('Rent: More Options');
    await workbench.shot('03-options');
    await workbench.quick.pick('Environment and Ports');
    await workbench.quick.waitForTitle('Rent: Environment and Ports');
    await workbench.quick.pick('Edit as Text…');
    await workbench.quick.waitForTitle('Rent: Environment as Text');
    await workbench.quick.type('-e A=1 -p 8080:8080');
    await workbench.quick.waitForTitle('Rent: Environment and Ports');
    await workbench.shot('04-env');
    await workbench.quick.back();
    await workbench.quick.waitForTitle('Rent: More Options');
    await workbench.quick.pick('How Many');
    await workbench.quick.waitForTitle('Rent: How Many');
    await workbench.quick.pick('2');
    await workbench.quick.waitForTitle('Rent: More Options');
    await workbench.quick.pick('Done');
    await workbench.quick.waitForTitle('Rent: Confirm');
    await workbench.quick.rows.filter({ hasText: 'Rent 2 Machines' }).waitFor();
    await workbench.shot('05-two');
  });

  it('rents two, each accounted for, with what was set', async () => {
    const before = rentals().length;
    await confirmRental(workbench);
    await workbench.toast(/Rented 2 of 2 machines/, 60_000);
    await workbench.shot('06-rented');
    const sent = rentals().slice(before);
    assert.equal(sent.length, 2);
    assert.equal(new Set(sent.map(({ path }) => path)).size, 2);
    assert.equal(new Set(sent.map(({ body }) => (body as { label: string }).label)).size, 2);
    for (const { body } of sent) {
      assert.deepEqual((body as { env: unknown }).env, { A: '1', '-p 8080:8080': '1' });
    }
  });

  it('shows an error as a row with a retry, not as an empty list', async () => {
    session().simulator.fail({ kind: 'html500', path: '/api/v0/bundles/', times: 0 });
    await workbench.run('Search Offers…');
    const error = workbench.quick.rows.filter({ hasText: 'The search failed' });
    await error.waitFor({ timeout: 60_000 });
    await workbench.shot('07-error');
    session().simulator.faults.clear();
    await workbench.quick.pickMatching(/The search failed/);
    // The searches so far may have used up what the service takes in a minute.
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await workbench.page.keyboard.press('Escape');
  });

  it('says that nothing matches, and leads to the filters', async () => {
    await workbench.run('Search Offers…');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await workbench.page.keyboard.type('x8 <0.001');
    await workbench.quick.rows.filter({ hasText: 'No offers match' }).waitFor({ timeout: 90_000 });
    await workbench.shot('08-empty');
    await workbench.quick.pick('No offers match');
    await workbench.quick.waitForTitle('Search Offers: Filters');
    await workbench.page.keyboard.press('Escape');
  });
});
