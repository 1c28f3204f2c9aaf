import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { appears, press as pressButton } from '../support/press';
import { exactly } from '../support/quickInput';
import { textsOf } from '../support/rows';
import { useUiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** The product asks at most eight times a minute, so that a search may have to wait for its turn. */
const turnMs = 90_000;

describe('search and rent', function () {
  this.timeout(180_000);
  this.bail(true);
  const session = useUiSession('searchAndRent');
  let workbench: Workbench;

  const press = (key: string) => workbench.page.keyboard.press(key);
  const type = (text: string) => workbench.page.keyboard.type(text);
  const title = (text: string) => workbench.quick.waitForTitle(new RegExp(`^\\s*${text}\\s*$`));
  const offers = () => workbench.quick.rows.filter({ hasText: '% reliable' });
  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const searches = () => session().simulator.received('POST', /^\/api\/v0\/bundles\//);

  /** Moves to the row with exactly this label, by typing and by the arrow, and accepts it. */
  async function choose(label: string): Promise<void> {
    await workbench.quick.input.fill(label);
    const focused = workbench.quick.widget
      .locator('.quick-input-list .monaco-list-row.focused')
      .filter({ has: workbench.page.locator('.label-name', { hasText: exactly(label) }) });
    await until(`the row ${label}`, async () => {
      if (await appears(focused, 400)) {
        return true;
      }
      await press('ArrowDown');
      return appears(focused, 400);
    });
    await workbench.quick.enter();
  }

  it('shows good offers at once, and only what fits what is typed', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.run('Search Offers…');
    await title('Search Offers');
    await offers().first().waitFor();
    await workbench.shot('01-offers');
    // In one piece: on a busy machine letters may come with pauses, after each of which it may ask.
    await workbench.page.keyboard.insertText('4090 <2 ≥24gb');
    await workbench.quick.rows
      .filter({ hasText: 'GPU: RTX 4090 · Memory per GPU: ≥ 24 GB · Price per hour: ≤ $2.00' })
      .waitFor();
    await until('only what fits', async () => {
      const texts = await textsOf(offers());
      return texts.length > 0 && texts.every((text) => text.includes('RTX 4090'));
    });
    await workbench.shot('02-typed');
  });

  it('sets filters of every kind by keyboard, however fast they are typed', async () => {
    await press('Control+A');
    await type('/');
    await title('Search Offers: Filters');
    await workbench.shot('03-filters');
    await choose('Reliability');
    await title('Search Offers: Reliability');
    // At once: the rows for it may not be there yet.
    await type('95');
    await workbench.quick.enter();
    await title('Search Offers: Filters');
    await choose('GPU');
    await title('Search Offers: GPU');
    await type('RTX A6000');
    await workbench.quick.row('RTX A6000').waitFor();
    await press('ArrowDown');
    await press('Space');
    await workbench.quick.widget.locator('.quick-input-count', { hasText: '2 Selected' }).waitFor();
    await workbench.shot('04-models');
    await workbench.quick.enter();
    await title('Search Offers: Filters');
    await choose('Fixed IP address');
    await title('Search Offers: Fixed IP address');
    await choose('No');
    await title('Search Offers: Filters');
    await choose('Machine number');
    await title('Search Offers: Machine number');
    await type('12');
    await workbench.quick.enter();
    await title('Search Offers: Filters');
    await workbench.shot('05-filters-set');
    await choose('Show Offers');
    await title('Search Offers');
    // Asks in any case, also where a whole answer already holds the few rows that fit.
    await pressButton(workbench.quick.titleButton('Search Again'));
    const sent = () => (searches().at(-1)?.body ?? {}) as Record<string, { readonly in?: string[] }>;
    const isAsked = () => sent()['static_ip'] !== undefined && sent()['machine_id'] !== undefined;
    await until('a request with all of them', isAsked, { timeoutMs: turnMs });
    const { reliability, machine_id: machine, static_ip: fixed, gpu_name: models } = sent();
    assert.deepEqual([reliability, machine, fixed], [{ gte: 0.95 }, { eq: 12 }, { eq: false }]);
    assert.deepEqual(models?.in?.sort(), ['RTX 4090', 'RTX A6000']);
    await type('/');
    await title('Search Offers: Filters');
    await choose('Reset All Filters');
    await choose('Show Offers');
    await title('Search Offers');
    await offers().first().waitFor({ timeout: turnMs });
  });

  it('fetches more offers, which begin at the row for them', async () => {
    const focused = (text: string) =>
      workbench.quick.widget.locator('.monaco-list-row.focused', { hasText: text }).isVisible();
    await until(
      'the row for more',
      async () => {
        await press('PageDown');
        return focused('Show More Offers');
      },
      { timeoutMs: turnMs },
    );
    await workbench.quick.rows.filter({ hasText: 'First 64 shown' }).waitFor();
    await workbench.shot('06-more');
    await workbench.quick.enter();
    await until(
      'an offer after the first 64',
      async () => {
        const row = offers().and(workbench.page.locator('.focused'));
        return (await row.count()) === 1 && Number(await row.getAttribute('data-index')) > 64;
      },
      { timeoutMs: turnMs },
    );
  });

  it('does not rent by an Enter held down from the step before', async () => {
    const { quick } = workbench;
    await workbench.quick.enter();
    await quick.waitForTitle('Rent: Template');
    await workbench.shot('07-source');
    await quick.enter({ isList: true });
    await quick.waitForTitle('Rent: Disk');
    await workbench.shot('08-disk');
    await quick.enter();
    await quick.waitForTitle('Rent: Label');
    await quick.enter();
    await quick.waitForTitle('Rent: Run type');
    await workbench.shot('09-runtype');
    for (let repeat = 0; repeat < 40; repeat += 1) {
      await workbench.page.keyboard.down('Enter');
    }
    await workbench.page.keyboard.up('Enter');
    await quick.waitForTitle('Rent: Confirm');
    await quick.rows.filter({ hasText: /Rent for \$/ }).waitFor();
    await workbench.shot('10-confirm');
    // An Enter counts only once no other has followed it for a while.
    await pause(1000);
    assert.deepEqual(rentals(), []);
    // Comes back once all of them were taken in, in their order.
    await quick.back();
    await quick.waitForTitle('Rent: Run type');
    await quick.enter({ isList: true });
    await quick.waitForTitle('Rent: Confirm');
    assert.deepEqual(rentals(), []);
  });

  it('leads from the confirmation to a choice and back by keyboard', async () => {
    const { quick } = workbench;
    await quick.input.fill('More Options');
    // Long enough after the step before for an Enter to count.
    await pause(1500);
    await quick.enter({ isList: true });
    await quick.waitForTitle('Rent: More Options');
    await workbench.shot('11-options');
    await quick.back();
    await quick.waitForTitle('Rent: Confirm');
    await choose('Disk');
    await quick.waitForTitle('Rent: Disk');
    await quick.type('4', { enter: false });
    await until('the reason', async () => (await quick.message()).includes('At least 8 GB'));
    await workbench.shot('12-disk-too-small');
    await press('Escape');
    assert.deepEqual(rentals(), []);
    assert.deepEqual(workbench.errors, []);
  });
});
