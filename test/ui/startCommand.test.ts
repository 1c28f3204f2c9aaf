import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { leavesAccountSsh } from '../support/accountSsh';
import { launchBrowser, newProfile } from '../support/browser';
import { repository } from '../support/installed';
import { confirmRental, generateKey, toConfirmation } from '../support/journey';
import { removeFolder } from '../support/removeFolder';
import { saveTrace } from '../support/trace';
import { endDemo } from '../support/uiSession';
import { until } from '../support/until';
import { Workbench } from '../support/workbench';

/** What a user sees who types the command, and a way to end it as they do. */
interface Started {
  readonly output: () => string;
  readonly address: () => Promise<string>;
  readonly ended: Promise<number | null>;
  readonly child: ChildProcess;
}

/** The status with which the editor answers a request with these headers. */
async function answerTo(address: string, headers: Record<string, string>, upgrade?: string): Promise<number> {
  const asked = upgrade === undefined ? {} : { connection: 'Upgrade', upgrade };
  const request = http.get(address, { headers: { ...asked, ...headers } });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

describe('npm start', function () {
  this.timeout(180_000);
  this.bail(true);
  let root: string;
  let browser: Browser;
  let first: Started;
  let workbench: Workbench;
  const children: ChildProcess[] = [];

  before(async () => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'gr-start-')));
    mkdirSync(path.join(root, 'home', '.ssh'), { recursive: true, mode: 0o700 });
    browser = await launchBrowser();
  });
  after(async () => {
    for (const profile of browser.contexts()) {
      await saveTrace(profile);
    }
    await browser.close();
    for (const child of children) {
      child.kill('SIGKILL');
    }
    await endDemo(path.join(root, 'browser'));
    await removeFolder(root);
  });

  const start = (): Started => {
    const script = path.join(repository, 'scripts', 'start.mjs');
    const child = spawn(process.execPath, [script, '--browser', '--port', '0', '--profile', root], {
      env: {
        ...process.env,
        DISPLAY: '',
        WAYLAND_DISPLAY: '',
        // The editor itself is where it was set up; all else of this user is new.
        XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'),
        HOME: path.join(root, 'home'),
        SSH_AUTH_SOCK: '',
        VAST_API_KEY: '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    }
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return {
      output: () => output,
      address: () =>
        until(
          'the address',
          () => {
            assert.ok(child.exitCode === null || child.exitCode === 0, output);
            return /^ {2}(http:\/\/\S+)$/m.exec(output)?.[1];
          },
          { timeoutMs: 60_000 },
        ),
      ended,
      child,
    };
  };

  /** The account of the user who runs this keeps its own SSH config; the settings of a new profile stay. */
  function useOwnSshConfig(): void {
    const file = path.join(root, 'browser', 'data', 'User', 'settings.json');
    const settings = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    // Each port of a machine of the demo would be offered in a message.
    assert.equal(settings['remote.autoForwardPorts'], false);
    const config = path.join(root, 'home', '.ssh', 'config');
    writeFileSync(file, JSON.stringify({ ...settings, 'remote.SSH.configFile': config }));
  }

  /** Copies what the terminal shows, since it is drawn as a picture with the editor's own settings. */
  const terminalShows = (expected: RegExp) =>
    until(
      `the terminal to show ${String(expected)}`,
      async () => {
        await workbench.page.locator('.terminal-wrapper .xterm').last().waitFor();
        await workbench.quick.run('Terminal: Select All');
        await workbench.quick.run('Terminal: Copy Selection');
        return expected.test(await workbench.page.evaluate<string>('navigator.clipboard.readText()'));
      },
      { everyMs: 500 },
    );

  it('prints the address of an editor, which shows what to do first', async () => {
    first = start();
    const address = await first.address();
    assert.match(first.output(), /choose "Try the Demo Marketplace"/);
    assert.match(first.output(), /Press Ctrl\+C to end the editor/);
    useOwnSshConfig();
    const page = await (await newProfile(browser)).newPage();
    workbench = Workbench.of(page, 'start-command');
    await page.goto(address);
    await workbench.ready();
    await workbench.view('Instances').welcome.waitFor({ timeout: 60_000 });
    await workbench.shot('01-opened');
  });

  it('opens no socket of the editor to a page from elsewhere', async () => {
    const { host, origin } = new URL(await first.address());
    assert.equal(await answerTo(origin, { origin: 'https://page.example' }, 'websocket'), 403);
    assert.equal(await answerTo(origin, { host: `page.example:${host.split(':')[1]}` }), 403);
    assert.equal(await answerTo(origin, {}), 200);
  });

  it('leads to a rented machine with a real SSH session within two minutes', async () => {
    const openedAt = Date.now();
    await workbench.view('Instances').welcomeButton('Try the Demo Marketplace');
    await workbench.toast('This is the demo marketplace', 40_000);
    await workbench.clearNotifications();
    await toConfirmation(workbench, { search: '4090 <2', offer: /[12]× RTX 4090/, label: 'mine' });
    await confirmRental(workbench);
    await generateKey({ root }, workbench);
    const instances = workbench.view('Instances');
    const row = instances.row('mine');
    await row.filter({ hasText: 'Running' }).waitFor({ timeout: 90_000 });
    await workbench.clearNotifications();
    await instances.contextMenu(row, /^Open Terminal$/);
    await terminalShows(/real shell on YOUR computer/);
    await workbench.intoTerminal('nvidia-smi; echo started-$((40 + 2))');
    await terminalShows(/started-42/);
    await workbench.shot('02-terminal');
    assert.ok(Date.now() - openedAt < 120_000, `it took ${Date.now() - openedAt} ms`);
  });

  it('is there at once the second time, with the same editor', async () => {
    const second = start();
    assert.equal(await second.ended, 0, second.output());
    assert.match(second.output(), /already running/);
    assert.equal(await second.address(), await first.address());
    assert.doesNotMatch(second.output(), /installing|packaging/);
  });

  it('ends with Ctrl+C, and its editor with it', async () => {
    first.child.kill('SIGINT');
    assert.equal(await first.ended, 0, first.output());
    assert.equal(existsSync(path.join(root, 'browser', 'running.json')), false);
    const { origin } = new URL(await first.address());
    await assert.rejects(fetch(`${origin}/healthz`));
  });

  leavesAccountSsh();
});
