import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { explainNoLogin } from '../../../src/ssh/problemText';
import { formatText } from '../../../src/util/text';
import { sized, testSeed } from '../../support/seeded';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';
import { until } from '../../support/until';

const putty = (line: string) =>
  [
    'PuTTY-User-Key-File-3: ssh-ed25519',
    'Encryption: none',
    'Comment: mine',
    'Public-Lines: 2',
    ...(/ (\S{20})(\S+) /.exec(line)?.slice(1) ?? []),
    'Private-Lines: 1',
    'AAAA',
    '',
  ].join('\r\n');

/** What happens to key files on their way from one computer to another. */
const spoiling: Readonly<Record<string, (text: string, line: string, at: number) => string>> = {
  nothing: (text) => text,
  'line ends of Windows': (text) => text.replaceAll('\n', '\r\n'),
  'no last line end': (text) => text.trimEnd(),
  'spaces after it': (text) => `${text.trimEnd()} \n`,
  'a line before it': (text) => `a note\n${text}`,
  'a byte order mark': (text) => `\u00ef\u00bb\u00bf${text}`,
  'lines after it': (text) => `${text}a note\n`,
  'a part of it': (text, _, at) => text.slice(0, Math.floor(text.length * at)),
  'one line less': (text, _, at) => {
    const lines = text.split('\n');
    lines.splice(1 + Math.floor((lines.length - 3) * at), 1);
    return lines.join('\n');
  },
  'one line': (text) => text.replaceAll('\n', ' '),
  'the format of PuTTY': (_, line) => putty(line),
  'the public part': (_, line) => `${line}\n`,
  'no key': () => 'no key\n',
};

describe('A key file that ssh does not read', () => {
  let home: SshHome;
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  const inHome = (name: string) => join(home.sshDir, name);

  function toPem(name: string): void {
    execFileSync('ssh-keygen', ['-q', '-p', '-m', 'PEM', '-P', '', '-N', '', '-f', inHome(name)]);
  }

  it('is offered for no account, and is the only one that is not, as ssh-keygen reads them', async () => {
    const lines = { own: home.key('own'), pem: home.key('pem', '', 'rsa'), other: home.key('other') };
    toPem('pem');
    const texts = { own: home.read(inHome('own')), pem: home.read(inHome('pem')) };
    const ssh = home.service();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('own' as const, 'pem' as const),
        fc.constantFrom(...Object.keys(spoiling)),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.constantFrom('own', 'other', 'none'),
        async (name, how, at, besides) => {
          const file = inHome(name);
          writeFileSync(file, spoiling[how]?.(texts[name], lines[name], at) ?? '', 'latin1');
          if (besides === 'none') {
            rmSync(`${file}.pub`, { force: true });
          } else {
            writeFileSync(`${file}.pub`, `${besides === 'own' ? lines[name] : lines.other}\n`);
          }
          const { code } = await home.run('ssh-keygen', ['-y', '-P', '', '-f', file]);
          const offered = (await ssh.localKeys()).some(({ privateFile }) => privateFile === file);
          // A public part of another key has ssh offer that one.
          assert.equal(offered, code === 0 && besides !== 'other', `${name}: ${how}`);
          const named = (await ssh.unusableKeys()).filter((key) => key.file.startsWith(file));
          if (!offered && besides === 'own') {
            assert.equal(named[0]?.publicKey?.base64, lines[name].split(' ')[1]);
          }
          if (offered) {
            assert.deepEqual(named, []);
          }
        },
      ),
      { seed: testSeed, numRuns: sized(40, 1_000) },
    );
  });

  it('is named by its file where this user may not read it', async () => {
    const line = home.key();
    const file = inHome('id_ed25519');
    const fs: FileSystem = {
      ...nodeFileSystem,
      readUpTo: (path, most) =>
        path === file
          ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES', path }))
          : nodeFileSystem.readUpTo(path, most),
    };
    const ssh = home.service({ fs });
    assert.deepEqual(await ssh.localKeys(), []);
    const [key] = await ssh.unusableKeys();
    assert.deepEqual([key?.kind, key?.file, key?.publicKey?.base64], ['noAccess', file, line.split(' ')[1]]);
  });

  describe('at a login', () => {
    let machine: SshMachine;
    beforeEach(async () => {
      machine = await new SshMachine().start();
    });
    afterEach(() => machine.dispose());

    const request = (...registeredKeys: readonly string[]) => ({
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(machine.port),
      registeredKeys,
    });

    /** Its form is right, and only ssh finds that its private part is not. */
    function spoilInside(name: string): void {
      const lines = readFileSync(inHome(name), 'latin1').split('\n');
      const place = lines.length - 4;
      lines[place] = (lines[place] ?? '').replace(/[A-Za-z]/g, (letter) => (letter === 'A' ? 'B' : 'A'));
      writeFileSync(inHome(name), lines.join('\n'));
    }

    it('is passed over for another registered key that works, and named where none does', async () => {
      const bad = home.key('a_bad');
      const good = home.key('b_good');
      machine.authorize(bad, good);
      spoilInside('a_bad');
      const ssh = home.service();
      const first = await ssh.connect(request(bad, good));
      assert.ok(first.preflight.ok, JSON.stringify(first.preflight));
      assert.equal(first.host.identity.file, inHome('b_good'));
      await ssh.removeAll();
      machine.authorize(bad);
      const { host, preflight } = await ssh.connect(request(bad, good));
      assert.ok(!preflight.ok);
      assert.deepEqual([preflight.problem, preflight.detail], ['unusableKey', inHome('a_bad')]);
      assert.match(
        formatText(explainNoLogin(preflight, host).text),
        /^ssh can't read the key file .*a_bad: /,
      );
      assert.equal((await ssh.entry('gpu-7'))?.identityFile, inHome('a_bad'));
    });

    it('is passed over where others can read it, or where it is another than its public part', async () => {
      const bad = home.key('a_bad');
      const good = home.key('b_good');
      machine.authorize(bad, good);
      chmodSync(inHome('a_bad'), 0o644);
      const open = (await home.service().connect(request(bad, good))).preflight;
      assert.ok(open.ok, JSON.stringify(open));
      chmodSync(inHome('a_bad'), 0o600);
      machine.authorize(bad);
      writeFileSync(inHome('a_bad.pub'), `${home.key('c_other')}\n`);
      const { host, preflight } = await home.service().connect(request(bad));
      assert.ok(!preflight.ok);
      assert.match(
        formatText(explainNoLogin(preflight, host).text),
        /^The public key in .*a_bad\.pub belongs/,
      );
    });

    it('is used all the same where an agent has it', async () => {
      const socket = join(home.root, 'agent.sock');
      const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
      try {
        const env = { env: { SSH_AUTH_SOCK: socket } };
        await until('the agent', async () => (await home.run('ssh-add', ['-l'], env)).code !== 2);
        const line = home.key();
        machine.authorize(line);
        await home.run('ssh-add', ['-q', inHome('id_ed25519')], env);
        writeFileSync(inHome('id_ed25519'), putty(line));
        const run: typeof home.run = (program, args, options) =>
          home.run(program, args, { ...options, ...env });
        const ssh = home.service({ run, agentSocket: socket });
        const { preflight } = await ssh.connect(request(line));
        assert.ok(preflight.ok, JSON.stringify(preflight));
        assert.deepEqual(await ssh.unusableKeys(), []);
      } finally {
        agent.kill();
      }
    });
  });
});
