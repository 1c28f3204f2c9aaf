import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { formatText, text } from '../../../src/util/text';
import { hostileText } from '../../support/hostileText';

const root = path.resolve(__dirname, '..', '..', '..');
const templates = Object.keys(
  JSON.parse(readFileSync(path.join(root, 'l10n', 'bundle.l10n.json'), 'utf8')) as Record<string, string>,
);
const withPlaces = templates.filter((template) => template.includes('{0}'));

/** What the editor makes a link of in a message, a prompt and a problem below an input. */
const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/i;
const icons = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi;
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Also the pieces of a link and of an icon, so that a sentence could put them together out of two arguments. */
const hostileArgument = fc.oneof(
  hostileText,
  fc
    .array(
      fc.constantFrom('[a', ']', '](', '(command:a', '(https://a.b)', ')', '$', '(sync)', '$(sync', '[', 'a'),
      {
        maxLength: 5,
      },
    )
    .map((pieces) => pieces.join('')),
  fc.constant('[Fix it](command:workbench.extensions.installExtension?%22a.b%22)'),
);

const pairs = [
  ['(sync)', '$'],
  ['[a]', '(command:a)'],
  ['[a', '](https://a.b)'],
] as const;

function check(template: string, args: readonly string[]): void {
  const sentence = formatText(text(template, ...args));
  const own = template.replace(/\{\d+\}/g, '');
  assert.doesNotMatch(sentence, link);
  assert.deepEqual(sentence.match(icons), own.match(icons), sentence);
  assert.equal(hidden.exec(sentence.replaceAll('\n', ''))?.[0], undefined);
  assert.equal(sentence.split('\n').length, template.split('\n').length);
  assert.ok(sentence.length <= template.length + args.length * 401, 'an argument buries the sentence');
}

describe('Every sentence', () => {
  it('is looked at', () => {
    assert.ok(withPlaces.length > 500, `${withPlaces.length}`);
    assert.deepEqual(
      templates.filter((template) => link.test(template)),
      [],
    );
  });

  it('keeps its links, icons and lines for all arguments', () => {
    const args = fc.array(hostileArgument, { minLength: 8, maxLength: 8 });
    for (const template of withPlaces) {
      fc.assert(
        fc.property(args, (values) => {
          check(template, values);
        }),
        { numRuns: 30 },
      );
    }
  });

  it('is not buried by an argument without end', () => {
    const endless = Array.from({ length: 8 }, () => 'a'.repeat(100_000));
    for (const template of withPlaces) {
      check(template, endless);
    }
  });

  it('makes no icon and no link of the words around an argument', () => {
    for (const template of withPlaces) {
      for (const [one, other] of pairs) {
        check(template, [one, other, one, other, one, other, one, other]);
        check(template, [other, one, other, one, other, one, other, one]);
      }
    }
  });

  it('is plain words if it is only a value', () => {
    fc.assert(
      fc.property(hostileArgument, (value) => {
        const words = formatText(value);
        assert.doesNotMatch(words, link);
        assert.doesNotMatch(words, hidden);
        assert.equal(words.match(icons), null);
      }),
    );
  });

  it('keeps another sentence in it whole', () => {
    const inner = text('a\nb {0}', 'c\nd');
    assert.equal(formatText(text('{0}!', inner)), 'a\nb c d!');
  });
});
