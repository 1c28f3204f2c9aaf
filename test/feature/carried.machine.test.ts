import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { contentOf } from '../support/feature/parkedDriver';
import { reachableInstance } from '../support/feature/reachable';
import { evenPrices } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('A workspace that the service moves from one instance to another', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let folder: string;
  const destroyed = () => computer().simulator.received('DELETE', /^\/api\/v0\/instances\//).length;
  const copied = () => computer().simulator.received('PUT', '/api/v0/commands/copy_direct/').length;
  const archives = () =>
    readdirSync(path.join(computer().storage, 'parked'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.tar'),
    );

  before(async () => {
    await evenPrices(computer());
    await reachableInstance(computer(), 'trainer');
    folder = path.join(computer().root, 'work', 'project');
    mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
    writeFileSync(path.join(folder, 'node_modules', 'index.js'), 'pad'.repeat(1000));
    writeFileSync(path.join(folder, 'train.py'), 'epochs = 3\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'model.bin'), Buffer.alloc(2_000_000, 'model'));
    execFileSync('git', ['init', '-q', folder]);
    execFileSync('/bin/sh', ['-c', 'find . -exec touch -d @1700000000 {} +'], { cwd: folder });
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('is proved on the next instance by the hashes of the old one, and nothing of it is kept here', async () => {
    const saved = contentOf(folder);
    await window.view('instances').menu('trainer', 'Move…');
    await window.quick.title('Move');
    await window.quick.type(folder);
    const question = await window.dialog(/^Move .*project off trainer\?/);
    assert.match(
      question.detail ?? '',
      /A copy by the service is faster, but sends caches as well: 2\.0 MB, for \$\S+\. Nothing of it stays here/,
    );
    question.press('Copy by the Service…');
    await window.quick.title(/Move/);
    await window.quick.pick(/^1× GTX/);
    await window.quick.row(/^Until then/);
    await computer().pass(1000);
    await window.quick.pick(/and Move/);
    await window.toast(/^project of trainer is on trainer, proved file by file/, { withinMs: 1_800_000 });
    assert.deepEqual([destroyed(), copied(), archives()], [1, 1, []]);
    // Both simulated instances have the folder at the same place of one disk.
    const there = `${folder}-2`;
    assert.deepEqual(readdirSync(there).sort(), ['.git', 'model.bin', 'train.py']);
    const withoutCaches = saved.split('\n').filter((line) => !line.includes('node_modules'));
    assert.deepEqual(contentOf(there).split('\n'), withoutCaches);
  });
});
