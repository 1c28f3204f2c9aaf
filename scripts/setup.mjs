/**
 * Makes a bare machine ready, step by step; each step looks first and does nothing when there is nothing to do.
 * Only Node's own modules, because this is what installs the others.
 */
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installEngine } from './engine.mjs';
import { installHost, installInspector, isHostInstalled } from './host.mjs';
import { withLock } from './lock.mjs';
import { cleanNpmEnvironment, npmFailure, run, runNpm, withProgress } from './process.mjs';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** What each Debian package is looked for by (any of its programs, or `all`), and what it is for. */
const systemPackages = {
  'openssh-client': { programs: ['ssh', 'ssh-keygen'], all: true, use: 'connecting to instances' },
  git: { programs: ['git'], use: 'the tests of repositories on instances' },
  openssl: { programs: ['openssl'], use: 'the tests of certificates' },
  'ansible-core': { programs: ['ansible'], use: 'the tests of instances in Ansible' },
  parallel: { programs: ['parallel'], use: 'the tests of instances in GNU parallel' },
  clustershell: { programs: ['clush'], use: 'the tests of instances in ClusterShell' },
  rsync: { programs: ['rsync'], use: 'the tests of files of stopped instances' },
  shellcheck: { programs: ['shellcheck'], use: 'the tests of the scripts for machines' },
  busybox: { programs: ['busybox'], use: 'the tests of the scripts for machines' },
  'jupyter-server': {
    files: ['/usr/lib/python3/dist-packages/jupyter_server'],
    use: 'the tests of notebooks on instances',
  },
  'python3-ipykernel': {
    files: ['/usr/lib/python3/dist-packages/ipykernel'],
    use: 'the tests of notebooks on instances',
  },
  'python3-debugpy': {
    files: ['/usr/lib/python3/dist-packages/debugpy'],
    use: 'the tests of debugging on instances',
  },
  'openssh-server': { programs: ['sshd'], use: 'the tests of connections' },
  tmux: { programs: ['tmux'], use: 'the tests of terminals on instances' },
  zsh: { programs: ['zsh'], use: 'the tests of login shells' },
  fish: { programs: ['fish'], use: 'the tests of login shells' },
  tcsh: { programs: ['tcsh'], use: 'the tests of login shells' },
  chromium: {
    programs: ['chromium', 'chromium-browser', 'google-chrome'],
    use: 'the tests in the real editor',
  },
  'build-essential': {
    programs: ['g++', 'make'],
    all: true,
    use: 'compiling the browser-hosted editor and an engine for models',
  },
  python3: {
    programs: ['python3'],
    use: 'compiling the browser-hosted editor and the tests of the scripts for machines',
  },
  'libkrb5-dev': {
    files: ['/usr/include/gssapi/gssapi.h', '/usr/include/gssapi.h'],
    use: 'compiling the browser-hosted editor',
  },
};
const testTools = [
  'openssh-server',
  'git',
  'openssl',
  'rsync',
  'shellcheck',
  'busybox',
  'python3',
  'ansible-core',
  'parallel',
  'clustershell',
  'tmux',
  'zsh',
  'fish',
  'tcsh',
  'jupyter-server',
  'python3-ipykernel',
  'python3-debugpy',
];
const toCompileHost = ['build-essential', 'python3', 'libkrb5-dev'];

/**
 * Sets up what `needs` names: `modules` (node_modules), `ssh`, `tools` and `browser` (Debian packages), `host` (the
 * browser-hosted editor), `inspector` (of MCP), `engine` (for models). Throws an `Error` that says what is missing and how
 * to get it, also where the clone cannot be written to; without `sshClient` or `inspector` alone it goes on, having said so.
 */
export async function setUp(needs, say = (line) => process.stdout.write(`${line}\n`)) {
  checkNode();
  checkWritable(['out', 'dist', ...(modulesAreCurrent() ? [] : ['node_modules'])]);
  const wanted = [
    ...(needs.includes('ssh') ? ['openssh-client'] : []),
    ...(needs.includes('tools') ? testTools : []),
    ...(needs.includes('browser') ? ['chromium'] : []),
    ...(needs.includes('host') && !isHostInstalled() && process.platform === 'linux' ? toCompileHost : []),
    ...(needs.includes('engine') ? ['build-essential', 'git'] : []),
  ];
  await installSystemPackages(wanted, say);
  if (needs.includes('sshClient') && process.platform === 'linux') {
    await installSystemPackages(['openssh-client'], say).catch((error) => say(error.message));
  }
  if (needs.includes('modules')) await installModules(say);
  if (needs.includes('host')) await installHost(say);
  if (needs.includes('engine')) await installEngine(say);
  // One suite of many needs it, and says so itself.
  if (needs.includes('inspector')) await installInspector(say).catch((error) => say(error.message));
}

/** Returns why this version of Node can't be used: it does not load ES modules with `require`, as the tools do. */
export function nodeProblem(version) {
  const isOlder = version.localeCompare('20.19.0', undefined, { numeric: true }) < 0;
  return isOlder ? `Node 20.19.0 or later is needed; this is ${version}.` : undefined;
}

function checkNode() {
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) throw new Error(problem);
}

function checkWritable(names) {
  for (const name of names) {
    const folder = path.join(root, name);
    try {
      if (!existsSync(folder)) mkdirSync(folder);
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new Error(
        `${folder} cannot be written to (${error.code}). Clone the repository where you may write.`,
      );
    }
  }
}

/** As `setUp`, for scripts that are nothing without it: ends them with the reason in a line. */
export async function setUpOrEnd(needs, say) {
  await setUp(needs, say).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}

/** Installs `node_modules` once, also where two commands start at the same time in a fresh clone. */
async function installModules(say) {
  if (modulesAreCurrent()) return;
  await withLock(
    path.join(root, 'out', 'modules.lock'),
    async () => {
      if (modulesAreCurrent()) return;
      say('installing node_modules from package-lock.json');
      const { code, lines } = await withProgress('npm ci', say, () =>
        runNpm(['ci', '--no-audit', '--no-fund'], {
          cwd: root,
          env: cleanNpmEnvironment(),
          onLine: () => undefined,
        }),
      );
      if (code !== 0) throw npmFailure('npm ci', code, lines);
    },
    () => say('another process is installing node_modules; waiting for it'),
  );
}

/** True when every package that the lock file names is there in that version (those of other platforms aside). */
function modulesAreCurrent() {
  const read = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  if (!existsSync(path.join(root, 'node_modules', '.package-lock.json'))) return false;
  const installed = read('node_modules/.package-lock.json');
  return Object.entries(read('package-lock.json')).every(
    ([folder, { version, optional }]) =>
      folder === '' || optional === true || installed[folder]?.version === version,
  );
}

async function installSystemPackages(wanted, say) {
  const missing = wanted.filter((name) => !isThere(systemPackages[name]));
  if (missing.length === 0) return;
  const asRoot = await rootPrefix();
  if (asRoot !== undefined && findProgram('apt-get') !== undefined) {
    say(`installing ${missing.join(', ')} with apt-get`);
    const apt = (...args) =>
      run(
        asRoot[0] ?? 'env',
        [
          ...asRoot.slice(1),
          ...(asRoot[0] === undefined ? [] : ['env']),
          'DEBIAN_FRONTEND=noninteractive',
          'apt-get',
          '-y',
          '-q',
          // A system that was just started may be updating itself, and another command may be installing the same.
          '-o',
          'DPkg::Lock::Timeout=300',
          ...args,
        ],
        {
          onLine: () => undefined,
        },
      );
    const { code, lines } = await withProgress('apt-get', say, async () => {
      await apt('update');
      return apt('install', '--no-install-recommends', ...missing);
    });
    if (code !== 0)
      throw new Error(`apt-get could not install ${missing.join(', ')}:\n${lines.slice(-15).join('\n')}`);
  }
  const still = missing.filter((name) => !isThere(systemPackages[name]));
  if (still.length === 0) return;
  const uses = [...new Set(still.map((name) => systemPackages[name].use))].join('; ');
  const advice =
    findProgram('apt-get') === undefined
      ? "Install it with this system's package manager; the names are those of Debian."
      : `Get it with: sudo apt-get install -y ${still.join(' ')}`;
  throw new Error(`Missing: ${still.join(', ')} (for ${uses}). ${advice}`);
}

function isThere({ programs, files, all }) {
  if (files !== undefined) return files.some((file) => existsSync(file));
  const found = (name) => findProgram(name) !== undefined;
  return all === true ? programs.every(found) : programs.some(found);
}

/** The words to put before a command to run it as root, or `undefined` where that takes a password. */
async function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (findProgram('sudo') === undefined) return undefined;
  const { code } = await run('sudo', ['-n', 'true'], { onLine: () => undefined });
  return code === 0 ? ['sudo', '-n'] : undefined;
}

/** Full path of a program on PATH or in the folders of system programs. */
export function findProgram(name) {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  return folders
    .flatMap((folder) =>
      (process.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name]).map((file) =>
        path.join(folder, file),
      ),
    )
    .find((file) => existsSync(file));
}

/**
 * Full path of the command of the desktop editor. On macOS it is on PATH only after the user asked for that. In WSL and in
 * the terminal of a remote window, `code` acts on the user's own editor, whatever profile it is given.
 */
export function findEditor() {
  if (process.env['VSCODE_IPC_HOOK_CLI'] || process.env['WSL_DISTRO_NAME']) return undefined;
  const inApplication = ['Visual Studio Code.app', 'Contents', 'Resources', 'app', 'bin', 'code'];
  const applications =
    process.platform === 'darwin' ? ['/Applications', path.join(os.homedir(), 'Applications')] : [];
  return (
    findProgram('code') ??
    applications.map((folder) => path.join(folder, ...inApplication)).find((file) => existsSync(file))
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setUpOrEnd(['modules']);
