import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { citationsOf, headingsOf, oldCitationsOf, placesOf } from '../support/citations';

const root = path.resolve(__dirname, '..', '..');

function textsOf(place: string): readonly (readonly [file: string, text: string])[] {
  return readdirSync(path.join(root, place), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(place, file.replaceAll(path.sep, '/')))
    .filter((file) => /\.(?:ts|mjs|cjs|json|md|css)$/.test(file))
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const);
}

const pages = new Map(textsOf('docs'));
const topLevel = ['CONTRIBUTING.md', 'README.md', 'esbuild.mjs', 'eslint.config.mjs'];
const files = [
  // This file has citations as examples, which lead nowhere.
  ...['src', 'test', 'scripts'].flatMap(textsOf).filter(([file]) => file !== 'test/unit/citations.test.ts'),
  ...topLevel.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const),
  ...pages,
];

/** Returns why a citation leads nowhere, or nothing when it resolves. */
function problemOf(target: string): string | undefined {
  const [page = '', heading] = target.split('#');
  const text = pages.get(page);
  if (text === undefined) {
    return `${page} does not exist`;
  }
  return heading === undefined || headingsOf(text).has(heading) ? undefined : `${page} has no #${heading}`;
}

describe('citations of the documentation', () => {
  it('lead to a page and a heading that exist', () => {
    const found = files.flatMap(([file, text]) =>
      citationsOf(file, text).map((target) => ({ file, target })),
    );
    assert.ok(found.length > 300, `${found.length} citations`);
    const broken = found.flatMap(({ file, target }) => {
      const problem = problemOf(target);
      return problem === undefined ? [] : [`${file}: ${problem}`];
    });
    assert.deepEqual(broken, []);
  });

  it('name a heading in code, so that a reader finds the fact', () => {
    const bare = files
      .filter(([file]) => /^(?:src|test)\//.test(file))
      .flatMap(([file, text]) =>
        citationsOf(file, text)
          .filter((target) => target.startsWith('docs/service/') && !target.includes('#'))
          .map((target) => `${file}: ${target}`),
      );
    assert.deepEqual(bare, []);
  });

  it('lead from each page to files and folders that exist', () => {
    // A decision keeps the names of its day.
    const named = files
      .filter(([file]) => file.endsWith('.md') && !file.startsWith('docs/decisions/'))
      .flatMap(([file, text]) => placesOf(file, text).map((place) => ({ file, place })));
    assert.ok(named.length > 300, `${named.length} places`);
    assert.deepEqual(
      named.filter(({ place }) => !existsSync(path.join(root, place))),
      [],
    );
  });

  it('have one form', () => {
    const old = files.flatMap(([file, text]) => oldCitationsOf(text).map((line) => `${file}: ${line}`));
    assert.deepEqual(old, []);
  });
});

describe('the check of citations', () => {
  it('finds what a comment and a page cite', () => {
    assert.deepEqual(citationsOf('src/api/a.ts', '// See docs/service/offers.md#search.'), [
      'docs/service/offers.md#search',
    ]);
    assert.deepEqual(
      citationsOf('docs/service/a.md', '[x](b.md#c) [y](../d.md) [z](#e) [w](https://x.y/z.md)'),
      ['docs/service/b.md#c', 'docs/d.md', 'docs/service/a.md#e'],
    );
  });

  it('names headings as GitHub does', () => {
    const text = '# One page\n\n## The `state` of: a thing\n\n```\n# no heading\n```\n\n## Same\n\n## Same\n';
    assert.deepEqual([...headingsOf(text)], ['one-page', 'the-state-of-a-thing', 'same', 'same-1']);
  });

  it('finds the forms that lead out of the repository', () => {
    const forms = [
      '(inter' + 'face: Limits)',
      '(service' + '-facts 2.8)',
      '(product' + ': rule 1)',
      'Jour' + 'ney 9',
      '(Qui' + 'rk 21)',
    ];
    for (const form of forms) {
      assert.deepEqual(oldCitationsOf(`// A ${form}.`), [`// A ${form}.`]);
    }
    assert.deepEqual(oldCitationsOf('interface Product { readonly interface: string }'), []);
  });
});
