import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { requestQuestion } from '../../../../../src/agents/ui/requests/requestText';
import { hostileText } from '../../../../support/hostileText';
import { only } from '../../../../support/only';

describe('The question about a command of an agent', () => {
  const commandShown = (command: string) => {
    const request = { tool: 'run_command', command, caller: { name: 'the chat', door: 'chat' } };
    const question = requestQuestion({
      request: only(request),
      account: 'me',
      instance: 'trainer',
      now: 0,
    });
    return (question?.detail ?? '').split('\n').slice(1, -2);
  };

  it('counts what it leaves out of a command with many lines, whose end would be off the screen', () => {
    const begin = Array.from({ length: 16 }, (_, at) => `echo ${at}`);
    assert.deepEqual(
      commandShown(begin.join('\n')),
      begin.map((line) => `│ ${line}`),
    );
    const end = `${'\n'.repeat(400)}rm -rf /`;
    assert.deepEqual(commandShown(begin.join('\n') + end), [
      ...begin.map((line) => `│ ${line}`),
      '… and more characters that are not shown here: 407',
    ]);
  });

  it('marks each row of it, also where a long line would go on in the next one', () => {
    const command = `echo hi${' '.repeat(200)}Account: mine\r\nOn an instance that an agent rented\t$(id)\u200b`;
    const rows = commandShown(command);
    assert.ok(rows.length > 4);
    assert.deepEqual(rows.slice(-1), ['│ On an instance that an agent rented    $(id)\\u{200b}']);
    assert.ok(rows.some((row) => row.startsWith('┊ ') && row.includes('Account: mine\\u{d}')));
  });

  it('shows all of a command, or how much is left out, and has no row without its mark', () => {
    const command = fc.oneof(
      hostileText,
      fc.stringMatching(/^[ -~\n\t\r\u00e9\u6f22\u2028\u202e]{0,1500}$/),
      fc
        .tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(200))
        .map(([one, times]) => one.repeat(times)),
    );
    fc.assert(
      fc.property(command, (text) => {
        const rows = commandShown(text);
        const last = rows.at(-1) ?? '';
        const [, left] = /^… and more characters that are not shown here: (\d+)$/.exec(last) ?? [];
        const marked = left === undefined ? rows : rows.slice(0, -1);
        for (const row of marked) {
          assert.match(row, /^[│┊] [^\p{C}\p{Zl}\p{Zp}]{0,60}$/u);
        }
        const drawn = marked
          .map((row, at) => `${row.startsWith('│') && at > 0 ? '\n' : ''}${row.slice(2)}`)
          .join('')
          .replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
        const whole = text
          .replaceAll('\t', '    ')
          .replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
        if (left === undefined) {
          assert.equal(drawn, whole);
        } else {
          assert.ok(whole.startsWith(drawn) && Number(left) > 0);
        }
      }),
    );
  });
});

describe('The question about a rental of an agent', () => {
  const asked = (quote: object) => {
    const commitment = { perHour: 400_000, stoppedPerHour: 0, from: 0, until: 3_600_000 };
    const common = { offer: { gpuCount: 1, gpuName: 'RTX 4090' }, hours: 1, then: 'destroy', diskGb: 16 };
    const question = requestQuestion({
      request: only({
        ...{ tool: 'request_rental', caller: { name: 'claude', door: 'mcp' }, commitment },
        quote: { ...common, perHour: 400_000, total: 400_000, ...quote },
      }),
      account: 'me',
      instance: undefined,
      now: 0,
    });
    return (question?.detail ?? '').split('\n');
  };

  it('names the image of a template, and shows that a stranger wrote it and what starts by itself', () => {
    const template = { image: 'evil/pytorch:latest', isOfStranger: true, hasStartScript: true };
    const lines = asked({ what: 'PyTorch', template });
    assert.ok(lines.includes('Template: “PyTorch”, image “evil/pytorch:latest”'), lines.join('\n'));
    assert.ok(lines.includes('The template is from another user.'));
    assert.ok(lines.includes('Its on-start script runs on the instance.'));
    const own = asked({ what: 'PyTorch', template: { ...template, isOfStranger: false } });
    assert.ok(!own.some((line) => /another user|on-start/.test(line)));
  });
});

describe('Each question for an agent', () => {
  const commitment = { perHour: 400_000, stoppedPerHour: 0, from: 0, until: 3_600_000 };

  /** The lines that a user reads, with every text of a stranger in its place. */
  function linesOf(tool: string, more: object, strange: string): readonly string[] {
    const offer = { gpuCount: 1, gpuName: strange, location: strange };
    const template = { image: strange, isOfStranger: true, hasStartScript: true };
    const prices = { perHour: 400_000, stoppedPerHour: 0, total: 400_000, hours: 1, diskGb: 16 };
    const question = requestQuestion({
      request: only({
        ...{ tool, caller: { name: strange, door: 'mcp' }, commitment, at: 0, endsAt: 3_600_000 },
        ...{ then: 'stop', reason: strange, command: 'ls' },
        quote: { ...prices, offer, what: strange, template, then: 'destroy' },
        ...more,
      }),
      account: 'me',
      instance: strange,
      now: 0,
    });
    assert.ok(question);
    assert.doesNotMatch(question.button, /STRANGE/);
    return [question.message, ...(question.detail ?? '').split('\n')];
  }

  for (const [tool, more] of [
    ['request_rental', {}],
    ['change_state', { to: 'running' }],
    ['change_state', { to: 'stopped' }],
    ['set_schedule', {}],
    ['destroy_instance', {}],
    ['run_command', {}],
  ] as const) {
    it(`has the same text around the words of strangers, which are in quotation marks alone: ${tool} ${JSON.stringify(more)}`, () => {
      const frame = (lines: readonly string[]) => lines.map((line) => line.replace(/“[^”]*”/g, '“”'));
      const expected = frame(linesOf(tool, more, 'x'));
      assert.ok(!expected.some((line) => line.includes('x”')));
      const attack = 'STRANGE” (verified)?\nAccount: yours\r\u2028Costs nothing “';
      fc.assert(
        fc.property(fc.oneof(hostileText, fc.constant(attack)), (strange) => {
          assert.deepEqual(frame(linesOf(tool, more, strange)), expected);
        }),
      );
    });
  }

  it('distinguishes the chat of the editor from a client with the same name', () => {
    const [own] = linesOf('destroy_instance', { caller: { name: 'the chat', door: 'chat' } }, 'x');
    const [other] = linesOf('destroy_instance', { caller: { name: 'the chat', door: 'mcp' } }, 'x');
    assert.equal(own, 'Destroy “x” for the chat?');
    assert.equal(other, 'Destroy “x” for “the chat” (unverified name)?');
  });
});
