import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findWords, matcherOf } from '../../../../src/jobs/machine/outputPatterns';

describe('Patterns of outputs', () => {
  const names = [
    'a.txt',
    'out/a.txt',
    'out/b/c.txt',
    'out/b/d/e.bin',
    'out/[x].txt',
    'out/José.txt',
    'out.txt/f',
    'other/a+b(1).txt',
    'other/a1.log',
    'other/a2.log',
    'other/a].log',
    'other/a-.log',
    'other/b.log',
  ];
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gr-matcher-'));
    for (const name of names) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), '');
    }
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  for (const pattern of [
    'out',
    './out/',
    'out/*',
    'out/**',
    'out/**/*.txt',
    '**/*.txt',
    '*.txt',
    '*/*.txt',
    'o*/?.txt',
    'other/a[12].log',
    'other/a[!1].log',
    'other/a[^1].log',
    'other/a[]1].log',
    'other/a[[:digit:]-].log',
    'other/a[2-1].log',
    'other/[a-c]*.log',
    'out/Jos??.txt',
    'out/Jos?.txt',
    'out/*/*/*',
    '*/*1*.[lt][ox][gt]',
    '**/b/**/*.*',
    'other/a+b(1).txt',
    'out/\\[x\\].txt'.replaceAll('\\', ''),
    'gone/*',
  ]) {
    it(`name on a stopped machine what they name on one that runs: ${pattern}`, () => {
      const words = findWords(pattern).map((word) => word.replace(/^'(.*)'$/s, '$1'));
      const [base = '.', ...rest] = words;
      let found: readonly string[] = [];
      try {
        found = execFileSync('find', [base, ...rest, '-type', 'f'], {
          cwd: folder,
          env: { ...process.env, LC_ALL: 'C' },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [line.replace(/^\.\//, '')]));
      } catch {
        // The folder of the pattern is not there.
      }
      assert.deepEqual(names.filter(matcherOf([pattern])).sort(), [...found].sort());
    });
  }

  it('match each of the choices in braces, and absolute names for an absolute pattern alone', () => {
    assert.deepEqual(names.filter(matcherOf(['other/a{1,2}.log'])), ['other/a1.log', 'other/a2.log']);
    const absolute = names.map((name) => `/${name}`);
    for (const pattern of ['out', 'out/**', 'o*/?.txt']) {
      assert.deepEqual(names.filter(matcherOf([`/${pattern}`])), [], pattern);
      assert.deepEqual(absolute.filter(matcherOf([pattern])), [], pattern);
      const found = names.filter(matcherOf([pattern])).map((name) => `/${name}`);
      assert.deepEqual(absolute.filter(matcherOf([`/${pattern}`])), found, pattern);
    }
  });

  it('need no longer for a name that a machine made to be slow', () => {
    const name = `out/${'a/'.repeat(200_000)}`;
    assert.equal(matcherOf(['**/a*a*a*/**/*.ckpt'])(name), false);
  });
});
