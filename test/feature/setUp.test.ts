import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../../src/ssh/run';
import { laterProgram } from '../../src/workspaces/machine/setUp/machineSetUp';
import { DocumentDriver } from '../support/feature/documentDriver';
import { PageDriver } from '../support/feature/pageDriver';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { until } from '../support/until';

describe('the set-up of an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const extensions = [remoteSshExtension()];
  const address = 'https://dotfiles.example/ada/dotfiles';
  const token = 'hf_planted_token_of_the_set_up';
  const localConfig = process.env['GIT_CONFIG_GLOBAL'];
  let window: FeatureWindow;
  let remote: FeatureWindow;
  let folder = '';
  let home = '';
  const instances = () => window.view('instances');
  const onMachine = (...parts: string[]) => path.join(home, ...parts);
  const alias = () => /ssh-remote\+([^/]+)/.exec(folder)?.[1] ?? '';
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'pipe' });
  /** Runs what the terminal of a set-up runs there. */
  const inTerminal = (command = laterProgram) =>
    runProgram('ssh', ['-F', computer().sshConfig, alias(), command]);
  const setUpTerminals = (of: FeatureWindow) =>
    of.screen.terminals.all.filter(({ creationOptions }) =>
      String([creationOptions.shellArgs].flat().at(-1)).includes('setup/program.want'),
    );

  before(async () => {
    const id = await reachableInstance(computer(), 'trainer');
    home = path.join(computer().root, 'instances', String(id));
    const origin = path.join(computer().root, 'origin');
    mkdirSync(origin);
    writeFileSync(path.join(origin, 'install.sh'), 'echo "$HF_TOKEN" >"$HOME/from-dotfiles"\nexit 5\n');
    git(origin, 'init', '-q');
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', 'x');
    const config = path.join(computer().root, 'gitconfig');
    writeFileSync(config, '[user]\n\tname = Ada\n\temail = ada@example.com\n[alias]\n\tx = !echo\n');
    process.env['GIT_CONFIG_GLOBAL'] = config;
    mkdirSync(home, { recursive: true });
    writeFileSync(onMachine('.gitconfig'), `[url "file://${origin}"]\n\tinsteadOf = ${address}\n`);
    computer().settings.set('gpuRental.setUp.gitIdentity', true);
    computer().settings.set('gpuRental.setUp.dotfiles', address);
    computer().settings.set('gpuRental.setUp.secrets', ['HF_TOKEN', 'OTHER']);
    window = await computer().openWindow({ extensions });
    await window.signIn();
    await instances().expand('trainer');
  });
  after(() => {
    if (localConfig === undefined) {
      delete process.env['GIT_CONFIG_GLOBAL'];
    } else {
      process.env['GIT_CONFIG_GLOBAL'] = localConfig;
    }
  });

  it('begins before the window opens, with a question for each secret', async () => {
    await instances().row('Set-Up not run yet');
    await instances().inline('trainer', 'Connect');
    await window.quick.title('Open trainer');
    await window.quick.type(computer().workspace, { enter: false });
    await window.quick.pick(computer().workspace);
    await window.quick.title('Secret HF_TOKEN of trainer');
    await window.quick.type(token);
    await window.quick.title('Secret OTHER of trainer');
    assert.deepEqual(window.quick.rows(), [
      /^HF_TOKEN HF_TOKEN in #\d+$/.exec(window.quick.rows()[0] ?? '')?.[0],
      'New Secret…',
    ]);
    window.quick.escape();
    folder = (await window.opens()).address;
    assert.equal(
      execFileSync('git', ['config', '--global', '--list'], {
        env: { PATH: process.env['PATH'], HOME: home },
        encoding: 'utf8',
      })
        .split('\n')
        .filter((line) => line.startsWith('user.'))
        .join(),
      'user.name=Ada,user.email=ada@example.com',
    );
    assert.ok(!existsSync(onMachine('dotfiles')));
    await instances().row('Set-Up Dotfiles: not run yet');
    assert.deepEqual(setUpTerminals(window), []);
  });

  it('gives the secret to shells there, and shows it nowhere', async () => {
    const { stdout } = await inTerminal('bash -lc "printenv HF_TOKEN; printenv OTHER"');
    assert.equal(stdout.trim(), token);
    assert.ok(!window.log().includes(token) && !window.allMessages().includes(token));
    assert.ok(!JSON.stringify(computer().settings.values).includes(token));
  });

  it('continues in a terminal of the window on the instance, and asks nothing again', async () => {
    remote = await computer().openWindow({ folders: [folder], remoteName: 'ssh-remote', extensions });
    const [terminal] = await computer().until('the terminal', () => {
      const found = setUpTerminals(remote);
      return found.length > 0 && found;
    });
    assert.equal(terminal?.side, 'remote');
    assert.match((await inTerminal()).stdout, /Running install\.sh[^]*failed: dotfiles/);
    assert.equal(readFileSync(onMachine('from-dotfiles'), 'utf8'), `${token}\n`);
    // The machine tells when it is ready, for which the clock of the computer does not wait.
    await until('the message', () => remote.toasts().some((text) => text.includes('failed: Dotfiles')));
    await remote.toast('The set-up of trainer failed: Dotfiles');
    await instances().row('Set-Up Dotfiles: failed with exit code 5');
  });

  it('is on the page of the instance, with the log of each step', async () => {
    await instances().click('trainer');
    const page = new PageDriver(window, 'instance');
    await page.shows('the steps', ({ sections }) => sections.some(({ id }) => id === 'setUp'));
    const { table, buttons } = page.section('setUp');
    assert.deepEqual(
      table.rows.map(({ cells }) => cells.map(({ text }) => text).join(': ')),
      ['Git identity: done', 'Secrets: done', 'Dotfiles: failed with exit code 5'],
    );
    assert.deepEqual(
      buttons?.map(({ label }) => label),
      ['Run Set-Up Again', 'Remove Secrets from This Instance…'],
    );
    await instances().expand('Set-Up');
    await instances().inline(/^Dotfiles failed/, 'Show Log of Set-Up');
    await new DocumentDriver(window).shows('dotfiles.log', 'Running install.sh');
  });

  it('runs what failed again, once', async () => {
    writeFileSync(onMachine('dotfiles', 'install.sh'), 'exit 0\n');
    await remote.toastButton('The set-up of trainer failed: Dotfiles', 'Run Set-Up Again');
    await computer().until('a terminal', () => setUpTerminals(remote).length === 2);
    await inTerminal();
    await until('the state', async () => (await instances().texts()).includes('Set-Up done'));
    await remote.view('instances').row('trainer');
    remote.close();
    remote = await computer().openWindow({ folders: [folder], remoteName: 'ssh-remote', extensions });
    await remote.view('instances').row('trainer');
    await computer().rest();
    assert.deepEqual(setUpTerminals(remote), []);
    assert.equal(remote.quick.isOpen, false);
  });

  it('removes secrets from the instance', async () => {
    await instances().menu('Set-Up', 'Remove Secrets from This Instance…');
    assert.match((await window.dialog(/Remove the secrets from trainer/)).detail ?? '', /HF_TOKEN/);
    await window.dialogButton('Remove');
    await instances().noRow('Secrets');
    assert.equal((await inTerminal('bash -lc "printenv HF_TOKEN"')).stdout, '');
    assert.ok(!existsSync(onMachine('.gpu-rental', 'setup', 'environment.want')));
    await instances().menu('Set-Up', 'Run Set-Up Again');
    await window.quick.title('Secret HF_TOKEN of trainer');
    assert.deepEqual(window.quick.rows(), []);
    window.quick.escape();
    await window.quick.title('Secret OTHER of trainer');
    window.quick.escape();
  });

  it('removes a secret whose name the settings no longer have', async () => {
    const file = onMachine('.gpu-rental', 'setup', 'environment.want');
    await instances().menu('Set-Up', 'Run Set-Up Again');
    await window.quick.title('Secret HF_TOKEN of trainer');
    await window.quick.type(token);
    await window.quick.title('Secret OTHER of trainer');
    window.quick.escape();
    await until('the secret', () => existsSync(file));
    await computer().rest();
    computer().settings.set('gpuRental.setUp.secrets', []);
    await instances().menu('Set-Up', 'Run Set-Up Again');
    await until('its end', () => !existsSync(file));
  });
});
