import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const scripts = join(__dirname, '..', '..', 'scripts');

describe('The scripts that set a machine up', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gpu-rental scripts-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a module of its own; what it prints, or why it ended. */
  function run(program: string, env: NodeJS.ProcessEnv = process.env): string {
    const file = join(folder, 'program.mjs');
    writeFileSync(file, program);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  }

  it('break a lock that an interrupted run left, even if its number is in use again', () => {
    const lock = join(folder, 'a.lock');
    const hours = new Date(Date.now() - 3_600_000);
    const leave = (content: string) => {
      writeFileSync(lock, content);
      utimesSync(lock, hours, hours);
    };
    const take = (before = '') =>
      run(`
        import { writeFileSync, utimesSync } from 'node:fs';
        import { withLock } from ${JSON.stringify(join(scripts, 'lock.mjs'))};
        const lock = ${JSON.stringify(lock)};
        const hours = new Date(${hours.getTime()});
        ${before}
        await withLock(lock, async () => console.log('taken'));`);
    leave(String(process.pid));
    assert.equal(take(), 'taken');
    leave('');
    assert.equal(take(), 'taken');
    const own = 'writeFileSync(lock, String(process.pid)); utimesSync(lock, hours, hours);';
    assert.equal(take(own), 'taken');
    assert.ok(!existsSync(lock));
  });

  it('wait for a lock whose owner is at work', () => {
    const lock = join(folder, 'a.lock');
    writeFileSync(lock, String(process.pid));
    const said = run(`
      import { rmSync } from 'node:fs';
      import { withLock } from ${JSON.stringify(join(scripts, 'lock.mjs'))};
      const lock = ${JSON.stringify(lock)};
      await withLock(lock, async () => console.log('taken'), () => { console.log('waits'); rmSync(lock); });`);
    assert.deepEqual(said.split('\n'), ['waits', 'taken']);
  });

  it('report in one line what is missing, and npm start continues without an SSH client', () => {
    const setUp = (needs: readonly string[]) =>
      run(
        `
        // Root would install them.
        process.getuid = () => 1000;
        import { setUp } from ${JSON.stringify(join(scripts, 'setup.mjs'))};
        await setUp(${JSON.stringify(needs)}).catch((error) => console.log('refused: ' + error.message));`,
        { PATH: folder, HOME: folder },
      );
    assert.match(
      setUp(['sshClient']),
      /^Missing: openssh-client \(for connecting to instances\)\. Install it with this system's package manager; the names are those of Debian\.$/,
    );
    writeFileSync(join(folder, 'apt-get'), '#!/bin/sh\n', { mode: 0o755 });
    assert.match(
      setUp(['tools']),
      /^refused: Missing: git, openssl, rsync, shellcheck, busybox, python3, ansible-core, parallel, clustershell, tmux, zsh, fish, tcsh \(for .*\)\. Get it with: .*$/,
    );
  });

  it('find the desktop editor where its system keeps it, and no command that acts on the editor of the user', () => {
    const onMac = join(folder, 'Applications/Visual Studio Code.app/Contents/Resources/app/bin/code');
    const onPath = join(folder, 'bin', 'code');
    for (const file of [onMac, onPath]) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
    }
    const find = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv) =>
      run(
        `
        Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} });
        const { findEditor } = await import(${JSON.stringify(join(scripts, 'setup.mjs'))});
        console.log(findEditor());`,
        { HOME: folder, ...env },
      );
    const path = { PATH: dirname(onPath) };
    assert.equal(find('linux', path), onPath);
    assert.equal(find('darwin', { PATH: '' }), onMac);
    assert.equal(find('linux', { PATH: '' }), 'undefined');
    assert.equal(find('linux', { ...path, WSL_DISTRO_NAME: 'Debian' }), 'undefined');
    assert.equal(
      find('linux', { ...path, VSCODE_IPC_HOOK_CLI: '/run/user/1000/vscode-ipc.sock' }),
      'undefined',
    );
  });

  it('start the desktop editor in a profile of its own with quiet settings', () => {
    cpSync(scripts, join(folder, 'scripts'), { recursive: true });
    for (const name of ['bin', 'out', 'dist', 'node_modules', 'profile']) {
      mkdirSync(join(folder, name));
    }
    for (const name of ['package-lock.json', 'node_modules/.package-lock.json']) {
      writeFileSync(join(folder, name), JSON.stringify({ packages: {} }));
    }
    const vsix = join(folder, 'dist', 'gpu-rental.vsix');
    writeFileSync(vsix, '');
    const later = new Date(Date.now() + 60_000);
    utimesSync(vsix, later, later);
    for (const program of ['code', 'ssh', 'ssh-keygen']) {
      writeFileSync(join(folder, 'bin', program), '#!/bin/sh\n', { mode: 0o755 });
    }
    const profile = join(folder, 'profile');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'scripts', 'start.mjs'), '--profile', profile],
      {
        env: { PATH: join(folder, 'bin'), HOME: folder, DISPLAY: '', WAYLAND_DISPLAY: 'wayland-0' },
        encoding: 'utf8',
      },
    );
    assert.match(stdout, /The editor is open\./, stderr);
    const settings: unknown = JSON.parse(
      readFileSync(join(profile, 'desktop', 'user', 'User', 'settings.json'), 'utf8'),
    );
    assert.equal((settings as Record<string, unknown>)['workbench.startupEditor'], 'none');
  });

  it('install and package once where two commands start in a fresh clone', () => {
    cpSync(scripts, join(folder, 'scripts'), { recursive: true });
    const inFolder = (...names: readonly string[]) => join(folder, ...names);
    const lockFile = JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } });
    writeFileSync(inFolder('package-lock.json'), lockFile);
    for (const name of ['esbuild.mjs', 'README.md']) {
      writeFileSync(inFolder(name), '');
    }
    for (const name of ['out', 'dist', 'node_modules/@vscode/vsce']) {
      mkdirSync(inFolder(name), { recursive: true });
    }
    const vsce = `require('node:fs').writeFileSync(process.argv.at(-1), 'whole'); console.log('DONE', process.argv.at(-1));`;
    writeFileSync(inFolder('node_modules/@vscode/vsce/vsce'), vsce);
    const begun = (lock: string) => {
      writeFileSync(inFolder('out', lock), String(process.pid));
    };
    // The other process ends its work while this one waits.
    const wait = (whenTold: string, work: string) =>
      run(
        `
        import { readFileSync, rmSync, writeFileSync } from 'node:fs';
        import { setUp } from ${JSON.stringify(inFolder('scripts', 'setup.mjs'))};
        import { makePackage } from ${JSON.stringify(inFolder('scripts', 'package.mjs'))};
        process.chdir(${JSON.stringify(folder)});
        const say = (line) => { console.log(line); ${whenTold} };
        console.log(await ${work});`,
        { PATH: '', HOME: folder },
      ).split('\n');
    begun('modules.lock');
    const installed = `writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(lockFile)});`;
    assert.deepEqual(wait(`${installed} rmSync('out/modules.lock');`, `setUp(['modules'], say)`), [
      'another process is installing node_modules; waiting for it',
      'undefined',
    ]);
    begun('package.lock');
    writeFileSync(inFolder('dist', 'gpu-rental.vsix'), 'before');
    const look = `console.log(readFileSync('dist/gpu-rental.vsix', 'utf8'));`;
    assert.deepEqual(wait(`${look} rmSync('out/package.lock');`, 'makePackage(say)'), [
      'another process is packaging the extension; waiting for it',
      'before',
      `DONE ${inFolder('dist', 'gpu-rental.vsix')}`,
    ]);
    assert.equal(readFileSync(inFolder('dist', 'gpu-rental.vsix'), 'utf8'), 'whole');
  });

  it('accept every version of Node that the README names', () => {
    const answer = (version: string) =>
      run(`
        import { nodeProblem } from ${JSON.stringify(join(scripts, 'setup.mjs'))};
        console.log(nodeProblem('${version}'));`);
    const root = join(scripts, '..');
    const floor = readFileSync(join(root, '.nvmrc'), 'utf8').trim();
    for (const page of ['README.md', 'CONTRIBUTING.md']) {
      assert.ok(readFileSync(join(root, page), 'utf8').includes(`Node ${floor} or later`), page);
    }
    const works = [floor, '22.12.0', '23.5.0', '24.0.0', '100.0.0'];
    assert.deepEqual(
      works.filter((version) => answer(version) !== 'undefined'),
      [],
    );
    for (const version of ['20.18.3', '20.9.0', '18.20.4']) {
      assert.equal(answer(version), `Node ${floor} or later is needed; this is ${version}.`);
    }
    // Packages of the tools name fewer versions than those on which they work.
    assert.doesNotMatch(readFileSync(join(root, '.npmrc'), 'utf8'), /engine-strict/);
  });

  it('report in one line that npm is missing, can’t reach its registry or can’t write its files', () => {
    cpSync(scripts, join(folder, 'scripts'), { recursive: true });
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { 'node_modules/a': {} } }));
    const npm = join(folder, 'bin', 'npm');
    mkdirSync(join(folder, 'bin'));
    const fails = (...lines: readonly string[]) => {
      if (lines.length > 0) {
        const said = lines.map((line) => `echo 'npm error ${line}' >&2`);
        writeFileSync(npm, ['#!/bin/sh', ...said, 'exit 1', ''].join('\n'), { mode: 0o755 });
      }
      return run(
        `
        import { setUp } from ${JSON.stringify(join(folder, 'scripts', 'setup.mjs'))};
        await setUp(['modules'], () => undefined).catch((error) => console.log(error.message));`,
        { PATH: join(folder, 'bin'), HOME: folder },
      );
    };
    const stack = '    at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/index.js:130:14)';
    assert.equal(fails(), 'npm was not found. Install it beside Node.');
    assert.equal(
      fails('code ENOTFOUND', 'syscall getaddrinfo', 'network request to https://x failed', stack),
      'npm ci could not reach the npm registry (ENOTFOUND). Check the network or the proxy, and start again.',
    );
    assert.equal(
      fails('code EACCES', 'syscall mkdir', 'path /nonexistent', stack),
      'npm ci could not write /nonexistent (EACCES).',
    );
    assert.equal(fails('code E404', stack, '404 Not Found').split('\n').length, 3);
  });

  it('report in one line that the clone can’t be written to', () => {
    cpSync(scripts, join(folder, 'scripts'), { recursive: true });
    writeFileSync(join(folder, 'out'), 'where a folder should be');
    for (const script of ['start.mjs', 'test.mjs', 'simulator.mjs']) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts', script)], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      assert.equal(status, 1, script);
      // The tests repeat at their end what failed.
      const [said = ''] = `${stdout}${stderr}`.split(/^.*FAILED: /m);
      const lines = said.split('\n').filter((line) => !line.includes(' passed, '));
      const reasons = lines.filter((line) =>
        line.includes(`${join(folder, 'out')} cannot be written to (EACCES)`),
      );
      assert.equal(reasons.length, 1, lines.join('\n'));
      assert.doesNotMatch(lines.join('\n'), /^\s+at /m, script);
    }
  });

  it('report why a program could not be started, and how long a silent one runs', () => {
    const said = run(`
      import { run, withProgress } from ${JSON.stringify(join(scripts, 'process.mjs'))};
      const { code } = await run('/nowhere/program', [], { onLine: (line) => console.log(line) });
      console.log(code);
      let end;
      const say = (line) => { console.log(line); end(); };
      await withProgress('npm ci', say, () => new Promise((resolve) => (end = resolve)), 1);`);
    assert.deepEqual(said.split('\n'), [
      '/nowhere/program: spawn /nowhere/program ENOENT',
      '127',
      '  … npm ci: 0 s',
    ]);
  });

  it('run programs through a shell whose path and arguments have spaces', () => {
    const program = join(folder, 'a code.cmd');
    writeFileSync(program, '#!/bin/sh\necho "$#: $1"\n', { mode: 0o755 });
    const said = run(`
      import { run } from ${JSON.stringify(join(scripts, 'process.mjs'))};
      const { lines } = await run(${JSON.stringify(program)}, ['C:/José García/x'], { shell: true, onLine: () => undefined });
      console.log(lines.join());`);
    assert.equal(said, '1: C:/José García/x');
  });

  it('report in one line which option they do not know', () => {
    for (const script of ['start', 'test', 'fuzz', 'near', 'mutants']) {
      const { status, stderr } = spawnSync(process.execPath, [join(scripts, `${script}.mjs`), '--brwoser'], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      assert.equal(status, 2, `${script}: ${stderr}`);
      assert.match(stderr, /^Unknown option '--brwoser'.*\n$/, script);
    }
  });

  it('install every program that the tests run', () => {
    // `xattr` is a part of macOS, and asked for there alone.
    const essential = [
      'cp',
      'find',
      'grep',
      'ls',
      'mkdir',
      'mkfifo',
      'mount',
      'rm',
      'sh',
      'sync',
      'tar',
      'umount',
      'xattr',
    ];
    const packaged = readFileSync(join(scripts, 'setup.mjs'), 'utf8');
    const sources = readdirSync(join(__dirname, '..'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(__dirname, '..', name), 'utf8'));
    const used = sources.flatMap((source) =>
      [...source.matchAll(/execFileSync\(\s*'([a-z-]+)'/g)].map(([, program = '']) => program),
    );
    const missing = [...new Set(used)].filter(
      (program) =>
        !essential.includes(program) && !program.startsWith('ssh-') && !packaged.includes(`'${program}'`),
    );
    assert.ok(used.includes('openssl') && used.includes('git'));
    assert.deepEqual(missing, []);
  });
});
