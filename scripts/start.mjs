/**
 * `npm start`: an editor with the extension installed and its view open, one click away from the demo. The desktop
 * editor where it is installed, otherwise the browser-hosted one. Profile, settings and extensions are kept in a
 * folder of their own under the cache, so nothing of the user's editor changes and the next start is at once.
 *
 *   npm start                   the editor that is there
 *   npm start -- --browser      the browser-hosted one in any case
 *   npm start -- --port 8790    its port (any free one if it is taken)
 *   npm start -- --profile DIR  keeps profile, settings and extensions there
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, codeServer, hostNode, makeInCache } from './host.mjs';
import { runningEditor } from './hostRequests.mjs';
import { isPackageCurrent, makePackage, vsixFile } from './package.mjs';
import { forEachLine, readOptions, run } from './process.mjs';
import { findEditor, root, setUp } from './setup.mjs';

const { values } = readOptions({
  options: {
    browser: { type: 'boolean', default: false },
    port: { type: 'string', default: '8790' },
    profile: { type: 'string' },
  },
});
const say = (line) => process.stdout.write(`${line}\n`);
const hasDisplay =
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
const desktop = values.browser || !hasDisplay ? undefined : findEditor();

/** Settings of a fresh profile. */
const firstSettings = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  // The ports of the demo's machines would each be offered in a message.
  'remote.autoForwardPorts': false,
};

try {
  if (desktop === undefined && process.platform === 'win32') {
    throw new Error('VS Code was not found. Install it, or start this in WSL.');
  }
  await setUp(['modules', 'sshClient', ...(desktop === undefined ? ['host'] : [])], say);
  if (!isPackageCurrent()) {
    say('building and packaging the extension');
    await makePackage(say);
  }
  await (desktop === undefined ? startBrowserHosted() : startDesktop(desktop));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** Runs `install` unless exactly this package was installed there before. */
async function installIfChanged(folder, install) {
  const mark = path.join(folder, 'installed');
  const hash = createHash('sha256').update(readFileSync(vsixFile)).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return;
  say('installing the extension');
  const { code, lines } = await install();
  if (code !== 0) throw new Error(`The extension could not be installed:\n${lines.join('\n')}`);
  writeFileSync(mark, hash);
}

async function prepareFolder(name) {
  const folder = path.resolve(values.profile ?? path.join(cacheFolder, 'start'), name);
  await makeInCache(path.join(folder, 'workspace'));
  return folder;
}

/** Writes the settings of a fresh profile; the user's changes to them are kept. */
function writeFirstSettings(userData) {
  const settings = path.join(userData, 'User', 'settings.json');
  if (existsSync(settings)) return;
  mkdirSync(path.dirname(settings), { recursive: true });
  writeFileSync(settings, `${JSON.stringify(firstSettings, null, 2)}\n`);
}

async function startDesktop(code) {
  const folder = await prepareFolder('desktop');
  writeFirstSettings(path.join(folder, 'user'));
  const profile = [
    '--user-data-dir',
    path.join(folder, 'user'),
    '--extensions-dir',
    path.join(folder, 'extensions'),
  ];
  // On Windows `code` is a script for the command shell.
  const shell = process.platform === 'win32';
  // The desktop editor refuses to run as root with its sandbox.
  if (process.getuid?.() === 0) profile.push('--no-sandbox');
  const runCode = (...args) => run(code, [...profile, ...args], { shell, onLine: () => undefined });
  await installIfChanged(folder, () => runCode('--install-extension', vsixFile, '--force'));
  const opened = await runCode(
    '--new-window',
    '--disable-workspace-trust',
    '--extensionDevelopmentPath',
    path.join(root, 'scripts', 'startView'),
    path.join(folder, 'workspace'),
  );
  if (opened.code !== 0) throw new Error(`${code} did not start:\n${opened.lines.join('\n')}`);
  say('The editor is open. In the view "GPU Rental", choose "Try the Demo Marketplace".');
}

async function startBrowserHosted() {
  const folder = await prepareFolder('browser');
  const running = path.join(folder, 'running.json');
  const workspace = path.join(folder, 'workspace');
  const address = (url) => `${url}/?folder=${encodeURIComponent(workspace)}`;
  const open = (url) => {
    say('');
    say(`  ${address(url)}`);
    say('');
    say('In the view "GPU Rental", choose "Try the Demo Marketplace".');
    if (hasDisplay) openInBrowser(address(url));
  };
  const other = await runningEditor(running, folder);
  const extensionsDir = path.join(folder, 'extensions');
  const server = path.join(codeServer, 'lib', 'vscode', 'out', 'server-main.js');
  const flags = [
    '--install-extension',
    vsixFile,
    '--force',
    '--server-data-dir',
    folder,
    '--extensions-dir',
    extensionsDir,
  ];
  await installIfChanged(folder, () => run(hostNode, [server, ...flags], { onLine: () => undefined }));
  if (other !== undefined) {
    say('The editor is already running:');
    open(other);
    return;
  }

  writeFirstSettings(path.join(folder, 'data'));
  const { url, child } = await listen(folder, extensionsDir, Number(values.port)).catch(() =>
    listen(folder, extensionsDir, 0),
  );
  writeFileSync(running, JSON.stringify({ url }));
  open(url);
  say('Press Ctrl+C to end the editor.');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(running, { force: true });
}

/** Starts the server; rejects when it ends instead of listening (its port is taken). */
function listen(folder, extensionsDir, port) {
  const options = {
    codeServer,
    port,
    dataDir: folder,
    extensionsDir,
    patches: ['sharedSecrets'],
    // What a new profile shows; what the user opens later is remembered in the browser.
    configuration: { defaultLayout: { views: [{ id: 'gpuRental.instances' }], force: false } },
    // A reloaded page finds its terminals again.
    serverArguments: { 'reconnection-grace-time': '60' },
  };
  const child = spawn(hostNode, [path.join(root, 'scripts', 'hostServer.mjs'), JSON.stringify(options)], {
    env: { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl+C in the terminal reaches only this process, which ends the server in its turn.
    detached: true,
  });
  return new Promise((resolve, reject) => {
    const log = [];
    forEachLine(child.stdout, (line) => {
      const url = /^listening (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve({ url, child });
    });
    forEachLine(child.stderr, (line) => log.push(line));
    child.once('exit', () => reject(new Error(log.join('\n'))));
    child.once('error', reject);
  });
}

function openInBrowser(url) {
  const command = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open';
  spawn(command, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
