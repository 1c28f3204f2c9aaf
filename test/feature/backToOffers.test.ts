import assert from 'node:assert/strict';
import { haveKey, searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('going back from the steps of a rental to the offers', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;
  const offers = () =>
    quick()
      .rows()
      .filter((row) => row.includes('% reliable'));

  /** From the confirmation through all steps to the list. */
  async function backToList(): Promise<void> {
    for (let step = 0; quick().open.title?.startsWith('Rent: ') === true; step += 1) {
      assert.ok(step < 10, 'Back does not lead to the list');
      await quick().back();
    }
    await quick().title(/^Search Offers/);
    await quick().row('% reliable');
  }

  async function review(): Promise<string> {
    await quick().button('Keep the Defaults and Review');
    await quick().title('Rent: Confirm');
    return quick().rows().join('\n');
  }

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
  });

  it('keeps what was chosen in the steps for the next offer', async () => {
    await searchFor(window, '1x 3090', /1× RTX 3090/);
    await quick().pick(/1× RTX 3090/);
    await quick().title('Rent: Template');
    await quick().type('ghcr.io/me/own:1');
    await quick().title('Rent: Disk');
    await quick().type('50');
    await quick().title('Rent: Label');
    await quick().type('my run');
    await quick().title('Rent: Run type');
    await quick().pick('SSH, through the service');
    await quick().title('Rent: Confirm');
    await quick().pick('More Options…');
    await quick().pick('Environment and ports');
    await quick().pick('Add a Port…');
    await quick().type('8080');
    await quick().title('Rent: Environment and ports');
    await quick().back();
    await quick().pick('Volume');
    await quick().pick(/Create a Volume…/);
    await quick().message(/folder on the machine/);
    await quick().enter();
    await quick().type('40');
    await quick().title('Rent: More Options');
    await quick().pick('Done');
    await quick().title('Rent: Confirm');
    await backToList();
    const [, other = ''] = offers();
    await quick().pick(other);
    await quick().title('Rent: Template');
    assert.match(quick().activeRow() ?? '', /ghcr\.io\/me\/own:1/);
    const rows = await review();
    for (const said of [/own:1/, /Disk 50 GB/, /Label my run/, /SSH, through the service/, /8080/]) {
      assert.match(rows, said);
    }
    assert.doesNotMatch(rows, /a new one of 40 GB/, 'a volume stays on its machine');
    await window.toast(/new volume would be on machine \d+/);
    window.clearToasts();
    await backToList();
    await quick().pick(/1× RTX 3090/);
    assert.match(await review(), /a new one of 40 GB at \/data/);
    quick().escape();
  });

  it('keeps a bid for its own offer alone', async () => {
    await searchFor(window, '1x 3090 spot', /1× RTX 3090/);
    await quick().pick(/1× RTX 3090/);
    await review();
    await quick().pick(/^Your bid/);
    await quick().type('0.91');
    await quick().title('Rent: Confirm');
    await backToList();
    const [first = '', other = ''] = offers();
    await quick().pick(other);
    assert.doesNotMatch(await review(), /Your bid \$0\.91/);
    await backToList();
    await quick().pick(first);
    await review();
    await quick().pick(/^Your bid/);
    await quick().type('0.91');
    await quick().title('Rent: Confirm');
    await backToList();
    await quick().pick(first);
    assert.match(await review(), /Your bid \$0\.91/);
    quick().escape();
  });
});
