import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { haveKey, rent3090, reviewFirst } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a container that is created again', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const instances = () => window.view('instances');
  const sent = (action: string) =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${action}/${id}/`)
      .map(({ body }) => body);
  const knownHosts = () =>
    readFileSync(path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts'), 'utf8');
  const connect = async () => {
    await instances().inline('trainer', 'Connect');
    await window.quick.title('Open trainer');
    window.quick.escape();
    await computer().rest();
  };

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('is asked about by name, with what is lost and what is kept, and nothing is sent on Cancel', async () => {
    await connect();
    await instances().menu('trainer', 'Recycle…');
    const { text, detail = '', buttons } = await window.dialog('Recycle “trainer”?');
    assert.match(`${text} ${detail}`, /All data in its container is lost for good/);
    assert.match(detail, /The machine stays the same and still costs \$\d+\.\d+\/h/);
    assert.deepEqual(buttons, ['Keep Data', 'Recycle', 'Download First…', 'Cancel']);
    await window.dialogButton('Cancel');
    assert.deepEqual(sent('recycle'), []);
  });

  it('starts through the stages of a reboot, its new host key is no alarm, and its folders are gone', async () => {
    const before = knownHosts();
    await instances().inline('trainer', 'Connect');
    await window.quick.title('Open trainer');
    await window.quick.enter();
    await computer().rest();
    await instances().menu('trainer', 'Recycle…');
    await window.dialogButton('Recycle');
    await instances().row(/trainer.*Loading|Loading.*trainer/);
    await window.toast(/trainer is ready/);
    assert.deepEqual(sent('recycle'), [{}]);
    window.clearToasts();
    // Asks for a folder again.
    await connect();
    assert.deepEqual(window.toasts(), []);
    assert.notEqual(knownHosts(), before, 'the key is another one');
    assert.equal(knownHosts().trim().split('\n').length, before.trim().split('\n').length);
  });

  it('keeps the known key of a container that the service did not touch', async () => {
    const before = knownHosts();
    const at = `/api/v0/instances/recycle/${id}/`;
    computer().simulator.fail({ kind: 'error', status: 400, error: 'invalid_args', method: 'PUT', path: at });
    await instances().menu('trainer', 'Recycle…');
    await window.dialogButton('Recycle');
    (await window.toast(/trainer is unchanged and still costs/)).close();
    await computer().rest();
    assert.equal(knownHosts(), before);
  });

  it('accepts another image that is typed, refuses what is none, and names it before it is sent', async () => {
    await instances().menu('trainer', 'Change Image or Template…');
    await window.quick.title('Change Image or Template: trainer');
    await window.quick.type('no image', { enter: false });
    await window.quick.row('This is not an image path');
    await window.quick.type('ubuntu:24.04', { enter: false });
    await window.quick.row('Use the Image ubuntu:24.04');
    assert.match(window.quick.rows()[0] ?? '', /Use the Image ubuntu:24\.04/);
    await window.quick.enter();
    await window.dialogButton('Change Image or Template', 'Change “trainer” to ubuntu:24.04?');
    await window.toast(/trainer is ready/);
    assert.deepEqual(sent('update_template'), [{ id, image: 'ubuntu:24.04' }]);
    assert.match(await instances().tooltip('trainer'), /Image.*ubuntu/);
    window.clearToasts();
  });

  it('uses a template by the hash of its current version', async () => {
    const { json } = await computer().simulator.call('POST', '/api/v0/template/', {
      name: 'Planted',
      image: 'debian',
      tag: '12',
    });
    const { hash_id: hash } = json.template as { readonly hash_id: string };
    window.run('Refresh');
    await instances().menu('trainer', 'Change Image or Template…');
    await window.quick.pick('Choose a Template');
    await window.quick.title('Choose a Template');
    await window.quick.pick('Planted');
    await window.dialogButton('Change Image or Template', 'Change “trainer” to Planted?');
    await computer().until('it is sent', () => sent('update_template').length === 2);
    assert.deepEqual(sent('update_template')[1], { id, template_hash_id: hash });
  });
});

describe('a rental whose image was changed later', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.checkLogin': false } });

  it('is rented again with the image that it has now', async () => {
    await haveKey(computer());
    const window = await computer().openSignedIn();
    await rent3090(window);
    await window.toast(/is ready/);
    await window.view('instances').menu(/3090/, 'Change Image or Template…');
    await window.quick.type('ubuntu:24.04', { enter: false });
    await window.quick.row('Use the Image ubuntu:24.04');
    await window.quick.enter();
    await window.dialogButton('Change Image or Template', /ubuntu:24.04/);
    await computer().until(
      'the answer',
      () =>
        computer()
          .simulator.received('PUT', /update_template/)
          .at(-1)?.status === 200,
    );
    await computer().rest();
    window.run('Rent Another Like This…');
    await window.quick.pick(/3090/);
    await window.quick.title(/Search Offers like/);
    await reviewFirst(window, /% reliable/);
    await window.quick.row(/^Image ubuntu:24\.04/);
    window.quick.escape();
    window.clearToasts();
  });
});
