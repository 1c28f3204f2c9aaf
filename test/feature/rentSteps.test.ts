import assert from 'node:assert/strict';
import { haveKey, searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a step of a rental that is shown again', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    await searchFor(window, '1x 3090 spot', /1× RTX 3090/);
    await quick().pick(/1× RTX 3090/);
  });

  it('keeps a typed image on Enter', async () => {
    await quick().title('Rent: Template');
    await quick().type('ghcr.io/me/own:1');
    await quick().title('Rent: Disk');
    await quick().back();
    await quick().title('Rent: Template');
    assert.match(quick().activeRow() ?? '', /^ghcr\.io\/me\/own:1/);
    await quick().enter();
    await quick().title('Rent: Disk');
    await quick().button('Keep the Defaults and Review');
    await quick().title('Rent: Confirm');
    await quick().row(/^Image ghcr\.io\/me\/own:1/);
  });

  it('keeps a typed bid on Enter', async () => {
    await quick().pick(/^Your bid/);
    await quick().title('Rent: Your bid');
    await quick().type('0.91');
    await quick().title('Rent: Confirm');
    await quick().pick(/^Your bid \$0\.910\/h/);
    await quick().title('Rent: Your bid');
    assert.match(quick().activeRow() ?? '', /^\$0\.910\/h .*Your bid so far/);
    await quick().enter();
    await quick().title('Rent: Confirm');
    await quick().row(/^Your bid \$0\.910\/h/);
  });
});
