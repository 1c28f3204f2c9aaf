import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import {
  Client,
  utils,
  type ClientChannel,
  type FileEntryWithStats,
  type SFTPWrapper,
  type Stats,
} from 'ssh2';
import { newHostKey } from '../../../../src/simulator/login/machineDir';
import { eventually, rentRunning } from '../../../support/rentRunning';
import { startTestSimulator, type TestSimulator } from '../../../support/startSimulator';

describe('The SSH protocol of a machine', () => {
  const privateKey = newHostKey('me@home');
  let simulator: TestSimulator;
  let client: Client;
  let home: string;

  before(async () => {
    simulator = await startTestSimulator({ sshServer: true, speed: 2000 });
    const parsed = utils.parseKey(privateKey);
    assert.ok(!(parsed instanceof Error));
    const publicKey = `ssh-ed25519 ${parsed.getPublicSSH().toString('base64')} me@home`;
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: publicKey });
    const id = await rentRunning(simulator, { runtype: 'ssh' });
    client = new Client();
    await new Promise((resolve, reject) => {
      client.once('ready', () => resolve(undefined));
      client.once('error', reject);
      const port = simulator.world.instance(id)?.proxyPort ?? 0;
      client.connect({ host: '127.0.0.1', port, username: 'root', privateKey });
    });
    home = (await output(await exec('pwd'))).trim();
  });

  after(async () => {
    client.end();
    await simulator.close();
  });

  const exec = (command: string, options = {}) =>
    new Promise<ClientChannel>((resolve, reject) => {
      client.exec(command, options, (error, channel) => (error ? reject(error) : resolve(channel)));
    });

  /** The standard output of a command until it ends; `ended` is how it ended. */
  async function output(channel: ClientChannel, ended: unknown[] = []): Promise<string> {
    let text = '';
    channel.on('data', (part: Buffer) => (text += part.toString('utf8')));
    channel.on('exit', (...how: unknown[]) => ended.push(...how));
    channel.resume();
    await new Promise((resolve) => channel.once('close', resolve));
    return text;
  }

  it('passes on the language, and no other variable of the client', async () => {
    const channel = await exec('echo "$LC_PAPER,$BASH_ENV,$SSH_ORIGINAL_COMMAND"', {
      env: { LC_PAPER: 'de_DE', BASH_ENV: '/x' },
    });
    assert.equal(await output(channel), 'de_DE,,\n');
  });

  it('gives a command a terminal whose size follows the window', async () => {
    const channel = await exec('stty size; read line; stty size; echo "$TERM"', {
      pty: { rows: 20, cols: 70, term: 'vt100' },
    });
    let text = '';
    channel.on('data', (part: Buffer) => (text += part.toString('utf8')));
    const closed = new Promise((resolve) => channel.once('close', resolve));
    await eventually(() => text.includes('20 70'));
    // The size arrives apart from the input; asked for until it is there.
    channel.setWindow(41, 111, 0, 0);
    channel.write('go\n');
    await closed;
    assert.match(text, /41 111/);
    assert.match(text, /vt100/);
  });

  it('reports by which signal a command ended', async () => {
    const ended: unknown[] = [];
    await output(await exec('kill -TERM $$'), ended);
    assert.ok(ended.includes('TERM') || ended.includes('SIGTERM'), JSON.stringify(ended));
  });

  it('forwards to a socket file', async () => {
    const file = path.join(home, 'echo.sock');
    const echo = createServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(file, resolve));
    const channel = await new Promise<ClientChannel>((resolve, reject) => {
      client.openssh_forwardOutStreamLocal(file, (error, opened) =>
        error ? reject(error) : resolve(opened),
      );
    });
    channel.write('hello');
    const back = await new Promise((resolve) =>
      channel.once('data', (data: Buffer) => resolve(data.toString())),
    );
    assert.equal(back, 'hello');
    channel.end();
    echo.close();
    await assert.rejects(
      new Promise((resolve, reject) => {
        client.forwardOut('127.0.0.1', 1, '127.0.0.1', 1, (error) => (error ? reject(error) : resolve(null)));
      }),
    );
  });

  it('ends a forwarding that leads to itself', async () => {
    let made = 0;
    const server = createServer((socket) => {
      made += 1;
      socket.on('error', () => undefined);
      const { port } = server.address() as AddressInfo;
      client.forwardOut('127.0.0.1', 1, '127.0.0.1', port, (error, channel) => {
        if (error) {
          socket.destroy();
        } else {
          socket.once('close', () => channel.end());
          channel.once('close', () => socket.destroy());
          channel.pipe(socket).pipe(channel);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    await new Promise((resolve) => server.close(resolve));
    assert.ok(made <= 101, String(made));
  });

  it('cancels a forwarding', async () => {
    const port = await new Promise<number>((resolve, reject) => {
      client.forwardIn('127.0.0.1', 0, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    const reached = new Promise<void>((resolve) => {
      client.once('tcp connection', (_info, accept) => {
        accept().end('from here');
        resolve();
      });
    });
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => undefined);
    await reached;
    socket.destroy();
    await new Promise<void>((resolve, reject) => {
      client.unforwardIn('127.0.0.1', port, (error) => (error ? reject(error) : resolve()));
    });
    await eventually(
      () =>
        new Promise((resolve) => {
          const again = connect({ host: '127.0.0.1', port });
          again.once('connect', () => {
            again.destroy();
            resolve(false);
          });
          again.once('error', () => resolve(true));
        }),
    );
  });

  it('serves links, attributes, appending and errors over sftp', async () => {
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
      client.sftp((error, opened) => (error ? reject(error) : resolve(opened)));
    });
    const at = (name: string) => `${home}/workspace/${name}`;
    const call = <T = unknown>(start: (done: (error?: Error | null, value?: T) => void) => void) =>
      new Promise<T>((resolve, reject) => {
        start((error, value) => {
          if (error) {
            reject(error);
          } else {
            // Calls without a value are awaited for their end alone.
            resolve(value as T);
          }
        });
      });
    await call((done) => sftp.writeFile(at('a'), 'one', done));
    await call((done) => sftp.appendFile(at('a'), '+two', done));
    assert.equal(readFileSync(at('a'), 'utf8'), 'one+two');
    await call((done) => sftp.symlink('a', at('link'), done));
    assert.equal(await call<string>((done) => sftp.readlink(at('link'), done)), 'a');
    assert.equal((await call<Stats>((done) => sftp.lstat(at('link'), done))).isSymbolicLink(), true);
    assert.equal((await call<Stats>((done) => sftp.stat(at('link'), done))).size, 7);
    await call((done) => sftp.chmod(at('a'), 0o600, done));
    await call((done) => sftp.utimes(at('a'), 1_700_000_000, 1_700_000_001, done));
    await call((done) => sftp.setstat(at('a'), { size: 3 }, done));
    const stats = await call<Stats>((done) => sftp.stat(at('a'), done));
    assert.deepEqual([stats.mode & 0o777, stats.size], [0o600, 3]);
    await call((done) => sftp.mkdir(at('d'), done));
    const entries = await call<FileEntryWithStats[]>((done) => sftp.readdir(`${home}/workspace`, done));
    const names = entries.map((entry) => entry.filename).filter((name) => !name.startsWith('.'));
    assert.deepEqual(names.sort(), ['a', 'd', 'link']);
    assert.equal(await call<string>((done) => sftp.realpath('workspace/../workspace/a', done)), at('a'));
    await assert.rejects(
      call((done) => sftp.readdir(at('nowhere'), done)),
      /No such file|ENOENT/i,
    );
    await assert.rejects(call((done) => sftp.rmdir(at('a'), done)));
    await assert.rejects(call((done) => sftp.mkdir(at('d'), done)));
    await call((done) => sftp.unlink(at('link'), done));
    await call((done) => sftp.unlink(at('a'), done));
    await call((done) => sftp.rmdir(at('d'), done));
    sftp.end();
  });

  it('refuses an unknown key, of another kind too', async () => {
    const { privateKey: foreign } = generateKeyPairSync('rsa', {
      modulusLength: 1024,
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    const port = simulator.world.instances[0]?.proxyPort ?? 0;
    const stranger = new Client();
    await assert.rejects(
      new Promise((resolve, reject) => {
        stranger.once('ready', () => resolve(undefined));
        stranger.once('error', reject);
        stranger.connect({
          host: '127.0.0.1',
          port,
          username: 'root',
          privateKey: foreign,
          password: 'root',
        });
      }),
      /authentication/i,
    );
    stranger.end();
  });
});
