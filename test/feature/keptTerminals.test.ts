import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TerminalOptions } from 'vscode';
import { aliasInArguments } from '../../src/ssh/alias';
import { quoteForShell } from '../../src/ssh/commandLine';
import { runProgram } from '../../src/ssh/run';
import { parseTerminals, terminalsScript } from '../../src/ssh/terminals';
import { showWithoutProgram, sideOf, type FakeTerminal } from '../support/fakeEditor/terminals';
import { PageDriver } from '../support/feature/pageDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { until } from '../support/until';

/** Why the editor closed a terminal. */
const reasons = { shutdown: 1, user: 3 };

describe('terminals that keep running', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id = 0;
  const programs: ChildProcess[] = [];

  const terminals = () => window.screen.terminals;
  const nameOf = (terminal: FakeTerminal | undefined) =>
    / new-session -A -D -s (\S+) /.exec(String([terminal?.creationOptions.shellArgs].flat().at(-1)))?.[1] ??
    '';
  const opened = async (count: number) =>
    computer().until('a terminal', () => terminals().all.length === count && terminals().all[count - 1]);
  /** Runs the program of a terminal, as the editor does, and types a line into it. */
  const runs = async (terminal: FakeTerminal, line: string) => {
    const { shellPath = '', shellArgs = [] } = terminal.creationOptions;
    const command = [shellPath, ...[shellArgs].flat()].map(quoteForShell).join(' ');
    const program = spawn('script', ['-qfec', command, '/dev/null'], {
      detached: true,
      env: { ...process.env, TERM: 'xterm-256color' },
    });
    programs.push(program);
    let output = '';
    program.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    program.stdin.write(`echo ready-$((1 + 1))\r`);
    await until('its shell', () => output.includes('ready-2'));
    program.stdin.write(`${line}\r`);
    return program;
  };
  const kill = (program: ChildProcess) => process.kill(-(program.pid ?? Number.NaN), 'SIGKILL');
  const view = () => window.view('instances');
  /** What the rows of kept terminals say. */
  const rows = async () => (await view().texts()).filter((text) => text.startsWith('Terminal '));
  /** The machine itself, so that no look of the product is counted on. */
  const sleeps = (seconds: number) =>
    until('the program', () => spawnSync('pgrep', ['-fx', `sleep ${seconds}`]).status === 0);

  /** By the machine. */
  const isShown = async (name: string) => {
    const args = ['-F', computer().sshConfig, alias(), 'sh'];
    const { stdout } = await runProgram('ssh', args, { input: terminalsScript });
    return parseTerminals(stdout)?.kept.find((one) => one.name === name)?.isShown;
  };
  const alias = () => aliasInArguments(terminals().history[0]?.creationOptions.shellArgs) ?? '';

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await view().expand('trainer');
  });
  after(() => {
    for (const program of programs) {
      try {
        kill(program);
      } catch {
        // It has ended.
      }
    }
  });

  it('have a tmux of their own each, and no row while this window shows them', async () => {
    await view().inline('trainer', 'Open Terminal');
    await opened(1);
    await view().inline('trainer', 'Open Terminal');
    await opened(2);
    assert.deepEqual(terminals().all.map(nameOf), ['workspace-1', 'workspace-2']);
    assert.ok(
      terminals().all.every(({ isShown, name, side }) => isShown && name === 'trainer' && side === 'local'),
    );
    assert.deepEqual(await rows(), []);
  });

  it('are listed with their program once their tab is closed', async () => {
    const [first, second] = terminals().all;
    assert.ok(first && second);
    const program = await runs(first, 'sleep 98701');
    await sleeps(98701);
    const other = await runs(second, 'exit');
    await once(other, 'exit');
    kill(program);
    await until('the end of its connection', async () => !(await isShown('workspace-1')));
    terminals().close(first, undefined, reasons.user);
    await view().row(/^Terminal workspace-1 sleep$/);
    // The shell of the other one has ended, which only the machine can tell: ssh ends with the same code.
    terminals().close(second, 0);
    await view().noRow('workspace-2');
    assert.match(await view().tooltip(/workspace-1/), /^Keeps running without a window/);
  });

  it('are reattached by their row', async () => {
    await view().inline(/workspace-1/, 'Reattach Terminal');
    assert.equal(nameOf(await opened(1)), 'workspace-1');
    assert.deepEqual(await rows(), []);
  });

  it('return to their place where their connection breaks', async () => {
    const [first] = terminals().all;
    assert.ok(first);
    terminals().close(first, 255);
    const [standIn] = terminals().all;
    assert.ok(standIn);
    const shown = showWithoutProgram(standIn);
    const back = await computer().until('it', () => terminals().all.find((one) => one !== standIn));
    assert.equal(nameOf(back), 'workspace-1');
    assert.deepEqual(back.creationOptions.location, { parentTerminal: standIn });
    await computer().until('the end of what waits', () => terminals().all.length === 1);
    assert.equal(
      shown.text,
      'The connection to trainer was lost. This terminal keeps running there.\r\nConnecting to trainer…\r\n',
    );
  });

  it('stay closed once the user closes what waits for them', async () => {
    const [first] = terminals().all;
    assert.ok(first);
    terminals().close(first, 255);
    const [standIn] = terminals().all;
    assert.ok(standIn);
    terminals().close(standIn, undefined, reasons.user);
    await computer().pass(60 * 60_000);
    assert.deepEqual(terminals().all, []);
    assert.deepEqual(await rows(), ['Terminal workspace-1 sleep']);
    await view().inline(/workspace-1/, 'Reattach Terminal');
    await opened(1);
  });

  it('are offered by the next window, and opened only if that is wanted', async () => {
    const [first] = terminals().all;
    assert.ok(first);
    terminals().close(first, undefined, reasons.shutdown);
    window.close();
    window = await computer().openWindow();
    await view().row('trainer');
    await window.toast('Terminals are still running on trainer: workspace-1');
    assert.deepEqual(terminals().all, []);
    await window.toastButton('Terminals are still running on trainer: workspace-1', 'Reattach (1)');
    assert.equal(nameOf(await opened(1)), 'workspace-1');
  });

  it('get a number that no terminal of the machine has', async () => {
    await view().inline('trainer', 'Open Terminal');
    const second = await opened(2);
    assert.equal(nameOf(second), 'workspace-2');
    terminals().close(second, undefined, reasons.user);
    const [first] = terminals().all;
    assert.ok(first);
    terminals().close(first, undefined, reasons.user);
    await view().expand('trainer');
    await view().row(/workspace-1/);
    // Nothing ever ran in it, so that the machine does not list it.
    await view().noRow(/workspace-2/);
  });

  it('are on the page of their instance, which opens one by a click', async () => {
    await view().click('trainer');
    const page = new PageDriver(window, 'instance');
    await page.shows('the terminal', ({ sections }) => sections.some((section) => section.id === 'work'));
    assert.deepEqual(page.rows('work'), [['Terminal workspace-1', 'sleep']]);
    await page.clickRow('work', 'Terminal workspace-1');
    assert.equal(nameOf(await opened(1)), 'workspace-1');
    const [first] = terminals().all;
    assert.ok(first);
    terminals().close(first, undefined, reasons.user);
    await view().row(/workspace-1/);
  });

  it('end after a question where a program runs in them', async () => {
    await view().menu(/workspace-1/, 'End Terminal…');
    const question = await window.dialog('End the terminal workspace-1 of trainer?');
    assert.equal(question.detail, 'sleep runs in it and ends as well.');
    await window.dialogButton('Not Now');
    await computer().rest();
    assert.equal((await rows()).length, 1);
    const page = new PageDriver(window, 'instance');
    await page.press('End Terminal…');
    await window.dialogButton('End');
    await view().noRow(/workspace-1/);
    await until('its end', () => spawnSync('pgrep', ['-fx', 'sleep 98701']).status !== 0);
  });

  it('are not made again where they ended without a window', async () => {
    // After the look that follows an end.
    await computer().pass(10_000);
    await view().inline('trainer', 'Open Terminal');
    const one = await opened(1);
    terminals().close(one, 255);
    const [standIn] = terminals().all;
    assert.ok(standIn);
    const shown = showWithoutProgram(standIn);
    await computer().until('its end', () => shown.text.includes('The terminal workspace-1 has ended.'));
    assert.deepEqual(terminals().all, [standIn]);
    terminals().close(standIn, undefined, reasons.user);
    assert.deepEqual(await rows(), []);
  });

  it('are forgotten with their machine', async () => {
    await view().inline('trainer', 'Open Terminal');
    const one = await opened(1);
    const program = await runs(one, 'sleep 98702');
    await sleeps(98702);
    kill(program);
    terminals().close(one, undefined, reasons.user);
    await view().row(/Terminal workspace-\d .*sleep/);
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    await view().noRow(/Terminal workspace/);
    await until('their end', () => spawnSync('pgrep', ['-fx', 'sleep 98702']).status !== 0);
    window.close();
    window = await computer().openWindow();
    await view().row('trainer');
    await computer().pass(60_000);
    assert.ok(!window.toasts().some((text) => text.includes('still running on')), window.toasts().join('\n'));
  });
});

describe('terminals of a window on an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('run on the instance, keep running after their window, and are offered by the next one', async () => {
    await reachableInstance(computer(), 'trainer');
    const first = await computer().openSignedIn();
    await first.view('instances').inline('trainer', 'Open Terminal');
    const local = await computer().until('a terminal', () => first.screen.terminals.all[0]);
    const alias = aliasInArguments(local.creationOptions.shellArgs) ?? '';
    const folders = [`vscode-remote://ssh-remote+${alias}/workspace`];
    const remote = () => computer().openWindow({ folders, remoteName: 'ssh-remote' });
    const window = await remote();
    await window.view('instances').row('trainer');
    const { options } = await window.terminalProfile();
    assert.equal(sideOf(options, 'ssh-remote'), 'remote');
    const { shellPath, shellArgs = [] } = options as TerminalOptions;
    assert.deepEqual([shellPath, shellArgs.length, shellArgs[0]], ['/bin/sh', 2, '-c']);
    assert.match(String(shellArgs[1]), / new-session -A -D -s workspace-1 /);
    // The editor begins it, and it runs on where the window closes.
    const terminal = window.screen.terminals.create(options, 'ssh-remote');
    window.screen.terminals.close(terminal, undefined, reasons.shutdown);
    window.close();
    const next = await remote();
    await next.view('instances').row('trainer');
    await next.toast('Terminals are still running on trainer: workspace-1');
  });
});

describe('terminals that end with their connection', () => {
  const computer = useComputer({
    simulator: { sshServer: true },
    settings: { 'gpuRental.terminal.tmux': 'none' },
  });

  it('are plain logins where that is set', async () => {
    await reachableInstance(computer(), 'trainer');
    const window = await computer().openSignedIn();
    await window.view('instances').inline('trainer', 'Open Terminal');
    const terminal = await computer().until('a terminal', () => window.screen.terminals.all[0]);
    assert.match(String([terminal.creationOptions.shellArgs].flat().at(-1)), /^gpu-/);
    window.screen.terminals.close(terminal, 255);
    await computer().pass(60_000);
    assert.ok(!window.toasts().some((text) => text.includes('still running on')));
  });
});
