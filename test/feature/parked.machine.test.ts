import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../support/feature/reachable';
import { evenPrices } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('A workspace between two instances', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let folder: string;
  let saved = '';
  const instances = () => window.view('instances');
  const destroyed = () => computer().simulator.received('DELETE', /^\/api\/v0\/instances\//).length;
  const rented = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  /** Names, modes, times and bytes, as another program reads them. */
  const content = (of: string) =>
    execFileSync(
      '/bin/sh',
      ['-c', 'find . -printf "%P %y %m %T@ %l\\n" | sort; find . -type f | sort | xargs -d "\\n" sha256sum'],
      {
        cwd: of,
        encoding: 'utf8',
      },
    );

  before(async () => {
    await evenPrices(computer());
    await reachableInstance(computer(), 'trainer');
    folder = path.join(computer().root, 'work', 'project');
    mkdirSync(path.join(folder, 'node_modules', 'left'), { recursive: true });
    writeFileSync(path.join(folder, 'node_modules', 'left', 'index.js'), 'pad'.repeat(1000));
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(path.join(folder, 'train.py'), 'epochs = 3\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'model.bin'), Buffer.alloc(2_000_000, 'model'));
    execFileSync('ln', ['-s', 'model.bin', path.join(folder, 'latest')]);
    window = await computer().openSignedIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  async function choose(row: string, title: string, typed: string) {
    await instances().menu(row, title);
    await window.quick.title(title.replace('…', ''));
    await window.quick.type(typed);
  }

  it('is asked about with what is saved, what is not and what it costs, and changes nothing unasked', async () => {
    await choose('trainer', 'Park…', folder);
    const question = await window.dialog(/project and destroy trainer\?/);
    question.press('Keep Instance');
    await computer().rest();
    assert.deepEqual([destroyed(), readdirSync(path.join(computer().storage, 'parked'))], [0, []]);
  });

  it('is saved here and proved before its instance ends', async () => {
    saved = content(folder);
    await choose('trainer', 'Park…', folder);
    await window.dialogButton('Park with Caches', /project and destroy trainer\?/);
    await window.toast(/^project of trainer is parked here, and trainer is destroyed/, { withinMs: 600_000 });
    assert.equal(destroyed(), 1);
  });

  it('continues on the next instance with the same bytes, modes and times', async () => {
    rmSync(folder, { recursive: true });
    window.clearToasts();
    await instances().menu('project of trainer', 'Resume…');
    await window.quick.title(/Resume/);
    await window.quick.pick('% reliable');
    await window.quick.row(/and Resume project of trainer/);
    await computer().pass(1000);
    await window.quick.pick(/and Resume/);
    await window.toast(/^project of trainer is on .*, proved file by file/, { withinMs: 1_800_000 });
    assert.equal(content(folder), saved);
    assert.equal(rented(), 2);
  });
});
