import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { registerKey } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('files of several instances', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const ids: Record<string, number> = {};
  let window: FeatureWindow;
  const instances = () => window.view('instances');
  const local = (...parts: string[]) => path.join(computer().workspace, ...parts);
  /** The machines are this computer, so all of them have this file. */
  const onMachines = () => path.join(computer().root, 'model.bin');
  const begun = () =>
    computer()
      .simulator.received('PUT', '/api/v0/commands/copy_direct/')
      .map(({ body }) => body as Record<string, string>)
      .map(({ src_id, src_path, dst_id, dst_path }) => [src_id, src_path, dst_id, dst_path]);

  before(async () => {
    await registerKey(computer());
    for (const label of ['one', 'two', 'Two', '.git']) {
      ids[label] = await computer().rentRunning({ label, runtype: 'ssh_direct' });
    }
    window = await computer().openSignedIn();
    await instances().row('one');
    window.clearToasts();
    mkdirSync(local('results'));
  });

  async function download(row: string, others: readonly string[]): Promise<void> {
    window.screen.fileDialogs.push([local('results')]);
    await instances().menu(row, 'Download…', others);
    await window.quick.title('Download');
    await window.quick.message('File or folder on the instance');
    await window.quick.type(onMachines());
  }

  it('arrive each in a folder named after the instance, below one that is chosen once', async () => {
    writeFileSync(onMachines(), 'weights');
    await download('one', ['two', 'Two', '.git']);
    await window.quick.message('Done on all 4');
    const folders = ['one', `two-${ids['two']}`, `Two-${ids['Two']}`, 'git'];
    for (const folder of folders) {
      assert.equal(readFileSync(local('results', folder, 'model.bin'), 'utf8'), 'weights', folder);
    }
    await window.quick.pick(/^one /);
    await window.document(`1 file\n${local('results', 'one')}`);
    window.quick.escape();
  });

  it('replace files of this computer after one answer for all', async () => {
    writeFileSync(onMachines(), 'other weights');
    await download('one', ['two']);
    const { detail } = await window.dialog('Replace existing files on this computer?');
    assert.match(detail ?? '', /For each instance, .* (?:one|two): model\.bin\.$/);
    await window.dialogButton('Cancel');
    await window.quick.row(/one.*nothing copied, to keep existing files/);
    await window.quick.pick('Retry Failed');
    await window.dialogButton('Replace', 'Replace existing files on this computer?');
    await window.quick.message('Done on all 2');
    assert.equal(readFileSync(local('results', 'two', 'model.bin'), 'utf8'), 'other weights');
    window.quick.escape();
  });

  it('are copied from one instance to the others by the service, after one question', async () => {
    await instances().menu('one', 'Copy Data…', ['two', 'Two']);
    await window.quick.title(/^Copy Data: one, /);
    await window.quick.pick(/^Copy from one /);
    await window.quick.type('/workspace');
    await window.quick.type('/workspace/copy');
    const { text } = await window.dialog('Copy /workspace of one to ');
    assert.match(text, /to (?:two, Two|Two, two)\?$/);
    await window.dialogButton('Copy');
    await window.quick.message('Done on all 2');
    const from = `C.${ids['one']}`;
    assert.deepEqual(
      new Set(begun().map(String)),
      new Set(['two', 'Two'].map((to) => String([from, '/workspace', `C.${ids[to]}`, '/workspace/copy']))),
    );
    await window.quick.pick('Cancel Copy');
    await window.toast(/The copies to (?:two, Two|Two, two) were canceled/);
    assert.equal(computer().simulator.received('DELETE', '/api/v0/commands/copy_direct/').length, 2);
    window.clearToasts();
  });

  it('are copied from all of them into folders of their own on another one, and a refusal is named', async () => {
    const before = begun().length;
    await instances().menu('one', 'Copy Data…', ['two']);
    await window.quick.pick(/^Copy to Two /);
    await window.quick.type('/workspace');
    await window.quick.type('/workspace/all');
    await window.dialog('to Two?');
    computer().simulator.fail({
      ...{ kind: 'error', status: 400, error: 'invalid_args', msg: 'no room' },
      ...{ method: 'PUT', path: '/api/v0/commands/copy_direct/', times: 1 },
    });
    await window.dialogButton('Copy');
    await window.quick.message('Done on 1 of 2');
    await window.quick.row(/no room/);
    await window.quick.pick('Retry Failed');
    await window.quick.message('Done on all 2');
    const to = `C.${ids['Two']}`;
    assert.deepEqual(
      new Set(begun().slice(before).map(String)),
      new Set(
        ['one', 'two'].map((name) => String([`C.${ids[name]}`, '/workspace', to, `/workspace/all/${name}`])),
      ),
    );
    window.quick.escape();
  });
});
