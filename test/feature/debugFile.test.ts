import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as vscode from 'vscode';
import { DebugClient } from '../support/debugClient';
import { FakeUri } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { isAlive, processesWith } from '../support/processes';
import { until } from '../support/until';

const program = [
  'import os, time, part',
  'open("pid", "w").write(str(os.getpid()))',
  'while True:',
  '    time.sleep(0.05)',
  '',
].join('\n');
const pythonDebugger = { id: 'ms-python.debugpy', packageJSON: {} };

describe('A file of a mirrored folder that is debugged on an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let folder = '';
  let there = '';
  let bin = '';
  const here = (name: string) => path.join(folder, name);
  const started = () => window.screen.debugging.started;
  const debug = () => window.start('gpuRental.debugFile', FakeUri.file(here('train.py')));
  const session = async (count: number) =>
    computer().until('a session of the debugger', () => started()[count - 1]);
  const attach = async (configuration: vscode.DebugConfiguration, file: string, line: number) => {
    const { port } = configuration['connect'] as { readonly port: number };
    const client = await DebugClient.connect(port);
    await client.attach(configuration, file, line);
    return client;
  };

  before(async () => {
    folder = path.join(computer().workspace, 'project');
    mkdirSync(folder, { recursive: true });
    writeFileSync(here('train.py'), program);
    writeFileSync(here('part.py'), 'one = 1\ntwo = 2\n');
    const id = await reachableInstance(computer(), 'trainer');
    there = path.join(computer().root, 'instances', String(id), 'project');
    bin = path.join(computer().root, 'instances', `${id}.machine`, 'bin');
    // The Python of the system has debugpy.
    symlinkSync('/usr/bin/python3', path.join(bin, 'python3'));
    window = await computer().openWindow({ folders: [folder] });
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('needs the Python debugger of the editor', async () => {
    debug();
    await window.toastButton(/^Files are debugged with the Python Debugger extension/, 'Install');
    const { executed } = window.screen.commands;
    const install = await computer().until('its installation', () =>
      executed.find(({ id }) => id === 'workbench.extensions.installExtension'),
    );
    assert.deepEqual(install.args, ['ms-python.debugpy']);
    window.close();
    window = await computer().openWindow({ folders: [folder], extensions: [pythonDebugger] });
    await window.view('instances').row('trainer');
  });

  it('is sent first, stops at a breakpoint of another file of the folder, and ends with its session', async () => {
    debug();
    await window.dialogButton('Mirror', 'Mirror project to trainer?');
    const configuration = await session(1);
    const { type, request, name } = configuration;
    assert.deepEqual([type, request, name], ['debugpy', 'attach', 'train.py · trainer']);
    const client = await attach(configuration, here('part.py'), 2);
    const stopped = await client.stoppedAt();
    assert.deepEqual([stopped.path, stopped.line], [here('part.py'), 2]);
    client.send('continue', { threadId: stopped.threadId });
    const pidFile = path.join(there, 'pid');
    await until('its process', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    assert.ok(isAlive(pid));
    window.screen.debugging.terminated.fire({ configuration });
    await until('its end', () => !isAlive(pid));
    client.close();
  });

  it('is not started while a Python file is not saved, or was changed there', async () => {
    await window.screen.documents.show(await window.screen.documents.open(here('part.py')));
    const editor = new DocumentDriver(window);
    await editor.replaceAll('one = 10\n');
    debug();
    await window.toast('Save these files before you debug them: part.py');
    writeFileSync(path.join(there, 'part.py'), 'one = 100\n');
    await editor.save();
    await editor.saved();
    window.clearToasts();
    debug();
    await window.toast('These files differ on trainer, so lines would not fit: part.py');
    assert.equal(started().length, 1);
    writeFileSync(path.join(there, 'part.py'), 'one = 10\n');
    window.clearToasts();
  });

  it('is not tried for ever on a machine that calls each port taken', async () => {
    const tries = path.join(there, '..', 'tries');
    const grep = path.join(bin, 'grep');
    writeFileSync(
      grep,
      `#!/bin/sh\ncase "$*" in *' 0A ') echo >>'${tries}'; exit 0 ;; esac\nexec /bin/grep "$@"\n`,
      { mode: 0o755 },
    );
    debug();
    await window.toast('trainer has no free port for the debugger.');
    assert.equal(readFileSync(tries, 'utf8').length, 3);
    rmSync(grep);
    window.clearToasts();
  });

  it('is ended where no session begins', async () => {
    window.screen.debugging.failure = new Error('no debugger');
    debug();
    await session(2);
    const waiting = `--wait-for-client ${path.join(there, 'train.py')}`;
    await until('its end', () => processesWith(waiting).length === 0);
    window.clearToasts();
  });

  it('runs in a terminal beside its neighbors', async () => {
    window.start('gpuRental.runActiveFile', FakeUri.file(here('train.py')));
    await window.quick.pick('In a Terminal');
    const { shellArgs } = await computer().until(
      'a terminal',
      () => window.screen.terminals.history[0]?.creationOptions,
    );
    assert.ok(
      String(shellArgs).includes(`cd ${there} || exit; export PYTHONPATH=${there}`),
      String(shellArgs),
    );
  });

  it('runs there without all changes only with a word about it', async () => {
    const tar = path.join(bin, 'tar');
    writeFileSync(tar, '#!/bin/sh\ncat >/dev/null\nexit 1\n', { mode: 0o755 });
    const editor = new DocumentDriver(window);
    await editor.replaceAll('one = 11\n');
    await editor.save();
    await editor.saved();
    window.start('gpuRental.runActiveFile', FakeUri.file(here('train.py')));
    await window.quick.pick('In a Terminal');
    await computer().until('a terminal', () => window.screen.terminals.history[1]);
    assert.deepEqual(window.screen.statusMessages, ['train.py runs before all changes are on trainer.']);
    rmSync(tar);
  });

  it('starts by F5, with the arguments of a launch.json', async () => {
    const { provider } = window.screen.debugging;
    const token = undefined as unknown as vscode.CancellationToken;
    const [usual] = (await provider?.provideDebugConfigurations?.(undefined, token)) ?? [];
    assert.deepEqual(usual, {
      ...{ type: 'gpuRental', request: 'launch', name: 'Python File on an Instance', program: '${file}' },
    });
    const empty = { type: '', request: '', name: '' };
    assert.deepEqual(await provider?.resolveDebugConfiguration?.(undefined, empty, token), usual);
    const begin = (given: object) => {
      const configuration = { type: 'gpuRental', request: 'launch', name: 'Train', ...given };
      const asked = provider?.resolveDebugConfigurationWithSubstitutedVariables?.(
        undefined,
        configuration,
        token,
      );
      return computer().settled('the start', Promise.resolve(asked));
    };
    assert.equal(await begin({ program: 7 }), undefined);
    await window.toast('"program" in launch.json must be the path of a file.');
    assert.equal(
      await begin({ program: here('train.py'), args: ['--lr', '$(touch pwned)'], justMyCode: false }),
      undefined,
    );
    const configuration = await session(3);
    assert.equal(configuration['justMyCode'], false);
    window.close();
    assert.ok(!existsSync(path.join(there, 'pwned')));
  });
});
