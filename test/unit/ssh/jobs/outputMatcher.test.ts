import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findWords, matcherOf } from '../../../../src/ssh/jobs/outputPatterns';

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

  it('take each of the choices in braces, and nothing for a whole path', () => {
    assert.deepEqual(names.filter(matcherOf(['other/a{1,2}.log'])), ['other/a1.log', 'other/a2.log']);
    assert.deepEqual(names.filter(matcherOf(['/out/**'])), []);
  });
});
