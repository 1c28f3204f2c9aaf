import assert from 'node:assert/strict';
import path from 'node:path';
import { Linter, type Rule } from 'eslint';

const repository = path.join(__dirname, '..', '..');

/** Returns what a rule of ours reports about a file, and the file after its fixes. */
async function lint(name: string, code: string) {
  const rules = (await import(path.join(repository, 'scripts', `${name}.mjs`))) as Record<
    string,
    Rule.RuleModule
  >;
  const linter = new Linter();
  const config = { plugins: { house: { rules } }, rules: {} as Record<string, 'error'> };
  for (const rule of Object.keys(rules)) {
    config.rules[`house/${rule}`] = 'error';
  }
  const { output } = linter.verifyAndFix(code, config);
  return { lines: linter.verify(code, config).map(({ line }) => line), output };
}

describe('Lint rules of our own', () => {
  it('find state of a module, and leave constants, regular expressions and local state alone', async () => {
    const { lines } = await lint(
      'eslintModuleState',
      [
        'let count = 0;',
        'const seen = new Set();',
        'const shape = /a/g;',
        'const names = ["a"];',
        'export function note(one) {',
        '  let local = 0;',
        '  seen.add(one);',
        '  shape.lastIndex = 0;',
        '  return names.length + count + local;',
        '}',
      ].join('\n'),
    );
    assert.deepEqual(lines, [1, 2]);
  });

  it('sort imports by group and name, with their comments, around those for their effect', async () => {
    const { lines, output } = await lint(
      'eslintImports',
      [
        "import b from './b';",
        '// About x.',
        "import x from 'x';",
        "import 'effect';",
        "import n from 'node:fs';",
      ].join('\n'),
    );
    assert.equal(lines.length, 1);
    assert.equal(
      output,
      [
        '// About x.',
        "import x from 'x';",
        "import b from './b';",
        "import 'effect';",
        "import n from 'node:fs';",
      ].join('\n'),
    );
  });
});
