import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a program that a setting names', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  /** A program that writes down that it ran, and is ssh. */
  function program(name: string): string {
    // What runs under this name is waited for.
    const file = path.join(computer().root, name, 'ssh');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho ran >> '${file}.ran'\nexec ssh "$@"\n`);
    chmodSync(file, 0o700);
    return file;
  }
  const hasRun = (file: string) => existsSync(`${file}.ran`);
  const set = (values: Readonly<Record<string, unknown>>) => {
    for (const [key, value] of Object.entries(values)) {
      computer().settings.set(key, value);
    }
  };

  /** Presses *Open Terminal* and answers what is asked; what the terminal runs. */
  async function openTerminal(answer?: string): Promise<readonly string[]> {
    const before = window.screen.terminals.history.length;
    await window.view('instances').menu('trainer', 'Open Terminal');
    if (answer !== undefined) {
      await window.dialogButton(answer);
    }
    const { shellPath = '', shellArgs } = await computer().until(
      'a terminal',
      () => window.screen.terminals.history[before]?.creationOptions,
    );
    return [shellPath, ...[shellArgs ?? []].flat()];
  }

  async function openWindow(): Promise<void> {
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.view('instances').row('trainer');
    window.clearToasts();
  }

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await openTerminal();
    set({ 'remote.SSH.path': program('first') });
  });

  it('is not run, nor asked about, by what the window does by itself', async () => {
    await openWindow();
    await window.view('instances').expand('trainer');
    await computer().pass(10 * 60_000);
    assert.equal(hasRun(program('first')), false);
    assert.deepEqual(
      window.screen.messages.shown.filter(({ modal }) => modal),
      [],
    );
  });

  it('is asked about by its full path and its setting, and nothing happens without an answer', async () => {
    await window.view('instances').menu('trainer', 'Open Terminal');
    const question = await window.dialog(program('first'));
    assert.match(question.detail ?? '', /remote\.SSH\.path/);
    const before = window.screen.terminals.history.length;
    question.press('Cancel');
    await computer().rest();
    assert.equal(window.screen.terminals.history.length, before);
    assert.equal(hasRun(program('first')), false);
  });

  it('is replaced by the usual one on request, once and for all windows', async () => {
    assert.equal((await openTerminal('Use the Usual One'))[0], 'ssh');
    await openWindow();
    assert.equal((await openTerminal())[0], 'ssh');
    assert.equal(hasRun(program('first')), false);
  });

  it('is asked about again where the setting names another, and runs from then on', async () => {
    set({ 'remote.SSH.path': program('second') });
    assert.equal((await openTerminal('Use This Program'))[0], program('second'));
    assert.equal(hasRun(program('second')), true);
    await openWindow();
    assert.equal((await openTerminal())[0], program('second'));
    assert.equal(hasRun(program('first')), false);
  });

  it('is not run in the place of another one that was agreed to', async () => {
    set({ 'remote.SSH.path': program('third') });
    await openWindow();
    await window.view('instances').expand('trainer');
    await computer().pass(10 * 60_000);
    assert.equal(hasRun(program('third')), false);
    await window.view('instances').menu('trainer', 'Open Terminal');
    (await window.dialog(program('third'))).press('Cancel');
    await computer().rest();
    assert.equal(hasRun(program('third')), false);
  });

  it('is asked about where an SSH config from the settings names it', async () => {
    const runs = program('proxy');
    const config = path.join(computer().root, 'home', 'other config');
    writeFileSync(config, `Host *\n  ServerAliveInterval 5\n`);
    set({ 'remote.SSH.path': '', 'remote.SSH.configFile': config });
    assert.ok((await openTerminal()).includes(config), 'a config that runs nothing needs no question');
    const harmless = readFileSync(config, 'utf8');
    writeFileSync(config, `${harmless}Match host nobody exec "${runs}"\n`);
    await window.view('instances').menu('trainer', 'Open Terminal');
    const question = await window.dialog(config);
    assert.match(question.detail ?? '', /remote\.SSH\.configFile/);
    assert.equal(hasRun(runs), false);
    question.press('Use This File');
    await computer().rest();
    assert.ok((await openTerminal()).includes(config));
  });
});
