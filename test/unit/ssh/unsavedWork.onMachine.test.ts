import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneRepository, CloneError } from '../../../src/ssh/cloneRepository';
import { parseRepositoryUrl, type RepositoryUrl } from '../../../src/ssh/repositoryUrl';
import {
  interpreterFor,
  NoInterpreterError,
  remoteName,
  runScript,
  sendFile,
} from '../../../src/ssh/runFile';
import type { SshService } from '../../../src/ssh/service';
import { SshHome } from '../../support/sshHome';
import { sshTo } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

const alias = 'gpu-7';

describe('Working on a machine over SSH', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  let remoteHome: string;

  /** A machine whose home folder and programs are ours to choose. */
  async function start(path = process.env['PATH'] ?? ''): Promise<void> {
    machine = await new SshMachine().start({
      env: { HOME: remoteHome, TMPDIR: remoteHome, PATH: path },
    });
    ssh = await sshTo(home, machine);
  }

  beforeEach(() => {
    home = new SshHome();
    remoteHome = join(home.root, 'remote');
    mkdirSync(remoteHome);
  });
  afterEach(async () => {
    await machine.dispose();
    home.dispose();
  });

  describe('cloning a repository', () => {
    const address = (): RepositoryUrl => {
      const parsed = parseRepositoryUrl('https://me:token-9@git.example/team/model.git');
      assert.ok(parsed);
      return parsed;
    };
    /** What the machine takes the address for. */
    function serve(url: string): void {
      writeFileSync(
        join(remoteHome, '.gitconfig'),
        `[url "${url}"]\n\tinsteadOf = https://git.example/team/model.git\n`,
      );
    }
    function bare(): string {
      const work = join(home.root, 'work');
      const target = join(home.root, 'model.git');
      const git = (...args: string[]) => execFileSync('git', ['-C', work, ...args]);
      mkdirSync(work);
      git('init', '-q');
      writeFileSync(join(work, 'train.py'), 'print(1)\n');
      git('add', '.');
      git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '-m', 'first');
      git('clone', '-q', '--bare', work, target);
      return target;
    }

    it('puts it below the home folder and sends no login with it', async () => {
      await start();
      serve(`file://${bare()}`);
      const percents: number[] = [];
      const result = await cloneRepository(ssh, alias, address(), {
        onProgress: (percent) => percents.push(percent),
      });
      const folder = join(remoteHome, 'model');
      assert.deepEqual(result, { kind: 'cloned', folder });
      assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), 'print(1)\n');
      assert.doesNotMatch(readFileSync(join(folder, '.git', 'config'), 'utf8'), /token-9|me:/);
      assert.equal(percents.at(-1), 100);
    });

    it('leaves a folder of that name alone', async () => {
      await start();
      mkdirSync(join(remoteHome, 'model'));
      writeFileSync(join(remoteHome, 'model', 'mine'), 'mine');
      const result = await cloneRepository(ssh, alias, address());
      assert.deepEqual(result, { kind: 'exists', folder: join(remoteHome, 'model') });
      assert.ok(existsSync(join(remoteHome, 'model', 'mine')));
    });

    it('reports that a login is missing', async () => {
      // Its ssh takes the home folder of the computer's user for its own, whatever HOME is.
      const programs = join(home.root, 'programs');
      const path = process.env['PATH'] ?? '';
      mkdirSync(programs);
      writeFileSync(
        join(programs, 'ssh'),
        `#!/bin/sh\nPATH='${path}' exec ssh -o UserKnownHostsFile='${home.root}/known' "$@"\n`,
        { mode: 0o755 },
      );
      await start(`${programs}:${path}`);
      // The machine itself, which accepts no login from there.
      serve(`ssh://root@127.0.0.1:${machine.port}/model.git`);
      const result = await cloneRepository(ssh, alias, address());
      assert.equal(result.kind, 'noAccess');
      assert.ok(!existsSync(join(remoteHome, 'model')));
      assert.ok(existsSync(join(home.root, 'known')));
    });

    it('shows the message of git if there is no such repository', async () => {
      await start();
      serve(`file://${home.root}/nothing.git`);
      await assert.rejects(cloneRepository(ssh, alias, address()), (error) => {
        assert.ok(error instanceof CloneError);
        assert.match(error.message, /does not (?:exist|appear)/);
        return true;
      });
    });

    it('reports that the machine has no git', async () => {
      const programs = join(home.root, 'programs');
      mkdirSync(programs);
      await start(programs);
      assert.deepEqual(await cloneRepository(ssh, alias, address()), { kind: 'noGit' });
    });

    it('stops when its signal is aborted', async () => {
      await start();
      await assert.rejects(cloneRepository(ssh, alias, address(), { signal: AbortSignal.abort() }), {
        name: 'CancelledError',
      });
    });
  });

  describe('running a file', () => {
    const run = (folder: string, name: string, interpreter: string) =>
      ssh.exec(alias, runScript(folder, name, interpreter, { ended: 'ended with' }), { input: '\n' });

    for (const name of [
      "it's $(touch pwned).sh",
      '-rf.sh',
      'a "b" `c`.sh',
      'ä ö.sh',
      '../../up.sh',
      'line\nend.sh',
    ]) {
      it(`with any name: ${JSON.stringify(name)}`, async () => {
        await start();
        const content = 'echo "arg: $0"; pwd; exit 4\n';
        const folder = await sendFile(ssh, alias, { name, content });
        assert.match(folder, /\/gpu-rental-\w{8}$/);
        assert.equal(readFileSync(join(folder, remoteName(name)), 'utf8'), content);
        const { stdout } = await run(folder, name, interpreterFor(name, content));
        assert.ok(stdout.includes(`arg: ${folder}/${remoteName(name)}`), stdout);
        assert.match(stdout, /ended with 4/);
        assert.ok(!existsSync(folder), 'the copy stays');
        assert.ok(!existsSync(join(remoteHome, 'pwned')));
      });
    }

    it('runs a file with a first line that names its interpreter', async () => {
      await start();
      const content = '#!/bin/sh\necho by-itself\n';
      const folder = await sendFile(ssh, alias, { name: 'tool', content });
      const { stdout } = await run(folder, 'tool', interpreterFor('tool', content));
      assert.match(stdout, /by-itself\n\nended with 0/);
    });

    it('runs a shell script by the shell that its first line names, also with line ends of Windows', async () => {
      await start();
      const content = '#!/bin/bash\r\nset -o pipefail\r\nlist=(a b)\r\necho "${list[1]}-done"\r\n';
      const folder = await sendFile(ssh, alias, { name: 'run.sh', content });
      const { stdout } = await run(folder, 'run.sh', interpreterFor('run.sh', content));
      assert.match(stdout, /b-done\n\nended with 0/);
    });

    it('runs a file beside its neighbors, with any name of their folder', async () => {
      await start();
      const place = join(remoteHome, "it's $(touch pwned)");
      mkdirSync(place);
      writeFileSync(join(place, 'part.py'), 'two = 2\n');
      writeFileSync(join(place, 'data.txt'), 'data\n');
      const content = 'import part\nprint(part.two, open("data.txt").read())\n';
      const folder = await sendFile(ssh, alias, { name: 'a.py', content });
      const script = runScript(folder, 'a.py', 'python3', { ended: 'ended with', neighbors: place });
      const { stdout } = await ssh.exec(alias, script, { input: '\n' });
      assert.match(stdout, /^2 data\n[^]*ended with 0/m);
      assert.ok(!existsSync(join(remoteHome, 'pwned')) && !existsSync(join(place, 'pwned')));
    });

    it('runs such a script also where no file of the folder can be executed', async () => {
      await start();
      const content = '#!/usr/bin/env -S bash -u\necho "by-$0"\n';
      const folder = await sendFile(ssh, alias, { name: 'tool', content });
      // As with the option noexec of a mount, which refuses root as well.
      const command = runScript(folder, 'tool', interpreterFor('tool', content), { ended: 'ended with' });
      assert.doesNotMatch(command, /chmod/);
      const { stdout } = await run(folder, 'tool', interpreterFor('tool', content));
      assert.ok(stdout.includes(`by-${folder}/tool`), stdout);
    });

    it('knows the interpreter of each file', () => {
      assert.equal(interpreterFor('a.sh', 'echo\n'), 'sh');
      assert.equal(interpreterFor('a.sh', '#!/bin/bash\n'), '/bin/bash');
      assert.equal(interpreterFor('a.sh', '#!\necho\n'), 'sh');
      assert.equal(interpreterFor('a.py', '#!/usr/bin/env python3\n'), 'python3 -u');
      assert.equal(interpreterFor('a.PY', ''), 'python3 -u');
      assert.equal(interpreterFor('a.mjs', ''), 'node');
      assert.equal(interpreterFor('tool', '#!/usr/bin/env x'), '/usr/bin/env x');
      assert.equal(interpreterFor('tool', '#! /bin/sh -e -u \r\n'), "/bin/sh '-e -u'");
      assert.equal(interpreterFor('tool', '#!/bin/sh;id\n'), "'/bin/sh;id'");
      assert.throws(() => interpreterFor('tool', '#!\nhello'), NoInterpreterError);
      assert.throws(() => interpreterFor('notes.txt', 'hello'), NoInterpreterError);
      assert.throws(() => interpreterFor('constructor', 'x'), NoInterpreterError);
      assert.throws(() => interpreterFor('a.constructor', 'x'), NoInterpreterError);
    });
  });
});
