import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { passphraseTerminal, takesPassphraseByPipe, worksUnattended } from '../../../src/ssh/localKeys';
import { sameKey } from '../../../src/ssh/publicKey';
import { SshHome } from '../../support/sshHome';

describe('New local keys', () => {
  let home: SshHome;
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  it('are made by ssh-keygen, for this user alone and never over another', async () => {
    const ssh = home.service();
    const key = await ssh.generateKey('gpu_rental', 'gpu rental; $(id)');
    assert.equal(home.mode(join(home.sshDir, 'gpu_rental')), '600');
    assert.equal(key.publicKey.type, 'ssh-ed25519');
    assert.equal(key.publicKey.comment, 'gpu-rental----id-');
    assert.equal((await ssh.localKeys())[0]?.publicKey.base64, key.publicKey.base64);
    await assert.rejects(ssh.generateKey('gpu_rental', ''), /exists already/);
    for (const name of ['', '..', '../x', '-x', 'a/b', 'a b', 'x.pub', 'a\nb']) {
      await assert.rejects(ssh.generateKey(name, ''), /can't be the name/);
    }
  });

  it('are made with a passphrase, which is in no argument and in no environment', async () => {
    const secret = 'correct horse $(id) "battery"';
    const calls: { readonly args: readonly string[]; readonly env: unknown }[] = [];
    const run: typeof home.run = (program, args, options) => {
      calls.push({ args, env: options?.env });
      return home.run(program, args, options);
    };
    const key = await home.service({ run }).generateKey('locked', 'locked', { passphrase: secret });
    assert.equal(key.encrypted, true);
    assert.doesNotMatch(JSON.stringify(calls), /horse/);
    const file = join(home.sshDir, 'locked');
    const opened = execFileSync('ssh-keygen', ['-y', '-P', secret, '-f', file], { encoding: 'utf8' });
    assert.ok(sameKey(opened, key.line));
    assert.throws(() => execFileSync('ssh-keygen', ['-y', '-P', '', '-f', file], { stdio: 'pipe' }));
    assert.deepEqual((await home.service().localKeys()).map(worksUnattended), [false]);
  });

  it('are not left without the passphrase that was asked for', async () => {
    // A program that takes no answers from its input.
    const run: typeof home.run = (program, args, options = {}) =>
      program === 'ssh-keygen'
        ? home.run(program, [...args, '-N', ''], { ...options, input: '' })
        : home.run(program, args, options);
    const made = home.service({ run }).generateKey('locked', 'locked', { passphrase: 'secret phrase' });
    await assert.rejects(made, /did not take the passphrase/);
    assert.deepEqual(await home.service().localKeys(), []);
  });

  it('get no passphrase through a pipe on Windows, whose ssh-keygen reads one from a console alone', async () => {
    const calls: (readonly string[])[] = [];
    const run: typeof home.run = (program, args, options) => {
      calls.push([program, ...args, typeof options?.input === 'string' ? options.input : '']);
      return home.run(program, args, options);
    };
    const ssh = home.service({ run, platform: 'win32' });
    const made = ssh.generateKey('locked', 'locked', { passphrase: 'secret phrase' });
    await assert.rejects(made, /On Windows .* Run it there and add the key here/);
    assert.deepEqual([calls, await home.service().localKeys()], [[], []], 'nothing was made');
    const key = await ssh.generateKey('gpu_rental', 'gpu_rental');
    assert.deepEqual([key.encrypted, calls.length], [false, 1]);
    assert.ok(key.privateFile);
    // What the terminal runs gives that key its passphrase.
    const { shellPath, shellArgs } = passphraseTerminal(key.privateFile);
    assert.equal(shellPath, 'ssh-keygen.exe');
    execFileSync('ssh-keygen', [...shellArgs, '-P', '', '-N', 'secret phrase']);
    assert.deepEqual((await ssh.localKeys()).map(worksUnattended), [false]);
    assert.equal(takesPassphraseByPipe('win32'), false);
    assert.deepEqual((['linux', 'darwin'] as const).map(takesPassphraseByPipe), [true, true]);
  });
});
