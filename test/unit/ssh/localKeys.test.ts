import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { isSecurityKey, worksUnattended, matchKeys } from '../../../src/ssh/localKeys';
import { explainFailure } from '../../../src/ssh/problemText';
import { parsePublicKey, sameKey } from '../../../src/ssh/publicKey';
import { ProgramMissingError } from '../../../src/ssh/run';
import { formatText } from '../../../src/util/text';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

describe('Local keys', () => {
  let home: SshHome;
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  it('are found with the fingerprint that ssh-keygen prints', async () => {
    const line = home.key();
    home.key('id_rsa', '', 'rsa');
    const keys = await home.service().localKeys();
    assert.deepEqual(
      keys.map((key) => key.publicKey.comment),
      ['id_ed25519', 'id_rsa'],
    );
    const printed = execFileSync('ssh-keygen', ['-lf', join(home.sshDir, 'id_ed25519.pub')], {
      encoding: 'utf8',
    });
    assert.ok(printed.includes(` ${keys[0]?.publicKey.fingerprint ?? '?'} `), printed);
    assert.equal(keys[0]?.line, line);
  });

  it('are distinguished by whether they ask for a passphrase, in both file forms', async () => {
    home.key('plain');
    home.key('locked', 'secret');
    home.key('old_plain', '', 'rsa');
    home.key('old_locked', 'secret', 'rsa');
    const convert = (name: string, pass: string) =>
      execFileSync('ssh-keygen', [
        '-q',
        '-p',
        '-m',
        'PEM',
        '-P',
        pass,
        '-N',
        pass,
        '-f',
        join(home.sshDir, name),
      ]);
    convert('old_plain', '');
    convert('old_locked', 'secret');
    assert.match(readFileSync(join(home.sshDir, 'old_locked'), 'utf8'), /BEGIN RSA PRIVATE KEY/);
    const keys = await home.service().localKeys();
    const encrypted = Object.fromEntries(keys.map((key) => [key.publicKey.comment, key.encrypted]));
    assert.deepEqual(encrypted, { plain: false, old_plain: false, locked: true, old_locked: true });
    assert.deepEqual(keys.map(worksUnattended), [true, true, false, false]);
  });

  it('leave out what can’t be used: no private part, no key, a certificate', async () => {
    home.key('whole');
    home.key('half');
    rmSync(join(home.sshDir, 'half'));
    writeFileSync(join(home.sshDir, 'junk.pub'), 'not a key\n');
    writeFileSync(join(home.sshDir, 'whole-cert.pub'), readFileSync(join(home.sshDir, 'whole.pub')));
    const keys = await home.service().localKeys();
    assert.deepEqual(
      keys.map((key) => key.publicKey.comment),
      ['whole'],
    );
  });

  it('are found beside files that are none: longer than memory, and a link to a pipe', async () => {
    home.key();
    truncateSync(home.write('', join(home.sshDir, 'backup.img')), 3 * 1024 ** 3);
    execFileSync('mkfifo', [join(home.root, 'pipe')]);
    symlinkSync(join(home.root, 'pipe'), join(home.sshDir, 'pipe'));
    const keys = await home.service().localKeys();
    assert.deepEqual(
      keys.map((key) => key.publicKey.comment),
      ['id_ed25519'],
    );
  });

  it('are from files alone if there is no agent program', async () => {
    home.key();
    const run: typeof home.run = (program, args, options) =>
      program === 'ssh-add'
        ? Promise.reject(new ProgramMissingError(program, undefined))
        : home.run(program, args, options);
    const agentSocket = join(home.root, 'agent');
    assert.equal((await home.service({ run, agentSocket }).localKeys()).length, 1);
    rmSync(home.sshDir, { recursive: true });
    assert.deepEqual(await home.service({ run, agentSocket }).localKeys(), []);
  });

  it('match registered ones by the key alone, with any comment', async () => {
    const line = home.key();
    home.key('other');
    const local = await home.service().localKeys();
    const [type = '', base64 = ''] = line.split(' ');
    const registered = [`${type} ${base64} somebody@elsewhere\n`, 'junk', ''];
    assert.deepEqual(
      matchKeys(local, registered).map((key) => key.publicKey.comment),
      ['id_ed25519'],
    );
    assert.ok(sameKey(line, `${type}   ${base64}`));
    assert.ok(!sameKey('junk', 'junk'));
  });

  it('are found without a public file: read from the private one, or derived from it', async () => {
    const lines = [home.key('plain'), home.key('locked', 'secret'), home.key('old', '', 'rsa')];
    execFileSync('ssh-keygen', ['-q', '-p', '-m', 'PEM', '-P', '', '-N', '', '-f', join(home.sshDir, 'old')]);
    for (const name of ['plain', 'locked', 'old']) {
      rmSync(join(home.sshDir, `${name}.pub`));
    }
    const ssh = home.service();
    const keys = await ssh.localKeys();
    const found = keys.map(({ line, encrypted, publicFile }) => [line, encrypted, publicFile]);
    assert.deepEqual(found, [
      [lines[0], false, undefined],
      [lines[2], false, undefined],
      [lines[1], true, undefined],
    ]);
    assert.deepEqual(await ssh.unreadKeys(), []);
  });

  it('name those of which nothing can be read, and are none of what else lies there', async () => {
    home.key('old', 'secret', 'rsa');
    const args = ['-q', '-p', '-m', 'PEM', '-P', 'secret', '-N', 'secret'];
    execFileSync('ssh-keygen', [...args, '-f', join(home.sshDir, 'old')]);
    rmSync(join(home.sshDir, 'old.pub'));
    execFileSync('mkfifo', [join(home.sshDir, 'pipe')]);
    mkdirSync(join(home.sshDir, 'folder'));
    for (const [name, content] of Object.entries({
      known_hosts: 'x',
      cut: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n',
      note: 'no key',
    })) {
      home.write(content, join(home.sshDir, name));
    }
    const ssh = home.service();
    assert.deepEqual(await ssh.localKeys(), []);
    assert.deepEqual(await ssh.unreadKeys(), [join(home.sshDir, 'old')]);
    assert.deepEqual(
      (await ssh.unusableKeys()).map(({ kind, file }) => [kind, file]),
      [['damaged', join(home.sshDir, 'cut')]],
    );
  });

  it('are also those that the SSH config names, for any host and in any notation', async () => {
    const vault = join(home.root, 'a vault');
    mkdirSync(vault);
    mkdirSync(join(home.root, 'account', 'kept'), { recursive: true });
    const names = ['quoted', 'equals', 'included', 'public', 'tilde', 'percent'];
    const place: Record<string, string> = {
      tilde: join(home.root, 'account', 'kept', 'tilde'),
      percent: join(home.root, 'account', 'kept', '50%'),
    };
    const file = (name: string) => place[name] ?? join(vault, name);
    const lines = names.map((name) => {
      const line = home.key(name);
      renameSync(join(home.sshDir, name), file(name));
      renameSync(join(home.sshDir, `${name}.pub`), `${file(name)}.pub`);
      return line;
    });
    // Read from the private part alone, as it often lies in a vault.
    rmSync(`${file('quoted')}.pub`);
    const config = [
      `IdentityFile "${file('quoted')}"`,
      'Host mine *.example.com',
      `  identityfile='${file('equals')}'`,
      `  IdentityFile ${join(home.root, 'missing')}`,
      '  IdentityFile /keys/%h',
      '  IdentityFile none',
      `  Include ${join(home.root, 'more')}/*.conf`,
      'Match host nobody',
      '  IdentityFile ~/kept/tilde',
      '  IdentityFile %d/kept/50%%',
      '',
    ];
    home.write(config.join('\n'));
    const more = `Host other\n  IdentityFile "${file('included')}"\n  IdentityFile "${file('public')}.pub"\n`;
    home.write(more, join(home.root, 'more', 'one.conf'));
    const keys = await home.service().localKeys();
    assert.deepEqual(new Set(keys.map(({ line }) => line)), new Set(lines));
    assert.deepEqual(new Set(keys.map((key) => key.privateFile)), new Set(names.map(file)));
  });

  it('let a machine be reached with one that has no public file and is where the SSH config points', async () => {
    const machine = await new SshMachine().start();
    try {
      const line = home.key();
      machine.authorize(line);
      const vault = join(home.root, 'vault');
      mkdirSync(vault);
      renameSync(join(home.sshDir, 'id_ed25519'), join(vault, 'gpu'));
      rmSync(join(home.sshDir, 'id_ed25519.pub'));
      home.write(`Host elsewhere\n  IdentityFile ${join(vault, 'gpu')}\n`);
      const instance = sshInstance(machine.port);
      const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [line] };
      const { host, preflight } = await home.service().connect(request);
      assert.equal(preflight.ok, true, JSON.stringify(preflight));
      assert.equal(host.identity.key?.privateFile, join(vault, 'gpu'));
    } finally {
      await machine.dispose();
    }
  });

  it('keep their rights where they belong to another user', async () => {
    const file = join(home.root, 'shared');
    home.key('shared');
    renameSync(join(home.sshDir, 'shared'), file);
    home.write(`IdentityFile ${file}\n`);
    chmodSync(file, 0o644);
    const fs: FileSystem = {
      ...nodeFileSystem,
      facts: async (path) => {
        const facts = await nodeFileSystem.facts(path);
        return path === file ? { ...facts, uid: facts.uid + 1 } : facts;
      },
    };
    assert.deepEqual((await home.service().inspect()).config.tooOpen, [file]);
    assert.deepEqual((await home.service({ fs }).inspect()).config.tooOpen, []);
    await home.service({ fs }).tighten();
    assert.equal(home.mode(file), '644');
  });

  it('are those of the agent that the SSH config names, and of no other', async () => {
    const line = home.key('kept');
    rmSync(join(home.sshDir, 'kept'));
    rmSync(join(home.sshDir, 'kept.pub'));
    const agent = join(home.home, '.vault', 'agent.sock');
    home.write(`Host *\n  IdentityAgent "${agent}"\n`);
    const sockets: unknown[] = [];
    const run: typeof home.run = (program, args, options) => {
      if (program !== 'ssh-add') {
        return home.run(program, args, options);
      }
      const socket = options?.env?.['SSH_AUTH_SOCK'];
      sockets.push(socket);
      const answer = { stderr: '', timedOut: false };
      return Promise.resolve(
        socket === undefined
          ? { ...answer, code: 1, stdout: '' }
          : { ...answer, code: 0, stdout: `${line}\n` },
      );
    };
    const agentSocket = join(home.root, 'agent');
    const [key] = await home.service({ run, agentSocket }).localKeys();
    assert.equal(key?.inAgent, true);
    assert.equal(key.line, line);
    assert.deepEqual(sockets, [agent]);
  });

  it('are tried if nothing can be read of them, and then reported as asking for a passphrase', async () => {
    const machine = await new SshMachine().start();
    try {
      const line = home.key('old', 'secret', 'rsa');
      const file = join(home.sshDir, 'old');
      execFileSync('ssh-keygen', ['-q', '-p', '-m', 'PEM', '-P', 'secret', '-N', 'secret', '-f', file]);
      rmSync(`${file}.pub`);
      const instance = sshInstance(machine.port);
      const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [line] };
      const { host, preflight } = await home.service().connect(request);
      assert.ok(!preflight.ok);
      assert.equal(host.identity.file, file);
      const { text, fixes } = explainFailure(preflight, host.identity);
      assert.match(formatText(text), /old asks for a passphrase/);
      assert.equal(fixes[0], 'unlockKey');
    } finally {
      await machine.dispose();
    }
  });

  it('know security keys, which want to be touched', async () => {
    // The public part as `ssh-keygen -t ed25519-sk` writes it; its device does not exist.
    const type = 'sk-ssh-ed25519@openssh.com';
    const part = (value: Buffer | string) => {
      const bytes = Buffer.from(value);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return Buffer.concat([length, bytes]);
    };
    const blob = Buffer.concat([part(type), part(Buffer.alloc(32, 7)), part('ssh:')]);
    writeFileSync(join(home.sshDir, 'id_sk.pub'), `${type} ${blob.toString('base64')} touch\n`);
    const secret = ['none', 'none', '', [0, 0, 0, 1], blob, 'a handle'].map((one) =>
      Array.isArray(one) ? Buffer.from(one) : part(one),
    );
    const body = Buffer.concat([Buffer.from('openssh-key-v1\0'), ...secret]).toString('base64');
    writeFileSync(
      join(home.sshDir, 'id_sk'),
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`,
    );
    assert.deepEqual((await home.service().localKeys()).map(isSecurityKey), [true]);
    // They come after one that needs no touch, whatever its name.
    home.key('id_z', '', 'rsa');
    home.key('id_locked', 'secret');
    const files = (await home.service().localKeys()).map(({ privateFile = '' }) => basename(privateFile));
    assert.deepEqual(files, ['id_z', 'id_sk', 'id_locked']);
  });

  it('are parsed strictly: the type inside must be the type outside', () => {
    const line = home.key();
    const [, base64 = ''] = line.split(' ');
    assert.ok(parsePublicKey(line));
    assert.equal(parsePublicKey(`ssh-rsa ${base64}`), undefined);
    assert.equal(parsePublicKey(`${line}\n${line}`), undefined);
    assert.equal(parsePublicKey(`command="id" ${line}`), undefined);
    assert.equal(parsePublicKey(base64), undefined);
  });
});
