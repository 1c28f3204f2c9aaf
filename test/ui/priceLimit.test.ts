import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { clearMessages, haveKey, rentalsOf, searchAndReview } from '../support/rentJourney';
import { useUiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('the price limit of all that runs', function () {
  this.timeout(240_000);
  const session = useUiSession('priceLimit', {
    simulator: { sshServer: false },
    settings: { 'gpuRental.rent.limitPerHour': 0.001 },
  });
  let workbench: Workbench;
  const quick = () => workbench.quick;

  before(async () => {
    await haveKey(session());
    workbench = await session().window();
    await signIn(session(), workbench);
  });

  it('keeps to the price limit an hour, unless it is overridden by name', async () => {
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    await quick().rows.filter({ hasText: 'Over your price limit' }).waitFor();
    await workbench.shot('01-over');
    const before = rentalsOf(session()).length;
    // Keys held over from the step before are long gone; this Enter is on the row that only says it.
    await pause(1200);
    await quick().enter({ isList: true });
    await quick().rows.filter({ hasText: 'Your limit is $0.0010/h' }).waitFor();
    assert.equal(rentalsOf(session()).length, before);
    await quick().pickMatching(/Rent over the Limit for \$/);
    await until('the rental', () => rentalsOf(session()).length === before + 1);
  });

  it('can be read in every theme', async () => {
    await clearMessages(workbench);
    for (const theme of ['Dark Modern', 'Dark High Contrast', 'Light High Contrast', 'Light Modern']) {
      await workbench.chooseTheme(theme);
      await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
      await workbench.shot(`theme ${theme} confirm`);
      await quick().pick('More Options…');
      await quick().waitForTitle('Rent: More Options');
      await workbench.shot(`theme ${theme} options`);
      await quick().back();
      await quick().pick('Disk');
      await quick().waitForTitle('Rent: Disk');
      await quick().type('4', { enter: false });
      await until('the reason', async () => /At least 8 GB/.test(await quick().message()));
      await workbench.shot(`theme ${theme} disk`);
      await workbench.page.keyboard.press('Escape');
    }
  });
});
