import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { clickRow, press } from '../support/press';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('a workspace that knows its machine', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('workspace-file', {
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  });
  let workbench: Workbench;
  let editor: DocumentEditor;

  const file = () => path.join(session().root, 'workspace', '.vscode', 'gpu-rental.json');
  const write = (recipe: Record<string, unknown>) => {
    mkdirSync(path.dirname(file()), { recursive: true });
    writeFileSync(file(), `${JSON.stringify({ maxPricePerHour: 0.5, ...recipe }, null, 2)}\n`);
  };
  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  const secret = 'hf_workspace4711';
  /** What the machine was rented with. */
  const image = 'pytorch/pytorch:latest';

  async function openFile(): Promise<void> {
    await until('the file', async () => {
      await workbench.page.keyboard.press('F1');
      await workbench.quick.input.fill('gpu-rental.json');
      const row = workbench.quick.rows.filter({ hasText: 'gpu-rental.json' }).first();
      return clickRow(workbench.page, row, { comesWithinMs: 5000 }).then(
        () => true,
        () => false,
      );
    });
    await editor.waitFor('gpu-rental.json', '"maxPricePerHour"');
  }

  it('shows its file in a workspace that is not trusted, and rents nothing', async () => {
    write({ image });
    await reachableInstance(session(), 'trainer');
    workbench = await session().window();
    editor = new DocumentEditor(workbench);
    await signIn(session(), workbench);
    await openFile();
    await editor.lens('Trust This Workspace to Rent').waitFor();
    await workbench.shot('01-not-trusted');
    await workbench.page.keyboard.press('F1');
    await workbench.quick.input.fill('>GPU Rental: Rent for This Workspace');
    await workbench.quick.rows.first().waitFor();
    assert.equal(await workbench.quick.row('GPU Rental: Rent for This Workspace…').count(), 0);
    await workbench.page.keyboard.press('Escape');
    await press(editor.lens('Trust This Workspace to Rent'));
    const trust = workbench.page.locator('.workspace-trust-editor');
    await trust.waitFor();
    assert.equal(rentals(), 1);
    await press(trust.locator('.monaco-button', { hasText: /^Trust/ }).first());
  });

  it('makes a secret in it a variable of the account', async () => {
    await openFile();
    await editor.lens('Rent for This Workspace').waitFor({ timeout: 60_000 });
    write({ image, env: { HF_TOKEN: secret, MODE: 'train' } });
    await until('the file on the screen', () => editor.line('"HF_TOKEN"').isVisible());
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"HF_TOKEN"', 'Make It an Account Secret');
    await workbench.dialog.filter({ hasText: 'Make HF_TOKEN an environment variable' }).waitFor();
    await workbench.shot('02-secret');
    await workbench.dialogButton('Make It an Account Secret');
    await editor.line('"HF_TOKEN"').waitFor({ state: 'detached' });
    await editor.line('"MODE": "train"').waitFor();
    const made = session().simulator.received('POST', '/api/v0/secrets/');
    assert.deepEqual(
      made.map(({ body }) => body),
      [{ key: 'HF_TOKEN', value: secret }],
    );
    await editor.focus();
    await editor.save();
    await editor.saved();
    assert.ok(!readFileSync(file(), 'utf8').includes(secret));
  });

  it('is written by a command where there is none, and never over one that exists', async () => {
    await workbench.quick.run('View: Close All Editors');
    rmSync(file());
    await workbench.run('Rent for This Workspace…');
    await workbench.toastButton(/has no \.vscode\/gpu-rental\.json/, 'Create Workspace File');
    await workbench.quick.waitForTitle('Create Workspace File');
    await workbench.shot('06-create');
    await press(workbench.quick.rows.filter({ hasText: 'An Image' }).first());
    await until('the file', () => existsSync(file()));
    await editor.waitFor('gpu-rental.json', '"maxPricePerHour"');
    await editor.lens('Rent for This Workspace').waitFor();
    await workbench.shot('07-created');
    const written = readFileSync(file(), 'utf8');
    await workbench.run('Create Workspace File…');
    await editor.waitFor('gpu-rental.json', '"maxPricePerHour"');
    assert.equal(readFileSync(file(), 'utf8'), written);
  });
});
