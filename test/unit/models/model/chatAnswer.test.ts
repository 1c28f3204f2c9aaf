import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChatAnswerError, ChatAnswerReader, type AnswerPart } from '../../../../src/models/model/chatAnswer';
import { sized, testSeed } from '../../../support/seeded';

function read(pieces: readonly (string | Buffer)[], hasTools = true): readonly AnswerPart[] {
  const parts: AnswerPart[] = [];
  const reader = new ChatAnswerReader((part) => parts.push(part), hasTools);
  for (const piece of pieces) {
    reader.receive(Buffer.from(piece));
  }
  reader.end();
  return parts;
}

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const stop = event({}, 'stop');
const done = 'data: [DONE]\n\n';
const call = (index: number, id: string | undefined, args: string, name?: string) =>
  event({
    tool_calls: [{ index, ...(id === undefined ? {} : { id }), function: { name, arguments: args } }],
  });

describe('an answer of a model', () => {
  it('is read however its bytes are cut', () => {
    const whole = Buffer.from(
      event({ role: 'assistant', content: null }) + event({ content: 'Grüße 🙂' }) + stop + done,
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(whole.length - 1)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        assert.deepEqual(read(pieces), [{ kind: 'text', text: 'Grüße 🙂' }]);
      }),
      { numRuns: sized(100, 5000), seed: testSeed },
    );
  });

  it('has thoughts by both names, and the use of tokens', () => {
    const usage =
      'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}}\r\n\r\n';
    const parts = read([
      event({ reasoning: 'a' }),
      event({ reasoning_content: 'b' }),
      event({ content: 'c' }),
      stop,
      usage,
      done,
    ]);
    assert.deepEqual(parts, [
      { kind: 'thinking', text: 'a' },
      { kind: 'thinking', text: 'b' },
      { kind: 'text', text: 'c' },
      { kind: 'usage', promptTokens: 7, outputTokens: 5 },
    ]);
  });

  it('has each call once it is whole, in the order of the engine', () => {
    const parts = read([
      call(0, 'a', '', 'one'),
      call(1, 'b', '', 'two'),
      call(0, undefined, '{"x":'),
      call(1, undefined, ''),
      call(0, undefined, '1}'),
      event({}, 'tool_calls'),
      done,
    ]);
    assert.deepEqual(parts, [
      { kind: 'call', id: 'a', name: 'one', input: { x: 1 } },
      { kind: 'call', id: 'b', name: 'two', input: {} },
    ]);
  });

  const refused = (pieces: readonly string[], sentence: RegExp) => {
    assert.throws(
      () => read(pieces),
      (error) => error instanceof ChatAnswerError && sentence.test(error.message),
    );
  };

  it('gives one sentence in place of anything else', () => {
    refused([], /broke off/);
    refused([event({ content: 'a' })], /broke off/);
    refused(['data: {"choices":[\n\n'], /no answer/);
    refused(['data: <html>\n\n'], /no answer/);
    for (const odd of ['null', '[]', '7', '"x"', '{"choices":7}', '{"choices":[7]}']) {
      refused([`data: ${odd}\n\n`], /no answer/);
    }
    refused([event({ content: { deep: 1 } })], /no answer/);
    refused([event({ tool_calls: [null] })], /no answer/);
    refused([`data: ${'['.repeat(10_000)}\n\n`], /no answer/);
    refused([stop, done], /empty answer/);
    refused([event({ content: ' \n' }), stop, done], /empty answer/);
    refused([event({ reasoning: 'a' }), event({}, 'length'), done], /used all its tokens to think/);
    refused([call(0, 'a', '{"x":', 'one'), stop, done], /tool one with arguments that are no JSON/);
    refused([call(0, 'a', '[1]', 'one'), stop, done], /arguments that are no JSON/);
    refused([call(0, 'a', '{}'), stop, done], /arguments that are no JSON/);
    refused([event({ content: 'a<tool' }), event({ content: '_call>{}' }), stop, done], /tool parser/);
    refused(['data: {"error":{"message":"EngineCore failed"}}\n\n'], /no answer: EngineCore failed/);
    refused(['data: {"error":7}\n\n'], /gave no answer\.$/);
  });

  it('ends a line, an answer and arguments that have no end', () => {
    const long = 'A'.repeat(1_000_000);
    refused(
      Array.from({ length: 6 }, () => long),
      /no end/,
    );
    refused(
      Array.from({ length: 40 }, () => event({ content: long })),
      /no end/,
    );
    refused([call(0, 'a', long, 'one'), call(0, 'a', long)], /no end/);
    refused(
      Array.from({ length: 130 }, (_, index) => call(index, `${index}`, '', 'one')),
      /no end/,
    );
  });

  it('reads comments and other fields as no event', () => {
    const parts: AnswerPart[] = [];
    const reader = new ChatAnswerReader((part) => parts.push(part), false);
    assert.equal(reader.receive(Buffer.from(': ping\nevent: x\nid: 7\nretry: 1\n\n')), false);
    assert.equal(reader.receive(Buffer.from(event({ content: 'a' }))), true);
    assert.deepEqual(parts, [{ kind: 'text', text: 'a' }]);
  });
});
