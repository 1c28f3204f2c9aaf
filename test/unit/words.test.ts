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

/** Words that the glossary rules out (docs/glossary.md). */
const otherNames: typeof words = [
  [/\d%|\}%/, 'a space before %'],
  [/\bdisks?(?:,? which)? (?:still )?costs?\b|\bprice of the disk\b/i, 'storage costs'],
  [/\bdirector(?:y|ies)\b/i, 'folder'],
  [/\bterminat/i, 'destroy'],
  [/\b(?:virtual server|droplet|pods?|rigs?|landlord)\b/i, 'instance, machine, host'],
  [/\b(?:keypair|key pair|API token)s?\b/i, 'SSH key, API key'],
  [/\bdocker image\b/i, 'image'],
  [/\benv(?:ironment)? vars?\b/i, 'environment variable'],
  [/\bsecond factor\b|\btwo-step\b/i, '2FA'],
  [/\b(?:artifact|savepoint|preset)s?\b/i, 'output, checkpoint, template'],
  [/\bbackup (?:image|of (?:the|an) instance)\b/i, 'snapshot'],
  [/\b(?:price cap|funds|allowance)\b/i, 'price limit, credit, budget'],
  [/\b(?:host sets?|network disk)\b/i, 'host files, volume'],
  [/\bcancelled\b|\bfavourite\b|\bemail\b/i, 'canceled, favorite, e-mail'],
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

/** What the manifest says beside package.nls.json: labels of its own. */
const textsOfManifest = [
  ...read('package.json').matchAll(/"(?:description|displayName|title|label|name)": "([^"%][^"]* [^"]*)"/g),
].map(([, words = '']) => words);

/** Use a sentence that exists before you add one. A capability that needs more says here for what. */
const room = {
  'all that the product had when its words were cut': 2866,
  'ends, proofs, terminals and services': 101,
  'files of instances': 20,
  'set-up of agents, and other extensions': 24,
  'sets of files that are parked': 12,
  'scripts that name their packages': 12,
  'TensorBoard of instances': 6,
  'debugging files on instances': 12,
  'machines of a workspace file': 6,
  'terminals that come back, services that start': 8,
  'folders that are kept on instances': 8,
  'rows of mirrored folders, and the folders of notebooks': 46,
  'set-up of instances': 42,
  'volumes that are created and cloned': 22,
  'copies of volumes, sizes and ends of copies': 14,
  'volumes and bids of a workspace file': 16,
  'parking, resuming and moving': 42,
  'moving off instances that can not start': 8,
  'moving by the service': 4,
  'data that a machine fetches itself': 24,
  'instances whose GPU another user has': 10,
  'second copies of parked workspaces, which are not compared, and tokens that none holds': 23,
  'jobs that agents ask for': 16,
  'why a model is not served': 24,
  'models that are served': 90,
  'jobs in files of other tools, with what is lost': 83,
  'audit log, invoices and members of an account': 60,
  'access that is shared with other users': 40,
  'snapshots into a registry': 30,
  'maintenance of machines, and earnings per GPU': 16,
  'the address of models, and models in the chat': 48,
};
const mostSentences = Object.values(room).reduce((sum, sentences) => sum + sentences, 0);

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

  it('are those of the glossary in sentences, settings and titles', () => {
    const texts = ['l10n/bundle.l10n.json', 'package.nls.json'].flatMap((place) => places[place] ?? []);
    assert.ok(textsOfManifest.length > 0);
    assert.deepEqual(
      [...texts, ...textsOfManifest].flatMap((sentence) =>
        wordsIn(sentence.replace(/\(command:\S*\)/g, ''), otherNames).map((word) => `${word}: ${sentence}`),
      ),
      [],
    );
    assert.equal(wordsIn('5% of the disk still costs $1 in the directory', otherNames).length, 3);
  });

  it('are few, and each has its place in the glossary', () => {
    const rows = read('docs/glossary.md').match(/^\| (?!word|-)/gm) ?? [];
    assert.ok(rows.length > 20 && rows.length <= 40, `${rows.length} words`);
    const count = Object.keys(bundle).length;
    assert.ok(count > 1000 && count <= mostSentences, `${count} sentences`);
  });

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
