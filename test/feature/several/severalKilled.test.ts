import assert from 'node:assert/strict';
import { atPlaces } from '../../support/feature/jobPlaces';
import { confirmRental, openToRent, rentalsOf, searchAndReview } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';

describe('several machines whose window is killed between two rentals', () => {
  const computer = useComputer({ simulator: { credit: 10_000 } });

  it('are reported by the next window, with how many were rented', async () => {
    const killed = await openToRent(computer());
    await searchAndReview(killed, '1x 3090', /1× RTX 3090/);
    await killed.quick.pick('More Options…');
    await killed.quick.pick('How many');
    await killed.quick.pick(/^3/);
    await killed.quick.title('Rent: More Options');
    await killed.quick.pick('Done');
    atPlaces(killed.fate, (place) => {
      if (place === 'after PUT /api/v0/asks/{id}/') {
        killed.kill();
      }
    });
    await confirmRental(killed);
    await computer().until('the end of the window', () => !killed.isOpen);
    const window = await computer().openWindow({ isFocused: true });
    await window.view('instances').row('RTX 3090');
    const { buttons } = await window.toast(/^Rented 1 of 3 machines\./);
    assert.deepEqual(buttons, ['Rent Another Like This…', 'Show Instances']);
    assert.equal(rentalsOf(computer()).length, 1);
  });
});
