import assert from 'node:assert/strict';
import { ByteReader } from '../../../src/ssh/byteReader';
import { readTar, TarError, type TarEntry } from '../../../src/ssh/tar';

/** The header of a file whose size or time are written as given. */
function header({ size = '0', time = '0' }: { size?: string | Buffer; time?: string | Buffer }): Buffer {
  const block = Buffer.alloc(512);
  block.write('file', 0);
  block.write('0000644\0', 100);
  for (const [field, at] of [
    [size, 124],
    [time, 136],
  ] as const) {
    if (typeof field === 'string') {
      block.write(field, at);
    } else {
      field.copy(block, at);
    }
  }
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A number as GNU writes what is too large for octal digits. */
function binary(value: bigint): Buffer {
  const field = Buffer.alloc(12);
  field[0] = 0x80;
  field.writeBigUInt64BE(value, 4);
  return field;
}

async function only(...parts: readonly Buffer[]): Promise<readonly TarEntry[]> {
  async function* bytes() {
    yield await Promise.resolve(Buffer.concat(parts));
  }
  const entries: TarEntry[] = [];
  await readTar(new ByteReader(bytes()), (entry) => {
    entries.push(entry);
    return Promise.resolve();
  });
  return entries;
}

describe('an archive with numbers that octal digits can not hold', () => {
  it('has them in binary', async () => {
    const content = Buffer.alloc(512, 'x');
    const [entry, ...more] = await only(
      header({ size: binary(258n), time: binary(2n ** 34n + 3n) }),
      content,
    );
    assert.deepEqual([entry?.size, entry?.modified, entry?.kind], [258, 2 ** 34 + 3, 'file']);
    assert.deepEqual(more, []);
  });

  it('is refused where one is too large for any file, or is none', async () => {
    await assert.rejects(only(header({ size: binary(2n ** 60n) })), TarError);
    await assert.rejects(only(header({ size: '89' })), TarError);
  });

  it('has blanks and nothing for zero', async () => {
    assert.deepEqual(
      (await only(header({ size: ' ', time: '' }), header({ size: ' 0 ', time: '17' }))).map(
        ({ size, modified }) => [size, modified],
      ),
      [
        [0, 0],
        [0, 15],
      ],
    );
  });
});
