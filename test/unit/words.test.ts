import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
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

/** Verbs that the titles of tests do without, too. */
const verbs: typeof words = [
  [/\bsa(?:ys?|id)\b/i, 'shows, reports, explains, states'],
  [/\btakes?\b/i, 'accepts, uses, reads, replaces'],
  [/\bhears?\b|\bheard\b/i, 'receives'],
  [/\bcomes?\b|\bcame\b/i, 'appears, arrives, happens, returns'],
  [/\bgoes\b/i, 'continues, uses, is removed'],
  [/\bst(?:ands?|ood)\b(?!-)/i, 'is'],
];

function wordsIn(sentence: string, among = words): readonly string[] {
  return among.flatMap(([word, instead]) => {
    const found = word.exec(sentence)?.[0];
    return found === undefined ? [] : [`"${found}" (${instead})`];
  });
}

const title = /^ *(?:describe|it)\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`([^`]*)`)/gm;

function titlesOf(source: string): readonly string[] {
  return [...source.matchAll(title)].map((parts) =>
    parts
      .slice(1)
      .join('')
      .replace(/\$\{[^}]*\}/g, '…'),
  );
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

  it('are found in a sentence', () => {
    const sentence = 'Nobody was told that the disk goes on costing, and meanwhile it bills.';
    assert.equal(wordsIn(sentence).length, 5);
    assert.deepEqual(wordsIn('Ports go on the machine. The bidding continues. It still costs $0.10/h.'), []);
  });
});

describe('the titles of tests', () => {
  it('are in the words of the glossary', () => {
    const files = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' });
    const titles = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => titlesOf(read(path.join('test', file))).map((one) => ({ file, one })));
    assert.ok(titles.length > 6000, `${titles.length} titles`);
    assert.deepEqual(
      titles.flatMap(({ file, one }) =>
        wordsIn(one, [...words, ...verbs]).map((word) => `${file}: ${word}: ${one}`),
      ),
      [],
    );
  });

  it('are found in each form', () => {
    const source = "describe('a', () => {\n  it(\n    \"b's\",\n  it(`c ${d} e`, () => {";
    assert.deepEqual(titlesOf(source), ['a', "b's", 'c … e']);
    assert.equal(wordsIn('takes what it hears, and goes on', verbs).length, 3);
  });
});
