import assert from 'node:assert/strict';
import { ByteReader } from '../../../../src/ssh/byteReader';
import { EndedError, ints, RsyncReader, withoutMessages } from '../../../../src/ssh/rsync/wire';
import { TransferError } from '../../../../src/ssh/transfer';

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}
const readerOf = (...parts: readonly Buffer[]) => new ByteReader(only(Buffer.concat(parts)));
/** A piece of the stream with its kind: 0 is data. */
const piece = (kind: number, text: string) =>
  Buffer.concat([ints(((kind + 7) << 24) | Buffer.byteLength(text)), Buffer.from(text)]);

describe('The stream of a host', () => {
  async function split(...parts: readonly Buffer[]) {
    const messages: string[] = [];
    const data: Buffer[] = [];
    for await (const one of withoutMessages(readerOf(...parts), (said) => messages.push(said))) {
      data.push(one);
    }
    return { data: Buffer.concat(data).toString(), messages };
  }

  it('is data with messages in between, and only the readable ones are shown', async () => {
    const parts = [piece(0, 'ab'), piece(1, 'an error'), piece(0, 'c'), piece(4, 'a note'), piece(5, 'x')];
    assert.deepEqual(await split(...parts), { data: 'abc', messages: ['an error', 'a note'] });
    assert.deepEqual(await split(piece(0, 'a'), Buffer.alloc(3)), { data: 'a', messages: [] });
  });

  it('shows what is safe to show, and not too much', async () => {
    const { messages } = await split(piece(2, 'x'.repeat(2001)), piece(3, 'a\u001b[31mb'));
    assert.match(messages[0] ?? '', /^x{400}…$/);
    assert.doesNotMatch(messages[1] ?? '', /\u001b/);
  });

  it('is none where a piece has an impossible kind', async () => {
    await assert.rejects(split(ints((6 << 24) | 1), Buffer.from('a')), /no copy/);
  });

  it('has numbers with the low byte first, and large sizes in eight bytes', async () => {
    const reader = new RsyncReader(
      readerOf(Buffer.from([7, 0x34, 0x12]), ints(-2, -1, 5, -1, 5, 1), Buffer.from('text')),
    );
    assert.deepEqual([await reader.byte(), await reader.short(), await reader.int()], [7, 0x1234, -2]);
    assert.equal(await reader.time(), 0xff_ff_ff_ff);
    assert.deepEqual([await reader.long(), await reader.long()], [5, 2 ** 32 + 5]);
    assert.equal((await reader.some(3)).toString(), 'tex');
    assert.equal((await reader.some(3)).toString(), 't');
    await assert.rejects(reader.some(1), EndedError);
    await assert.rejects(reader.byte(), EndedError);
  });

  it('is refused where it names an impossible size', async () => {
    for (const bytes of [ints(-2), ints(-1, 0, -1), ints(-1, 0, 2 ** 21)]) {
      await assert.rejects(new RsyncReader(readerOf(bytes)).long(), TransferError);
    }
    assert.equal(await new RsyncReader(readerOf(ints(0))).long(), 0);
  });
});
