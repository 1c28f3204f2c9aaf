import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

function foldersIn(place: string): readonly string[] {
  return readdirSync(path.join(root, place), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${place}/${entry.name}`);
}

describe('the map of the code', () => {
  it('in CONTRIBUTING.md has a row for each folder, and no other', () => {
    const mapped = [...read('CONTRIBUTING.md').matchAll(/^\| `((?:src|test)\/[\w/]+)`/gm)].map(
      ([, folder]) => folder,
    );
    const folders = ['src', 'src/model', 'src/store', 'src/features', 'test'].flatMap(foldersIn);
    assert.deepEqual([...mapped].sort(), [...folders].sort());
  });

  it('in test/support names what each helper is for, and none that is gone', () => {
    const named = [...read('test/support/README.md').matchAll(/`(\w+\.ts)`/g)].map(([, file = '']) => file);
    const [helpers = [], drivers = []] = ['test/support', 'test/support/feature'].map((folder) =>
      readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.ts')),
    );
    assert.deepEqual(
      [
        helpers.filter((file) => !named.includes(file)),
        named.filter((file) => ![...helpers, ...drivers].includes(file)),
      ],
      [[], []],
    );
  });

  it('leads from CONTRIBUTING.md to each page of docs', () => {
    const pages = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
    const linked = read('CONTRIBUTING.md');
    assert.deepEqual(
      pages.filter((page) => !linked.includes(`](docs/${page})`)),
      [],
    );
  });

  it('in the README.md of each wing names its folders, and where to change what', () => {
    const wings = foldersIn('src').filter((folder) => existsSync(path.join(root, folder, 'ui')));
    assert.equal(wings.length, 9);
    for (const wing of wings) {
      const text = read(`${wing}/README.md`);
      const folders = foldersIn(wing).map((folder) => path.basename(folder));
      assert.deepEqual(
        folders.filter((folder) => !text.includes(`| \`${folder}/\``)),
        [],
        wing,
      );
      const changes = ['a sentence', 'a rule', 'a command on the machine', 'a test'];
      const [, where = ''] = text.split('## Where to change');
      assert.deepEqual(
        changes.filter((change) => !new RegExp(`^\\| ${change} +\\| \\S`, 'm').test(where)),
        [],
        wing,
      );
    }
  });
});

describe('a decision', () => {
  const pages = readdirSync(path.join(root, 'docs', 'decisions')).filter((name) => name !== 'README.md');

  for (const page of pages) {
    it(`has a number, a date, alternatives and a consequence: ${page}`, () => {
      assert.match(page, /^\d{4}-[a-z\d-]+\.md$/);
      assert.match(
        read(`docs/decisions/${page}`),
        /^# .+\n\nDate: \d{4}-\d\d-\d\d\n\n\S[\s\S]+\n\n## Alternatives\n\n\S[\s\S]+\n\n## Consequence\n\n\S/,
      );
    });
  }

  it('is in the list of decisions, in order', () => {
    const listed = [...read('docs/decisions/README.md').matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(
      ([, page = '']) => page,
    );
    assert.deepEqual(listed, [...pages].sort());
    assert.deepEqual(
      listed.map((page) => Number(page.slice(0, 4))),
      listed.map((_, index) => index + 1),
    );
  });
});
