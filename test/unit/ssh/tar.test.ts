import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ByteReader } from '../../../src/ssh/byteReader';
import { readTar, TarError, type TarEntry } from '../../../src/ssh/tar';

const modified = 1_700_000_000;
/** Above the 100 bytes of a header, within them with the prefix of ustar. */
const deep = `${'a'.repeat(60)}/${'b'.repeat(60)}`;
/** Above all that a header holds. */
const deeper = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(60)).join('/');

type Read = TarEntry & { readonly text: string };

/** In pieces of an odd length, so that no block begins with one. */
async function* inPieces(bytes: Buffer, length = 777): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) {
    yield await Promise.resolve(bytes.subarray(at, at + length));
  }
}

async function entriesOf(bytes: Buffer, takesBody = true): Promise<readonly Read[]> {
  const read: Read[] = [];
  await readTar(new ByteReader(inPieces(bytes)), async (entry, content) => {
    const pieces: Buffer[] = [];
    if (takesBody) {
      for await (const piece of content) {
        pieces.push(piece);
      }
    }
    read.push({ ...entry, text: Buffer.concat(pieces).toString('utf8') });
  });
  return read;
}

describe('an archive of tar', () => {
  let root: string;
  const packed = (format: string, ...names: readonly string[]) =>
    execFileSync('tar', [`--format=${format}`, '-C', root, '-cf', '-', ...names], {
      maxBuffer: 10_000_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });

  before(() => {
    root = mkdtempSync(path.join(tmpdir(), 'gr-tar-'));
    const write = (name: string, text: string) => {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
      utimesSync(path.join(root, name), modified, modified);
    };
    write('run.py', 'print(1)\n');
    write('José 机.txt', 'name');
    write('block', 'x'.repeat(512));
    write(deep, 'deep');
    write(deeper, 'deeper');
    mkdirSync(path.join(root, 'empty'));
    symlinkSync('run.py', path.join(root, 'link'));
    linkSync(path.join(root, 'run.py'), path.join(root, 'twin'));
  });
  after(() => {
    rmSync(root, { recursive: true, force: true });
  });

  for (const format of ['v7', 'ustar', 'gnu', 'pax']) {
    it(`in the format ${format} gives what was packed`, async () => {
      const names = ['run.py', 'José 机.txt', 'block', 'empty', 'link', 'twin'];
      const long = format === 'v7' ? [] : format === 'ustar' ? [deep] : [deep, deeper];
      const read = await entriesOf(packed(format, ...names, ...long));
      assert.deepEqual(
        read.map(({ name, kind, size, target, text }) => [name.replace(/\/$/, ''), kind, size, target, text]),
        [
          ['run.py', 'file', 9, '', 'print(1)\n'],
          ['José 机.txt', 'file', 4, '', 'name'],
          ['block', 'file', 512, '', 'x'.repeat(512)],
          ['empty', 'folder', 0, '', ''],
          ['link', 'link', 0, 'run.py', ''],
          ['twin', 'hardLink', 0, 'run.py', ''],
          ...[
            [deep, 'file', 4, '', 'deep'],
            [deeper, 'file', 6, '', 'deeper'],
          ].slice(0, long.length),
        ],
      );
      assert.equal(read[0]?.modified, modified);
    });
  }

  it('is read on where a body was left, and where another archive follows', async () => {
    const both = Buffer.concat([packed('pax', 'block', 'run.py'), packed('gnu', deeper)]);
    const read = await entriesOf(both, false);
    assert.deepEqual(
      read.map(({ name }) => name),
      ['block', 'run.py', deeper],
    );
  });

  it('is refused where it ends early, is none, or was changed on its way', async () => {
    const whole = packed('ustar', 'block');
    for (const [what, bytes] of [
      ['a header that is cut off', whole.subarray(0, 300)],
      ['a file that is cut off', whole.subarray(0, 700)],
      ['another sum', Buffer.concat([Buffer.from('c'), whole.subarray(1)])],
      ['no archive', Buffer.alloc(1024, 'no archive')],
    ] as const) {
      await assert.rejects(entriesOf(bytes), TarError, what);
    }
  });

  it('is refused where an attribute is not as long as it states', async () => {
    const archive = packed('pax', deeper);
    const at = archive.indexOf(' path=');
    for (const length of ['999', '001', '-01', '1.5', ' 99']) {
      archive.write(length, at - length.length, 'latin1');
      await assert.rejects(entriesOf(archive), TarError);
    }
  });

  it('gives no size that is none, and no name without an end', async () => {
    /** The header of a file with other fields, and the sum of them. */
    const header = (fields: Readonly<Record<number, string>>) => {
      const bytes = Buffer.from(packed('ustar', 'block').subarray(0, 512));
      for (const [at, field] of Object.entries(fields)) {
        bytes.write(field, Number(at), 'latin1');
      }
      bytes.fill(' ', 148, 156);
      const sum = bytes.reduce((total, byte) => total + byte, 0);
      bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      return bytes;
    };
    await assert.rejects(entriesOf(header({ 124: '9x\0' })), /gives a size that is none/);
    const endless = header({ 124: '77777777777\0', 156: 'L' });
    await assert.rejects(entriesOf(endless), /name in the archive is too long/);
  });
});
