import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the views before the sign-in', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const views = ['instances', 'templates', 'sshKeys', 'account'] as const;

  it('each show what they are for, and lead to the sign-in', async () => {
    window = await computer().openWindow();
    for (const view of views) {
      await window.view(view).welcomeShows('Sign In');
    }
    await window.view('sshKeys').welcomeButton('Sign In');
    await window.quick.title('Sign In: Service');
    window.quick.escape();
  });

  it('show nothing of it once an account is signed in', async () => {
    await window.signIn();
    for (const view of views) {
      assert.doesNotMatch((await window.view(view).welcome()).join('\n'), /Sign in to see/);
    }
    window.clearToasts();
  });
});

describe('a window in which the product can’t start', () => {
  const computer = useComputer();

  it('explains why and tries again on request, without a reload', async () => {
    const { storage } = computer();
    rmSync(storage, { recursive: true });
    writeFileSync(storage, 'a file where a folder should be');
    const window = await computer().openWindow();
    window.run('Run Doctor');
    await window.toast(/GPU Rental could not start: EEXIST/);
    rmSync(storage);
    await window.toastButton('GPU Rental could not start', 'Retry');
    await window.view('instances').welcomeShows('Sign In');
    assert.deepEqual(window.toasts(), []);
  });
});
