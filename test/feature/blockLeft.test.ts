import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { block, user } from '../support/userConfig';

describe('our lines in an SSH config that is read-only', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const left = /read-only, so it was left alone\. Delete the lines between our markers in \S+config\./;

  before(async () => {
    writeFileSync(computer().sshConfig, `${block}${user}`);
    chmodSync(computer().sshConfig, 0o440);
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('are not reported as removed, and can be deleted by hand', async () => {
    window.run('Remove Everything We Wrote for SSH…');
    await window.dialogButton('Remove', 'Your own lines, your keys and the instances stay');
    const message = await window.toast(left);
    assert.deepEqual(message.buttons, ['Open SSH Config']);
    assert.doesNotMatch(window.allMessages(), /Paste this|entries are removed/);
    message.press('Open SSH Config');
    await computer().until('the config', () =>
      window.screen.documents.shown.some(({ uri }) => uri.fsPath === computer().sshConfig),
    );
    await computer().rest();
    assert.doesNotMatch(window.allMessages(), /entries are removed/);
    window.clearToasts();
  });

  it('leave a sign-out complete, which is shown', async () => {
    window.run('Sign Out…');
    await window.dialogButton('Sign Out', /This removes the key/);
    await window.toast(left);
    await window.toast(/Signed out of/);
    assert.equal(readFileSync(computer().sshConfig, 'utf8'), `${block}${user}`);
  });
});
