import assert from 'node:assert/strict';
import { confirmRental, generateKey, signIn, toConfirmation } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('a rental whose answer is lost', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('lost-answer', { simulator: { speed: 20 } });
  let workbench: Workbench;
  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//);

  it('is sent once and found again by its label', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    session().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: '/api/v0/asks/{id}/' });
    await toConfirmation(workbench, { search: '4090', offer: /[12]× RTX 4090/, label: 'lost and found' });
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    const toast = await workbench.toast(/Rented as instance/, 70_000);
    const { welcome } = workbench.view('Instances');
    assert.equal(await welcome.filter({ hasText: 'Nothing is billed' }).count(), 0);
    await workbench.shot('01-found');
    const [instance, ...others] = session().simulator.world.instances;
    assert.deepEqual(others, []);
    assert.ok((await toast.innerText()).includes(String(instance?.id)));
    assert.equal(rentals().length, 1);
  });

  it('is shown under the label that the user gave', async () => {
    const rows = workbench.view('Instances').rows.filter({ hasText: 'lost and found' });
    await rows.first().waitFor();
    assert.equal(await rows.count(), 1);
    assert.doesNotMatch(await rows.first().innerText(), /gr-[0-9a-f]{8}/);
    await workbench.shot('02-shown');
  });

  it('is not rented again by a reload', async () => {
    await workbench.page.reload();
    await workbench.ready();
    await workbench.openContainer('GPU Rental');
    await workbench.view('Instances').row('lost and found').waitFor();
    assert.equal(rentals().length, 1);
    assert.equal(session().simulator.world.instances.length, 1);
  });
});
