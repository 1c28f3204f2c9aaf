import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../../src/ssh/run';
import { laterProgram } from '../../src/workspaces/machine/setUp/machineSetUp';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { until } from '../support/until';

describe('the set-up that a workspace file wants', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const extensions = [remoteSshExtension()];
  const install = 'workbench.extensions.installExtension';
  let window: FeatureWindow;
  let remote: FeatureWindow;
  let home = '';
  let alias = '';
  const instances = () => window.view('instances');
  const onMachine = (...parts: string[]) => path.join(home, ...parts);
  const read = (...parts: string[]) => readFileSync(onMachine(...parts), 'utf8');
  /** The machine has a copy of the folder. */
  const write = (file: unknown) => {
    for (const folder of [computer().workspace, onMachine('copy')]) {
      writeFileSync(path.join(folder, '.vscode', 'gpu-rental.json'), JSON.stringify(file));
    }
  };
  const inTerminal = () => runProgram('ssh', ['-F', computer().sshConfig, alias, laterProgram]);
  /** Connects from a window; with what it is asked on the way. */
  const connect = async (from: FeatureWindow, onTheWay?: () => Promise<unknown>) => {
    await from.view('instances').inline('trainer', 'Connect');
    if (alias === '') {
      await from.quick.title('Open trainer');
      await from.quick.type(onMachine('copy'), { enter: false });
      await from.quick.pick(onMachine('copy'));
    }
    await onTheWay?.();
    const { address } = await from.opens();
    alias = /ssh-remote\+([^/]+)/.exec(address)?.[1] ?? '';
    return address;
  };
  /** The machine works in real time, for which the clock of the computer does not wait. */
  const shows = (row: string) =>
    until(row, async () => {
      await computer().pass(100);
      return (await instances().texts()).includes(row);
    });
  const wantedScript = () => {
    const file = onMachine('.gpu-rental', 'setup', 'script.want');
    return existsSync(file)
      ? readFileSync(file, 'utf8').split('\n').slice(2).join('\n').trimEnd()
      : undefined;
  };
  const script = 'pwd >"$HOME/ran"\necho "[x](command:y)"';

  before(async () => {
    const id = await reachableInstance(computer(), 'trainer');
    home = path.join(computer().root, 'instances', String(id));
    mkdirSync(onMachine('copy', '.vscode'), { recursive: true });
    mkdirSync(path.join(computer().workspace, '.vscode'));
    computer().settings.set('gpuRental.setUp.extensions', ['Mine.one']);
    write({ setUp: { extensions: ['theirs.two', 'theirs.lost'], script } });
    window = await computer().openWindow({ extensions, isTrusted: false });
    await window.signIn();
    await instances().row('trainer');
  });

  it('does nothing in a workspace that is not trusted', async () => {
    await connect(window);
    assert.equal(wantedScript(), undefined);
    assert.equal(read('.gpu-rental', 'setup', 'extensions.want').split('\n').slice(1).join(), 'mine.one,');
    window.close();
    window = await computer().openWindow({ extensions, isFocused: true });
    await instances().row('trainer');
  });

  it('does nothing without a yes to all that runs, and asks that once', async () => {
    await connect(window, async () => {
      const { detail = '' } = await window.dialog(
        /^Set up trainer as workspace\/\.vscode\/gpu-rental\.json wants/,
      );
      assert.ok(detail.includes('theirs.two, theirs.lost'));
      assert.ok(detail.includes(script));
      await window.dialogButton('Not Now');
    });
    await connect(window);
    assert.equal(wantedScript(), undefined);
  });

  it('asks again after each change, and sends what was confirmed', async () => {
    write({ setUp: { extensions: ['theirs.two', 'theirs.lost'], script: `${script} ` } });
    await connect(window);
    write({ setUp: { extensions: ['theirs.two', 'theirs.lost'], script: `${script}\ntrue` } });
    await connect(window, async () => {
      await window.dialog(/^Set up trainer/);
      await window.dialogButton('Set Up');
    });
    assert.equal(wantedScript(), `${script}\ntrue`);
    await instances().expand('trainer');
    await instances().row('Set-Up Extensions: not run yet');
    await connect(window);
  });

  it('continues in the window on the instance: extensions at once, the script in a terminal', async () => {
    const folder = await connect(window);
    remote = await computer().openWindow({ folders: [folder], remoteName: 'ssh-remote', extensions });
    await shows('Set-Up Script of the workspace file: not run yet');
    assert.deepEqual(
      remote.screen.commands.executed.filter(({ id }) => id === install).map(({ args }) => args),
      ['mine.one', 'theirs.lost', 'theirs.two'].map((id) => [id, { donotSync: true }]),
    );
    await inTerminal();
    assert.equal(read('ran'), `${onMachine('copy')}\n`);
    await shows('Set-Up done');
  });

  it('names extensions that can’t be installed, and installs them again where the user wants that', async () => {
    const installed: unknown[] = [];
    let isThere = false;
    remote.screen.commands.ofEditor.set(install, (id) => {
      installed.push(id);
      if (id === 'theirs.lost' && !isThere) {
        throw new Error('Extension [theirs.lost](command:y) not found');
      }
    });
    await instances().expand('Set-Up');
    await instances().inline(/^Extensions/, 'Run Set-Up Again');
    await until('the message', () => remote.toasts().some((text) => text.startsWith('Not installed')));
    await instances().row('Set-Up Extensions: failed');
    assert.equal(
      read('.gpu-rental', 'setup', 'extensions.log'),
      'mine.one: installed\ntheirs.lost: Extension [theirs.lost] - (command:y) not found\ntheirs.two: installed\n',
    );
    isThere = true;
    await remote.toastButton('Not installed in the window of trainer: theirs.lost', 'Run Set-Up Again');
    await shows('Extensions done');
    assert.equal(installed.length, 6);
  });

  it('names a file that it can’t use, and is for the machines that the file describes', async () => {
    write({ setUp: { script: 'a\u202eb' } });
    await connect(window);
    await window.toast(/"setUp\.script" in \.vscode\/gpu-rental\.json has hidden characters/);
    write({ image: 'other/image', maxPricePerHour: 1, setUp: { script: 'echo other' } });
    await connect(window);
    assert.equal(wantedScript(), `${script}\ntrue`);
  });

  it('asks for the secrets that it names, one by one', async () => {
    write({ setUp: { secrets: ['HF_TOKEN'] } });
    await connect(window, async () => {
      assert.match((await window.dialog(/^Set up trainer/)).detail ?? '', /Asks for secrets: HF_TOKEN/);
      await window.dialogButton('Set Up');
      await window.quick.title('Secret HF_TOKEN of trainer');
      await window.quick.type('hf_planted_value');
    });
    assert.ok(existsSync(onMachine('.gpu-rental', 'setup', 'environment.want')));
    assert.ok(!window.log().includes('hf_planted_value'));
  });

  describe('and has none, beside a devcontainer.json', () => {
    const file = () => path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    const devcontainer = (content: unknown) => {
      writeFileSync(
        path.join(computer().workspace, '.devcontainer.json'),
        `// x\n${JSON.stringify(content)}`,
      );
    };
    const offer = /^Set up trainer with extensions and commands of workspace\/\.devcontainer\.json\?/;

    it('is offered that once, and does nothing by itself', async () => {
      writeFileSync(file(), '{\n  // mine\n  "machines": {},\n}\n');
      const pipe = path.join(computer().workspace, '.devcontainer.json');
      spawnSync('mkfifo', [pipe]);
      await connect(window);
      rmSync(pipe, { force: true });
      devcontainer({ postCreateCommand: 'make \u202e' });
      await connect(window);
      devcontainer({ postCreateCommand: { a: 'make a', b: 'echo ${localEnv:HOME}' } });
      await connect(window, async () => {
        const { detail = '' } = await window.dialog(offer);
        assert.ok(detail.includes('{\n  "setUp": {\n    "script": "make a"\n  }\n}'));
        assert.ok(detail.includes('Left out: echo ${localEnv:HOME}'));
        await window.dialogButton('Not Now');
      });
      await connect(window);
      assert.equal(readFileSync(file(), 'utf8'), '{\n  // mine\n  "machines": {},\n}\n');
      assert.equal(wantedScript(), `${script}\ntrue`);
    });

    it('gets it with a yes, as its own part, about which nothing is asked again', async () => {
      devcontainer({ postCreateCommand: ['make', 'a b'] });
      await connect(window, async () => {
        await window.dialog(offer);
        await window.dialogButton('Write and Set Up');
      });
      assert.equal(
        readFileSync(file(), 'utf8'),
        '{\n  // mine\n  "machines": {},\n  "setUp": {\n    "script": "make \'a b\'"\n  },\n}\n',
      );
      assert.equal(wantedScript(), "make 'a b'");
      await connect(window);
      write({});
      await connect(window);
      assert.equal(readFileSync(file(), 'utf8'), '{}');
      devcontainer({ postCreateCommand: 'make b' });
      rmSync(file());
      await connect(window, async () => {
        await window.dialog(offer);
        await window.dialogButton('Write and Set Up');
      });
      assert.equal(readFileSync(file(), 'utf8'), '{\n  "setUp": {\n    "script": "make b"\n  }\n}\n');
    });
  });
});
