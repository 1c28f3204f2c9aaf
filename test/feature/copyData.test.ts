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
    await window.toast(/copy to helper was canceled/);
    await computer().pass(10_000);
    assert.ok(!existsSync(path.join(folder(to), 'other')));
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
});
