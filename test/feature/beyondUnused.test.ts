import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { JupyterExtension } from '../support/feature/jupyterExtension';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minutes = 10;

describe('notebooks and tools for several instances', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const jupyter = new JupyterExtension();
  const programs: string[] = [];
  const note = (message: unknown) => {
    const { process: child } = message as { readonly process: ChildProcess };
    // What a program is called is known once it was started.
    queueMicrotask(() => programs.push(child.spawnargs.join(' ')));
  };
  let window: FeatureWindow;

  const ownFiles = () =>
    readdirSync(computer().storage, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /notebook/.test(path.join(entry.parentPath, entry.name)))
      .map(({ name }) => name);
  const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

  before(async () => {
    await reachableInstance(computer(), 'trainer');
  });
  after(() => {
    unsubscribe('child_process', note);
  });

  it('start, send, write and listen to nothing before they are used', async () => {
    const before = listening();
    window = await computer().openWindow({ extensions: [jupyter] });
    await window.signIn();
    await window.view('instances').row('trainer');
    await computer().pass(60_000);
    subscribe('child_process', note);
    const { simulator } = computer();
    const from = simulator.requests().length;
    await computer().pass(minutes * 60_000);
    const sent = simulator.requests().slice(from);
    assert.ok(sent.length <= 2 * minutes, `${sent.length} requests`);
    assert.deepEqual(
      [...new Set(sent.map(({ method, path: asked }) => `${method} ${asked}`))].filter(
        (call) => !/^GET \/api\/(v0\/(users\/current|charges)|v1\/instances)\/$/.test(call),
      ),
      [],
    );
    assert.deepEqual([programs, ownFiles(), listening() - before], [[], [], 0]);
    assert.deepEqual([jupyter.isActive, jupyter.provider], [false, undefined]);
  });
});
