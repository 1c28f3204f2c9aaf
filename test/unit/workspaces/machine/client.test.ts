import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { SftpClient, SftpError } from '../../../../src/workspaces/machine/client';
import { joinRaw, rawOf } from '../../../../src/workspaces/machine/rawPath';
import { replaceRemote } from '../../../../src/workspaces/machine/replaceRemote';
import { NotSftpError, packet, packetType } from '../../../../src/workspaces/machine/wire';

/** The server of OpenSSH, which needs no login: it speaks on its standard input and output. */
const server = '/usr/lib/openssh/sftp-server';

describe('The SFTP client', () => {
  let folder: string;
  let child: ChildProcessWithoutNullStreams;
  let client: SftpClient;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gpu-sftp-'));
    child = spawn(server);
    const { stdin } = child;
    const one = new SftpClient((bytes) => stdin.write(bytes));
    client = one;
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (piece: Buffer) => {
      one.receive(piece);
    });
    child.on('close', () => {
      one.end(new Error('the server ended'));
    });
    client.hello();
    await client.ready;
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const read = async (path: string) => {
    const pieces: Buffer[] = [];
    for await (const piece of client.read(rawOf(path))) {
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  };

  it('reads what it wrote, for any size around its pieces', async () => {
    for (const size of [0, 1, 32_767, 32_768, 254_999, 255_000, 255_001, 1_100_000, 9_000_000]) {
      const content = randomBytes(size);
      const path = join(folder, `${size}`);
      await client.write(rawOf(path), [content.subarray(0, 7), content.subarray(7)], { mode: 0o640 });
      assert.ok(readFileSync(path).equals(content), `${size} written`);
      assert.equal(lstatSync(path).mode & 0o7777, 0o640);
      assert.ok((await read(path)).equals(content), `${size} read`);
    }
  });

  it('replaces no file that is there', async () => {
    const path = join(folder, 'a');
    writeFileSync(path, 'mine');
    await assert.rejects(client.write(rawOf(path), [Buffer.from('other')], {}), SftpError);
    assert.equal(readFileSync(path, 'utf8'), 'mine');
  });

  it('lists a folder of thousands, with names that are not UTF-8', async () => {
    const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x61, 0xff, 0x0a, 0x62])]);
    writeFileSync(odd, 'x');
    for (let one = 0; one < 3_000; one++) {
      writeFileSync(join(folder, `file ${one} é`), '');
    }
    const names = await client.list(rawOf(folder), 10_000);
    assert.equal(names.length, 3_001);
    assert.equal(new Set(names.map(({ raw }) => raw)).size, 3_001);
    const found = names.find(({ raw }) => raw === 'a\xff\nb');
    assert.equal(found?.attributes.size, 1);
    assert.equal((await client.stat(joinRaw(rawOf(folder), 'a\xff\nb'))).size, 1);
  });

  it('states why it was refused', async () => {
    const path = rawOf(join(folder, 'none'));
    await assert.rejects(client.stat(path), (error: SftpError) => error.kind === 'missing');
    await assert.rejects(client.list(path, 10), (error: SftpError) => error.kind === 'missing');
    await assert.rejects(client.read(path).next(), (error: SftpError) => error.kind === 'missing');
  });

  it('rejects all that waits when the server ends', async () => {
    child.kill('SIGSTOP');
    const open = [client.stat('/'), client.list('/', 10), client.read('/etc/passwd').next()];
    const all = Promise.allSettled(open);
    child.kill('SIGKILL');
    assert.deepEqual(
      (await all).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    await assert.rejects(client.stat('/'), /the server ended/);
  });

  describe('saves a file', () => {
    const save = (path: string, content: string) => replaceRemote(client, rawOf(path), Buffer.from(content));

    it('in one step, with its permissions, through links', async () => {
      const path = join(folder, 'run.sh');
      writeFileSync(path, 'old');
      chmodSync(path, 0o751);
      symlinkSync('run.sh', join(folder, 'link'));
      await save(join(folder, 'link'), 'new');
      assert.equal(readFileSync(path, 'utf8'), 'new');
      assert.equal(lstatSync(path).mode & 0o7777, 0o751);
      assert.ok(lstatSync(join(folder, 'link')).isSymbolicLink());
      assert.deepEqual(readdirSync(folder).sort(), ['link', 'run.sh']);
    });

    it('that is new', async () => {
      assert.equal((await save(join(folder, 'new'), 'abc')).size, 3);
    });

    it('or leaves nothing behind', async () => {
      mkdirSync(join(folder, 'a'));
      await assert.rejects(save(join(folder, 'a'), 'x'), SftpError);
      assert.deepEqual(readdirSync(folder), ['a']);
    });
  });
});

describe('The SFTP client of a hostile server', () => {
  const connected = () => {
    const sent: Uint8Array[] = [];
    const client = new SftpClient((bytes) => sent.push(bytes));
    client.hello();
    client.receive(packet(packetType.version, [3]));
    return { client, sent };
  };

  it('refuses what a start-up file prints, before it waits for more', () => {
    for (const words of [
      'Welcome to the machine\n',
      '\x1b[2J\x1b[H',
      'open terminal failed: not a terminal\n',
    ]) {
      const client = new SftpClient(() => undefined);
      assert.throws(() => client.receive(Buffer.from(words)), NotSftpError);
    }
  });

  it('waits for no names that never arrive', async () => {
    for (const page of [[0], [1, '.', '', 0]]) {
      const { client, sent } = connected();
      const ended: unknown[] = [];
      const listed = client.list('/', 100).finally(() => ended.push(page));
      const refused = assert.rejects(listed, NotSftpError);
      for (let id = 1; id < 100 && ended.length === 0; id++) {
        await new Promise(setImmediate);
        const type = sent[id]?.[4];
        client.receive(
          type === packetType.openFolder
            ? packet(packetType.handle, [id, 'h'])
            : type === packetType.close
              ? packet(packetType.status, [id, 0])
              : packet(packetType.name, [id, ...page]),
        );
        await new Promise(setImmediate);
      }
      client.end(new Error('asked for ever'));
      await refused;
    }
  });

  it('accepts no name that leads elsewhere', async () => {
    for (const raw of ['../x', 'a/b', '', '/etc/passwd', 'a\0b']) {
      const { client } = connected();
      const list = client.list('/', 10);
      await client.ready;
      client.receive(packet(packetType.handle, [1, 'h']));
      await new Promise(setImmediate);
      for (let id = 2; id < 10; id++) {
        client.receive(packet(packetType.name, [id, 1, raw, '', { attributes: {} }]));
      }
      client.end(new Error('over'));
      await assert.rejects(list, NotSftpError);
    }
  });

  it('settles all that was asked, for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 60 }).map((one) => Buffer.from(one)),
            fc
              .tuple(
                fc.constantFrom(101, 102, 103, 104, 105, 201),
                fc.integer({ min: 0, max: 9 }),
                fc.uint8Array({ maxLength: 40 }),
              )
              .map(([type, id, body]) => packet(type, [id, ...Array.from(body)])),
          ),
          { maxLength: 12 },
        ),
        async (pieces) => {
          const { client } = connected();
          await client.ready;
          const work = [
            client.list('/', 100),
            client.read('/a').next(),
            client.stat('/b'),
            client.freeBytes('/'),
          ];
          const settled = Promise.allSettled(work);
          try {
            for (const piece of pieces) {
              client.receive(piece);
              await Promise.resolve();
            }
          } catch (error) {
            assert.ok(error instanceof NotSftpError, String(error));
          }
          client.end(new Error('over'));
          await settled;
        },
      ),
    );
  });
});
