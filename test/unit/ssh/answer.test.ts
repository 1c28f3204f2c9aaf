import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { ScriptAnswer, InputTakenError } from '../../../src/ssh/answer';

describe('The answer of a script', () => {
  const first = 'a1a1a1a1a1a1';
  const second = 'b2b2b2b2b2b2';
  const mark = first + second;
  const plain = { code: 0, stdout: '', stderr: '', timedOut: false };
  /** What resembles marks and is none: the command and the input, which start-up files may repeat. */
  const lookalikes = ['<', '>', `>${first}`, `${first} ${second}`, `${second}${first}:`, 'gpu-rental', '>0.'];
  const noise = fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...lookalikes, '\n')), { maxLength: 6 })
    .map((parts) => parts.join(''))
    .filter((said) => !said.includes(mark));
  const content = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom(...lookalikes).map((one) => Buffer.from(one)),
      ),
    )
    .map((parts) => Buffer.concat(parts))
    .filter((said) => !said.includes(mark));
  const cut = (bytes: Buffer, sizes: readonly number[]) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 0) {
      pieces.push(bytes.subarray(at, at + (sizes[pieces.length % sizes.length] ?? 7)));
    }
    return pieces;
  };
  const heard = (answer: ScriptAnswer, bytes: Buffer, sizes: readonly number[]) => {
    const own = cut(bytes, sizes).map((piece) => answer.receive(piece));
    return Buffer.concat([...own, answer.rest()]);
  };

  it('is the text between its marks, byte by byte, for any pieces and any text around it', () => {
    fc.assert(
      fc.property(
        noise,
        content,
        fc.integer({ min: 0, max: 255 }),
        noise,
        fc.array(fc.integer({ min: 1, max: 30 })),
        (before, own, code, after, sizes) => {
          const answer = new ScriptAnswer(false, [first, second]);
          const bytes = Buffer.concat([
            Buffer.from(`${before}${mark}<`),
            own,
            Buffer.from(`>${mark} ${code}.${after}`),
          ]);
          assert.deepEqual(heard(answer, bytes, sizes), own);
          assert.equal(answer.isWhole, true);
          // ssh itself ends otherwise where something else holds its pipes.
          assert.equal(answer.resultOf({ ...plain, code: null }).code, code);
        },
      ),
    );
  });

  it('proves nothing without its end: neither a good end, nor that nothing ran', () => {
    fc.assert(
      fc.property(noise, content, fc.constantFrom(0, 1, 255, null), fc.nat(), (before, own, code, at) => {
        const answer = new ScriptAnswer(false, [first, second]);
        const whole = Buffer.concat([Buffer.from(`${before}${mark}<`), own, Buffer.from(`>${mark} 0.`)]);
        const part = whole.subarray(0, at % whole.length);
        const given = heard(answer, part, [7]);
        const result = answer.resultOf({ ...plain, code });
        assert.equal(answer.isWhole, false);
        assert.notEqual(result.code, 0);
        // At most its own bytes, and the beginning of the mark that follows them.
        assert.ok(
          Buffer.concat([own, Buffer.from(`>${mark} 0`)])
            .subarray(0, given.length)
            .equals(given),
        );
      }),
    );
  });

  it('reports that the script was received, and the words of a shell that never began it', () => {
    const taken = new ScriptAnswer(false, [first, second]);
    taken.receive(Buffer.from(`hello${mark}<>${mark} lost.`));
    assert.throws(() => taken.resultOf(plain), InputTakenError);
    const ended = new ScriptAnswer(false, [first, second]);
    ended.receive(Buffer.from('Your account has expired.\n'));
    const { code, stderr } = ended.resultOf({ ...plain, code: 1 });
    assert.deepEqual([code, stderr], [1, 'Your account has expired.\n']);
  });

  it('sends each script as one line, after lines for a question that is asked before', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string(), (script, rest) => {
        fc.pre(!script.includes('\0'));
        const input = new ScriptAnswer(false, [first, second]).input(script, rest);
        assert.ok(typeof input === 'string');
        const [, line = '', after] = /^\n+([^\n]+)\n([^]*)$/.exec(input) ?? [];
        const [, sent = ''] = /^[^:]+:([^]*):[^:]+$/.exec(line) ?? [];
        assert.equal(
          sent.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one)),
          script,
        );
        assert.equal(after, rest);
      }),
    );
  });
});
