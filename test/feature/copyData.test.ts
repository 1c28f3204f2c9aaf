import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('copying data from machine to machine', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let from: number;
  let to: number;
  const instances = () => window.view('instances');
  const direct = '/api/v0/commands/copy_direct/';
  const folder = (id: number) => path.join(computer().root, 'instances', String(id), 'workspace');
  const sent = () =>
    computer()
      .simulator.received('PUT', direct)
      .map(({ body }) => body);

  /** Up to the question. */
  async function choose(target: string): Promise<void> {
    await instances().menu('trainer', 'Copy Data…');
    await window.quick.title('Copy Data: trainer');
    await window.quick.pick(target);
  }

  before(async () => {
    from = await computer().rentRunning({ label: 'trainer' });
    to = await computer().rentRunning({ label: 'helper' });
    window = await computer().openSignedIn();
    await instances().row('helper');
    window.clearToasts();
  });

  it('asks with the size and the cost of the traffic, and sends nothing on Cancel', async () => {
    const measured = () => computer().simulator.received('PUT', `/api/v0/instances/command/${from}/`);
    await choose('helper');
    await window.quick.type('/workspace');
    await window.quick.title('Copy to helper');
    await window.quick.type('/root', { enter: false });
    await window.quick.message("can't copy to / or /root");
    await window.quick.type('/workspace/copy');
    const { text, detail = '' } = await window.dialog('Copy /workspace of trainer to helper?');
    assert.ok(text);
    assert.match(detail, /^\/workspace holds \d/);
    assert.match(detail, /Files of the same name in \/workspace\/copy on helper are replaced\./);
    assert.match(detail, /traffic costs/);
    assert.deepEqual(
      measured().map(({ body }) => body),
      [{ command: 'du -s /workspace' }],
    );
    await window.dialogButton('Cancel');
    assert.deepEqual(sent(), []);
  });

  it('copies, and shows only that it began', async () => {
    await computer().simulator.call('PUT', `/api/v0/instances/command/${to}/`, { command: 'ls' });
    writeFileSync(path.join(folder(from), 'model.bin'), 'weights');
    await choose('helper');
    await window.quick.type('/workspace');
    await window.quick.type('/workspace/copy');
    await window.dialogButton('Copy');
    await window.toast(/began to copy \/workspace from trainer to helper/);
    assert.deepEqual(sent(), [
      {
        client_id: 'me',
        src_id: `C.${from}`,
        dst_id: `C.${to}`,
        src_path: '/workspace',
        dst_path: '/workspace/copy',
      },
    ]);
    await computer().pass(10_000);
    assert.ok(existsSync(path.join(folder(to), 'copy', 'model.bin')));
    window.clearToasts();
  });

  it('is cancelled from the message', async () => {
    await choose('helper');
    await window.quick.type('/workspace');
    await window.quick.type('/workspace/other');
    await window.dialogButton('Copy');
    await window.toastButton(/began to copy/, 'Cancel Copy');
    await window.toast(/copies to helper were canceled/);
    await computer().pass(10_000);
    assert.ok(!existsSync(path.join(folder(to), 'other')));
    window.clearToasts();
    await choose('helper');
    await window.quick.type('/workspace');
    await window.quick.type('/workspace/other');
    await window.dialogButton('Copy');
    computer().simulator.fail({ kind: 'dropAfter', method: 'DELETE', path: direct });
    await window.toastButton(/began to copy/, 'Cancel Copy');
    await window.toast(/did not answer, so the copies to helper may continue/);
    window.clearToasts();
  });

  it('shows that it may have begun if the answer is lost, and does not send it again', async () => {
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: direct });
    const before = sent().length;
    await choose('helper');
    await window.quick.type('/workspace');
    await window.quick.type('/workspace/copy');
    await window.dialogButton('Copy');
    (await window.toast(/the copy to helper may have started/)).close();
    assert.equal(sent().length, before + 1);
  });

  it('copies to a cloud connection of the account after a warning about its credentials', async () => {
    await choose('To a Cloud Connection…');
    await window.quick.pick('checkpoints');
    await window.quick.type('/workspace');
    await window.quick.title('Copy to checkpoints');
    await window.quick.type('/bucket/run');
    const { detail = '' } = await window.dialog('Copy /workspace of trainer to checkpoints?');
    assert.match(detail, /puts the credentials of the connection on the machine/);
    await window.dialogButton('Copy');
    await window.toast(/began to copy \/workspace to checkpoints/);
    const [request] = computer().simulator.received('POST', '/api/v0/commands/rclone/');
    assert.deepEqual(request?.body, {
      src: '/workspace',
      dst: '/bucket/run',
      instance_id: from,
      selected: 4411,
      transfer: 'Instance To Cloud',
      flags: [],
    });
    window.clearToasts();
  });

  it('copies from a cloud connection of the account, after a warning about its credentials', async () => {
    const clouds = () => computer().simulator.received('POST', '/api/v0/commands/rclone/');
    const before = clouds().length;
    await choose('From a Cloud Connection…');
    await window.quick.pick('checkpoints');
    await window.quick.title('Copy from checkpoints');
    await window.quick.type('/bucket/run');
    await window.quick.title('Copy to trainer');
    await window.quick.type('/root', { enter: false });
    await window.quick.message("can't copy to / or /root");
    await window.quick.type('/workspace/run');
    const { detail = '' } = await window.dialog('Copy /bucket/run of checkpoints to trainer?');
    assert.match(detail, /Files of the same name in \/workspace\/run on trainer are replaced\./);
    assert.match(detail, /puts the credentials of the connection on the machine.*traffic costs/);
    assert.equal(clouds().length, before);
    await window.dialogButton('Copy');
    await window.toast(/began to copy \/bucket\/run to trainer/);
    assert.deepEqual(clouds().at(-1)?.body, {
      src: '/bucket/run',
      dst: '/workspace/run',
      instance_id: from,
      selected: 4411,
      transfer: 'Cloud To Instance',
      flags: [],
    });
    window.clearToasts();
  });

  it('states the size in the cloud, and cancels all copies from clouds after a question that names all of them', async () => {
    const cancelled = () => computer().simulator.received('DELETE', '/api/v0/commands/rclone/');
    const size = '/api/v0/commands/get_copy_size/';
    const result_url = `${computer().simulator.url}/results/none`;
    computer().simulator.fail({
      kind: 'answer',
      path: size,
      status: 200,
      body: { success: true, result_url },
    });
    computer().simulator.fail({ kind: 'answer', path: '/results/none', status: 200, body: '3.2G' });
    await choose('From a Cloud Connection…');
    await window.quick.pick('checkpoints');
    await window.quick.type('/bucket/run');
    await window.quick.type('/workspace/run');
    const { detail = '' } = await window.dialog('Copy /bucket/run of checkpoints to trainer?');
    assert.match(detail, /^\/bucket\/run holds 3\.\d+ GB\./);
    await window.dialogButton('Copy');
    await window.toastButton(/began to copy \/bucket\/run to trainer/, 'Cancel Copy');
    const question = await window.dialog('Cancel all copies from clouds to trainer?');
    assert.match(question.detail ?? '', /also those of other windows and users of the account/);
    await window.dialogButton('Not Now');
    assert.deepEqual(cancelled(), []);
    await choose('Cancel Copies from Clouds…');
    await window.dialogButton('Cancel Copies');
    await window.toast(/copies to trainer were canceled/);
    assert.deepEqual(cancelled()[0]?.body, { client_id: 'me', dst_id: from });
    window.clearToasts();
  });

  it('copies between a volume, an instance and a cloud, from the rows of both', async () => {
    const { simulator } = computer();
    const offers = await simulator.call('POST', '/api/v0/volumes/search/', {});
    const offer = (offers.json.offers as readonly { id: number }[])[0];
    const { json } = await simulator.call('PUT', '/api/v0/volumes/', {
      id: offer?.id,
      size: 20,
      name: 'ckpt',
    });
    const name = String(json.volume_name);
    window.run('Refresh');
    await instances().row('Volumes');
    await instances().expand('Volumes');
    window.start('gpuRental.refreshVolumes');
    await instances().row('ckpt');
    await choose('ckpt');
    await window.quick.type('/workspace');
    await window.quick.title('Copy to ckpt');
    await window.quick.type('/', { enter: false });
    await window.quick.message("can't copy to /");
    await window.quick.type('/run');
    const { detail = '' } = await window.dialog('Copy /workspace of trainer to ckpt?');
    assert.match(detail, /Files of the same name in \/run on ckpt are replaced\..*traffic/);
    await window.dialogButton('Copy');
    await window.toast(/began to copy \/workspace from trainer to ckpt\. It reports neither/);
    assert.deepEqual(sent().at(-1), {
      ...{ client_id: 'me', src_id: `C.${from}`, dst_id: name },
      ...{ src_path: '/workspace', dst_path: '/run' },
    });
    await computer().pass(10_000);
    await instances().menu('ckpt', 'Copy Data…');
    await window.quick.pick('Copy to helper');
    await window.quick.type('/run');
    await window.quick.type('/workspace/back');
    await window.dialogButton('Copy');
    await window.toast(/began to copy \/run from ckpt to helper\. The status of helper shows/);
    await computer().pass(10_000);
    assert.ok(existsSync(path.join(folder(to), 'back', 'model.bin')));
    await instances().menu('ckpt', 'Copy Data…');
    await window.quick.pick('To a Cloud Connection…');
    await window.quick.pick('checkpoints');
    await window.quick.type('/');
    await window.quick.type('/bucket/all');
    const cloud = await window.dialog('Copy / of ckpt to checkpoints?');
    assert.match(cloud.detail ?? '', /^\/ holds .*credentials of the connection/);
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: direct });
    const before = sent().length;
    await window.dialogButton('Copy');
    (await window.toast(/the copy to checkpoints may have started/)).close();
    assert.equal(sent().length, before + 1);
    const { dst_id } = sent().at(-1) as { dst_id: string };
    assert.equal(dst_id, 's3.4411');
  });
});
