import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the support bundle', () => {
  const computer = useComputer({ secrets: ['very-secret-value'] });
  let window: FeatureWindow;
  const file = () => path.join(computer().root, 'bundle.md');

  before(async () => {
    await computer().rentRunning({ label: 'trainer', env: { TOKEN: 'very-secret-value' } });
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('is shown before it is saved, and saved as it was shown', async () => {
    window.screen.fileDialogs.push([file()]);
    window.run('Save Support Bundle…');
    const document = await window.document('## GPU Rental diagnostics');
    await window.toast(/read it before you save it/);
    assert.ok(!existsSync(file()), 'nothing is saved yet');
    await window.toastButton(/read it before you save it/, 'Save');
    await window.toast('The support bundle was saved');
    assert.equal(readFileSync(file(), 'utf8'), document.getText());
    window.clearToasts();
  });

  it('has what the doctor finds, which logs in to no machine by itself', () => {
    const text = readFileSync(file(), 'utf8');
    assert.match(text, /## GPU Rental: Doctor\n\n- \[ok\] Account: Signed in at/);
    assert.match(text, /SSH client: OpenSSH/);
    assert.match(text, /\] Login: No running instance was chosen/);
  });

  it('names what the doctor could not check in time', async () => {
    computer().simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v0/users/current/', times: 0 });
    window.screen.documents.shown.length = 0;
    const before = computer().clock.elapsed();
    window.run('Save Support Bundle…');
    const document = await window.document('## GPU Rental diagnostics');
    assert.ok(computer().clock.elapsed() - before < 60_000);
    assert.match(
      document.getText(),
      /Doctor\n\n- \[not checked\] Checking your setup: Could not check this\.\n/,
    );
    computer().simulator.faults.clear();
    window.clearToasts();
  });

  it('has the requests with their numbers, times and the ids of the service, and no secret', () => {
    const text = readFileSync(file(), 'utf8');
    assert.match(text, /#\d+ GET \/api\/v0\/users\/current\/: 200 in \d+ ms, service id [\w-]+/);
    assert.match(text, /\| Running instances \| 1 \|/);
    for (const secret of [computer().simulator.apiKey, 'very-secret-value', computer().root]) {
      assert.ok(!text.includes(secret), secret);
    }
  });

  it('names the kind of the last error, without its words', async () => {
    const errors = async () => {
      window.run('Copy Diagnostics');
      await computer().until('the copy', () => computer().clipboard.text.includes('| Last error |'));
      return /\| Last error \| (.*) \|/.exec(computer().clipboard.text)?.[1];
    };
    assert.equal(await errors(), '-');
    computer().simulator.fail({
      kind: 'html500',
      method: 'GET',
      path: '/api/{version}/instances/',
      times: 0,
    });
    window.run('Refresh');
    await window.toast('The service has a problem of its own');
    computer().clipboard.text = '';
    assert.equal(await errors(), 'ServiceFailedError');
  });
});
