import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Words that the texts do without, each with what to write in its place. */
const words: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [
    /\b(?:goes|go|going|went) on (?:costing|running|starting|and)\b|\bgo(?:es)? on[.,;]/i,
    'still costs, keeps running',
  ],
  [/\b(?:no|some)body\b|\bwhoever\b/i, 'the service, the host, another user, you'],
  [/\b(?:told|tells?)\b/i, 'a message appears, shows, notifies'],
  [/\bmeanwhile\b/i, 'elsewhere, or nothing'],
  [/\bbill(?:s|ed)?\b/i, 'costs, you are charged'],
  [/\bwhat runs\b/i, 'running processes, your instances'],
  [/\bnot known\b/i, 'unknown, or what the service did not answer'],
  [/\bnot made sure\b/i, 'could not verify'],
  [/\blooks? again\b/i, 'refresh, check again'],
  [/\bwhatever\b/i, 'any, everything'],
  [/\bonce more\b/i, 'again'],
  [/\bcannot\b/i, "can't"],
  [/\bno longer there\b/i, 'gone, removed, destroyed'],
];

function wordsIn(sentence: string): readonly string[] {
  return words.flatMap(([word, instead]) => {
    const found = word.exec(sentence)?.[0];
    return found === undefined ? [] : [`"${found}" (${instead})`];
  });
}

const bundle = JSON.parse(read('l10n/bundle.l10n.json')) as Record<string, string | { message: string }>;
const places: Readonly<Record<string, readonly string[]>> = {
  'l10n/bundle.l10n.json': Object.values(bundle).map((entry) =>
    typeof entry === 'string' ? entry : entry.message,
  ),
  'package.nls.json': Object.values(JSON.parse(read('package.nls.json')) as Record<string, string>),
  'README.md': read('README.md').split('\n'),
  'CHANGELOG.md': read('CHANGELOG.md').split('\n'),
};

describe('the words that users read', () => {
  for (const [place, sentences] of Object.entries(places)) {
    it(`are those of the glossary in ${place}`, () => {
      assert.ok(sentences.length > 10);
      assert.deepEqual(
        sentences.flatMap((sentence) => wordsIn(sentence).map((word) => `${word}: ${sentence}`)),
        [],
      );
    });
  }

  it('are found where they stand', () => {
    const sentence = 'Nobody was told that the disk goes on costing, and meanwhile it bills.';
    assert.equal(wordsIn(sentence).length, 5);
    assert.deepEqual(wordsIn('Ports go on the machine. The bidding continues. It still costs $0.10/h.'), []);
  });
});
