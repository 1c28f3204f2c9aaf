import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
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
    await window.quick.title('Sign In');
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

describe('the view of instances without any', () => {
  const computer = useComputer();
  const welcome = async (window: FeatureWindow) => (await window.view('instances').welcome()).join('\n');

  it('offers to search, and what the folder of the window allows', async () => {
    const window = await computer().openWindow();
    await window.signIn();
    await window.view('instances').welcomeShows('Search Offers');
    await window.view('instances').welcomeShows('Run Job');
    assert.doesNotMatch(await welcome(window), /Rent for This Workspace/);
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    mkdirSync(path.dirname(file));
    writeFileSync(file, '{}');
    window.screen.filesChanged.fire(undefined);
    await window.view('instances').welcomeShows('Rent for This Workspace');
    rmSync(file);
    window.screen.filesChanged.fire(undefined);
    await computer().until(
      'the end of the offer',
      async () => !/Rent for This Workspace/.test(await welcome(window)),
    );
  });

  it('offers no more than a search without a folder, or in one that is not trusted', async () => {
    writeFileSync(path.join(computer().workspace, '.vscode', 'gpu-rental.json'), '{}');
    for (const nature of [{ folders: [] }, { isTrusted: false }]) {
      const window = await computer().openWindow(nature);
      await window.view('instances').welcomeShows('Search Offers');
      await computer().rest();
      assert.doesNotMatch(await welcome(window), /Rent for This Workspace|Run Job/);
    }
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
