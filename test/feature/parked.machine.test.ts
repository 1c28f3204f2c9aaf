import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prepareProduct } from '../support/fakeEditor/product';
import { FakeUri } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { killParkedAt } from '../support/feature/jobKills';
import { contentOf, hostsNamed, resumeParked } from '../support/feature/parkedDriver';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
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
  const sets = () =>
    readdirSync(path.join(computer().storage, 'parked')).filter((name) => /^\w{8}\.json$/.test(name));
  const newest = () => Math.max(...computer().simulator.world.instances.map(({ id }) => id));

  before(async () => {
    await evenPrices(computer());
    const id = await reachableInstance(computer(), 'trainer');
    const home = path.join(computer().root, 'instances', String(id));
    writeFileSync(path.join(home, 'workspace', 'notes.txt'), 'x'.repeat(20_000));
    folder = path.join(computer().root, 'work', 'project');
    mkdirSync(path.join(folder, 'node_modules', 'left'), { recursive: true });
    writeFileSync(path.join(folder, 'node_modules', 'left', 'index.js'), 'pad'.repeat(1000));
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(path.join(folder, 'train.py'), 'epochs = 3\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'model.bin'), Buffer.alloc(2_000_000, 'model'));
    symlinkSync('model.bin', path.join(folder, 'latest'));
    mkdirSync(path.join(folder, 'empty ünïcode'));
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
    const detail = question.detail ?? '';
    for (const part of [
      /Saved to this computer, with Git history: 2\.0 MB\./,
      /Left out, because it can be made again: node_modules \(3\.0 kB\)\./,
      /Not saved: running processes, terminals, kernels, system packages, and everything outside of this folder\./,
      /Traffic there and back costs about \$/,
      /it is destroyed once everything is here and proved\. Kept stopped it costs \$\S+\/day, so this pays after 1 day\./,
    ]) {
      assert.match(detail, part);
    }
    question.press('Keep Instance');
    await computer().rest();
    assert.deepEqual([destroyed(), sets()], [0, []]);
  });

  async function alsoToCloud() {
    await window.dialogButton('Also to a Cloud Connection…', /project and destroy trainer\?/);
    await window.quick.pick('checkpoints');
    await window.quick.title('Copy to checkpoints');
    await window.quick.type('/bucket');
  }

  it('is asked about with what a second copy holds and costs, and has none unless it is chosen', async () => {
    await choose('trainer', 'Park…', folder);
    await alsoToCloud();
    const question = await window.dialog(/project and destroy trainer\?/);
    assert.match(
      question.detail ?? '',
      /copies all of it to \/bucket on checkpoints, with caches and tokens: 2\.0 MB, for about \$.*not compared/,
    );
    question.press('No Second Copy');
    await window.dialogButton('Keep Instance', /project and destroy trainer\?/);
    await computer().rest();
    assert.deepEqual(computer().simulator.received('POST', '/api/v0/commands/rclone/'), []);
  });

  it('is asked about with the unsaved editors of a window on the instance', async () => {
    const entries = readdirSync(path.join(path.dirname(computer().sshConfig), 'gpu-rental.d'));
    const alias = path.basename(entries.find((name) => name.endsWith('.conf')) ?? '', '.conf');
    const remote = await computer().openWindow({
      folders: [`vscode-remote://ssh-remote+${alias}${folder}`],
      remoteName: 'ssh-remote',
      extensions: [remoteSshExtension()],
    });
    const document = await remote.screen.documents.openUri(FakeUri.file(path.join(folder, 'train.py')));
    await remote.screen.documents.show(document.uri);
    await new DocumentDriver(remote).replaceAll('epochs = 30\n');
    await choose('trainer', 'Park…', folder);
    const question = await window.dialog(/project and destroy trainer\?/);
    assert.match(question.detail ?? '', /⚠ Not saved in a window on it, so lost: train\.py/);
    question.press('Keep Instance');
    remote.close();
    await computer().rest();
  });

  it('is offered before a destroy, saved here, and proved before its instance ends', async () => {
    saved = contentOf(folder);
    await instances().menu('trainer', 'Destroy…');
    await window.dialogButton('Park…', /^Destroy “trainer”\?/);
    await window.quick.title('Park');
    await window.quick.type(folder);
    await alsoToCloud();
    await window.dialogButton('Park with Caches', /project and destroy trainer\?/);
    await instances().row(/^project of trainer copying to checkpoints/);
    assert.equal(destroyed(), 0);
    await instances().menu('project of trainer', 'Stop Transfer');
    await window.dialogButton('Keep Copying', 'Stop the copy of project of trainer to checkpoints?');
    await window.toast(
      /^project of trainer is parked here, and trainer is destroyed.*Second copy: \/bucket\/project-\S+ on checkpoints, not compared\./,
      { withinMs: 600_000 },
    );
    assert.equal(destroyed(), 1);
    await instances().row(/^project of trainer costs nothing · 2\.0 MB · also on checkpoints · /);
    await instances().noRow(/^trainer/);
  });

  it('is there after a restart, and in each window', async () => {
    window.close();
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await instances().row(/^project of trainer costs nothing/);
    const other = await computer().openWindow();
    await other.view('instances').row(/^project of trainer costs nothing/);
    other.close();
  });

  it('is not rented for while a file of it is damaged here', async () => {
    window.clearToasts();
    const [id = ''] = sets();
    const set = path.join(computer().storage, 'parked', id.replace('.json', ''));
    const piece = path.join(set, readdirSync(set).find((name) => name.startsWith('files-')) ?? '');
    const whole = readFileSync(piece);
    writeFileSync(piece, Buffer.from(whole).fill('damage', 512, 700));
    await instances().menu('project of trainer', 'Resume…');
    await window.toast(/^project of trainer is damaged on this computer/);
    writeFileSync(piece, whole);
    assert.equal(window.quick.isOpen, false);
  });

  it('continues on the next instance with the same bytes, modes and times', async () => {
    rmSync(folder, { recursive: true });
    window.clearToasts();
    await resumeParked(window, /^Sent to it 2\.0 MB, for \$/);
    const { body } = computer().simulator.received('POST', '/api/v0/bundles/').at(-1) ?? {};
    assert.deepEqual((body as Record<string, unknown>)['direct_port_count'], { gte: 1 });
    await window.toast(/^project of trainer is on trainer, proved file by file/, { withinMs: 1_800_000 });
    assert.deepEqual(
      window.toasts().filter((one) => one.includes('trainer is ready')),
      [],
    );
    assert.equal(contentOf(folder), saved);
    await window.toastButton(/proved file by file/, 'Open');
    const { address } = await window.opens();
    assert.ok(address.endsWith(folder), address);
    assert.equal(rented(), 2);
    assert.deepEqual(hostsNamed(computer(), 'gpu-ws-project'), [newest()]);
    await instances().row(/^project of trainer resumed .* · costs nothing · 2\.0 MB · also on checkpoints$/);
  });

  it('moves: the old instance ends after everything is on the next, and the older copy is replaced', async () => {
    window.clearToasts();
    const [older] = sets();
    await choose('trainer', 'Move…', folder);
    const question = await window.dialog(/^Move .*project off trainer\?/);
    assert.match(
      question.detail ?? '',
      /trainer costs \$\S+\/h until everything is proved to be on the next instance/,
    );
    assert.match(question.detail ?? '', /The older copy “project of trainer” is deleted afterwards\./);
    question.press('Choose Offer with Caches…');
    await window.quick.title(/Move/);
    await window.quick.pick(/^1× GTX/);
    await window.quick.row(/^Until then trainer costs \$\S+\/h as well, and is destroyed at the end/);
    await computer().pass(1000);
    await window.quick.pick(/and Move/);
    await window.toast(/^project of trainer is on trainer, proved file by file/, { withinMs: 1_800_000 });
    assert.deepEqual([destroyed(), rented(), sets().length, sets().includes(older ?? '')], [2, 3, 1, false]);
  });

  it('is deleted after a question that names what is lost', async () => {
    await instances().menu('project of trainer', 'Delete Parked Workspace…');
    const question = await window.dialog(/^Delete project of trainer\?/);
    assert.match(question.detail ?? '', /with 2\.0 MB from this computer/);
    question.press('Delete');
    await instances().noRow('project of trainer');
    assert.deepEqual(readdirSync(path.join(computer().storage, 'parked')), []);
  });
});

describe('A workspace whose process ends by SIGKILL', () => {
  before(() => prepareProduct());

  it('is finished by another process, in the middle of a piece', async () => {
    assert.deepEqual(await killParkedAt('during ssh fetch pieces'), { violations: [], rentals: 1 });
  }).timeout(240_000);
});
