import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { channel } from '../../../../src/shared/channel';
import { Claims } from '../../../../src/store/windows/claims';
import { hubAddress, hubToken } from '../../../../src/store/windows/hubAddress';
import { HubListeners } from '../../../../src/store/windows/hubListeners';
import { addressInTerm, HubTerms } from '../../../../src/store/windows/hubTerms';
import { HubLine, type HubMessage } from '../../../../src/store/windows/hubWire';
import { reviveError, sharedError, shareError } from '../../../../src/store/windows/sharedError';
import { UserError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { text } from '../../../../src/util/text';
import { until } from '../../../support/until';

describe('The address of the windows', () => {
  it('is a pipe on Windows, an abstract name on Linux, and a file elsewhere', () => {
    const on = (platform: NodeJS.Platform) => hubAddress('/storage', 'token', platform);
    assert.match(on('win32').path, /^\\\\\.\\pipe\\gpurental-[0-9a-f]{20}$/);
    assert.ok(on('linux').path.startsWith('\0gpurental-'));
    assert.match(on('darwin').path, /gpur-[0-9a-f]{20}\.sock$/);
    assert.deepEqual(
      (['win32', 'linux', 'darwin'] as const).map((platform) => on(platform).isFile),
      [false, false, true],
    );
  });

  it('is another one in each term but the first', () => {
    const address = { path: '/run/hub.sock', isFile: true };
    assert.equal(addressInTerm(address, 0), address);
    assert.deepEqual(addressInTerm(address, 2), { path: '/run/hub.sock-2', isFile: true });
  });
});

describe('The files of the windows', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gpu-rental-hub-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('count the terms, however many windows end the same one', async () => {
    const terms = new HubTerms(dir);
    assert.equal(await terms.read(), 0);
    await Promise.all([terms.end(0), terms.end(0), new HubTerms(dir).end(0)]);
    assert.equal(await terms.read(), 1);
    await terms.end(1);
    assert.deepEqual(await readdir(join(dir, 'windows.terms')), ['2']);
    await terms.end(0);
    assert.equal(await terms.read(), 2);
    await writeFile(join(dir, 'windows.terms', '99.tmp'), '');
    assert.equal(await terms.read(), 2);
  });

  it('can be read by no other user, nor can their folders', async () => {
    const storage = join(dir, 'storage');
    await hubToken(storage);
    await new HubTerms(join(dir, 'other')).end(0);
    await new Claims(join(dir, 'claims')).claim('key');
    const modes = async (...names: readonly string[]) => {
      const paths = names.map((_, index) => join(dir, ...names.slice(0, index + 1)));
      const [file = ''] = await readdir(paths.at(-1) ?? '');
      const found = [...paths, join(paths.at(-1) ?? '', file)].map(async (path) => (await stat(path)).mode);
      return (await Promise.all(found)).map((mode) => (mode & 0o777).toString(8));
    };
    assert.deepEqual(
      [await modes('storage'), await modes('other', 'windows.terms'), await modes('claims')],
      [
        ['700', '600'],
        ['700', '700', '600'],
        ['700', '600'],
      ],
    );
  });

  it('are not counted where the disk refuses', async () => {
    await writeFile(join(dir, 'windows.terms'), 'no folder');
    await assert.rejects(new HubTerms(dir).end(0));
    await assert.rejects(new HubTerms(dir).read());
  });

  it('have another token in place of a damaged one', async () => {
    await writeFile(join(dir, 'windows.token'), 'torn');
    const token = await hubToken(dir);
    assert.match(token, /^[0-9a-f]{64}$/);
    assert.equal(await hubToken(dir), token);
    assert.deepEqual(await readdir(dir), ['windows.token']);
  });
});

describe('A message between windows', () => {
  it('reaches all listeners though one fails, which is logged', () => {
    const received: string[] = [];
    const log = {
      ...silentLog,
      warn: (line: string) => void received.push(line),
      error: (line: string, error: unknown) => void received.push(`${line}: ${String(error)}`),
    };
    const listeners = new HubListeners(log);
    const heard: string[] = [];
    const first = listeners.on('topic', () => {
      throw new Error('broken');
    });
    const shaped = channel('topic', z.object({ id: z.number() }));
    shaped.on({ on: (topic, listener) => listeners.on(topic, listener) }, ({ id }) => heard.push(String(id)));
    listeners.on('topic', (data) => heard.push(JSON.stringify(data)));
    listeners.deliver('topic', { id: 7 });
    assert.deepEqual(heard.splice(0), ['7', '{"id":7}']);
    assert.deepEqual(received.splice(0), ['A listener of topic failed: Error: broken']);
    first.dispose();
    listeners.deliver('topic', 'x');
    listeners.deliver('other', 'x');
    assert.deepEqual(heard.splice(0), ['"x"']);
    assert.match(received.join(), /^A message on topic was not understood/);
    listeners.dispose();
    listeners.deliver('topic', { id: 7 });
    assert.deepEqual(heard, []);
  });

  it('has the words and the next step of a failure elsewhere', () => {
    const shared = shareError(new UserError(text('No route'), { nextStep: 'retry' }));
    const revived = reviveError(shared);
    assert.deepEqual([revived.message, revived.nextStep], ['No route', 'retry']);
    assert.equal(reviveError(shareError(new Error('key=secret'))).nextStep, 'showLog');
    assert.doesNotMatch(reviveError(shareError(new Error('key=secret'))).message, /secret/);
    assert.equal(sharedError.parse({ ...shared, nextStep: 'of another version' }).nextStep, 'none');
    assert.equal(sharedError.parse(shared).nextStep, 'retry');
  });
});

describe('A line between windows', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    sockets.splice(0).forEach((socket) => socket.destroy());
  });

  async function pair() {
    const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
    socket.on('error', () => undefined);
    await until('it is connected', () => sockets.length === 1, { everyMs: 2 });
    server.close();
    const heard: HubMessage[] = [];
    const [there] = sockets;
    assert.ok(there);
    sockets.push(socket);
    return { line: new HubLine(there, (message) => heard.push(message)), there, socket, heard };
  }
  const say = (data: string) => `${JSON.stringify({ t: 'say', topic: 'a', data })}\n`;
  /** A message of so many bytes without its line end. */
  const ofLength = (bytes: number) => say('x'.repeat(bytes + 1 - say('').length));

  it('accepts no more than 2 KB from a socket that has not proved anything yet', async () => {
    const { there, socket, heard } = await pair();
    socket.write(ofLength(2048));
    await until('it is heard', () => heard.length === 1, { everyMs: 2 });
    socket.write(ofLength(2049));
    await until('the line is closed', () => there.destroyed, { everyMs: 2 });
    assert.equal(heard.length, 1);
  });

  it('accepts as much as is trusted, and is closed by anything else than a message', async () => {
    const { line, there, socket, heard } = await pair();
    line.trust(5000);
    socket.write(ofLength(5000));
    await until('it is heard', () => heard.length === 1, { everyMs: 2 });
    socket.write(`{"t":"shout"}\n${say('late')}`);
    await until('the line is closed', () => there.destroyed, { everyMs: 2 });
    assert.equal(heard.length, 1, 'what comes after it is not heard');
    line.send({ t: 'beat' });
  });

  it('ends for both sides', async () => {
    const { line, socket } = await pair();
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    line.end();
    await closed;
  });
});
