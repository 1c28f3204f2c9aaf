import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { haveKey, newInstance, rentNow, searchAndReview } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';

describe('a rental whose file is damaged', () => {
  const computer = useComputer();

  it('is named once with the place of the file, because its instance costs money', async () => {
    await haveKey(computer());
    let window = await computer().openSignedIn();
    const instance = await newInstance(computer(), async () => {
      await searchAndReview(window, '1x 3090', /1× RTX 3090/);
      await rentNow(window);
    });
    window.close();
    const [file = ''] = readdirSync(computer().root, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(computer().root, name))
      .filter((name) => /rentals.*\/[0-9a-f]{8}\.json$/.test(name));
    writeFileSync(file, '');
    window = await computer().openWindow({ isFocused: true });
    window.view('instances').show();
    const damaged = /^A rental is not followed, and its instance may cost money\. Its file is damaged/;
    const { buttons } = await window.toast(damaged);
    assert.deepEqual(buttons, ['Show Instances', 'Show File']);
    await computer().pass(60_000);
    assert.equal(window.toasts().filter((one) => damaged.test(one)).length, 1);
    assert.equal(computer().simulator.world.instance(instance.id)?.id, instance.id);
    window.close();
  });
});
