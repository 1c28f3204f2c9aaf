import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import tseslint from 'typescript-eslint';
import { typedFaults } from '../support/typedFaults';

const root = path.resolve(__dirname, '..', '..');
const config = path.join(root, '.oxlintrc.json');
const binaries = path.join(root, 'node_modules', '.bin');

interface Found {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

/** The names of the rules that need types in a set of typescript-eslint. */
function typedRulesOf(sets: readonly { readonly rules?: object }[]): readonly string[] {
  return sets
    .flatMap(({ rules = {} }) => Object.entries(rules))
    .filter(([name, level]) => name.startsWith('@typescript-eslint/') && [level].flat()[0] === 'error')
    .map(([name]) => name.replace('@typescript-eslint/', ''));
}

describe('The rules that need types', () => {
  const { rules } = parse(readFileSync(config, 'utf8')) as { rules: Readonly<Record<string, unknown>> };
  const names = Object.keys(rules).map((name) => name.replace('typescript/', ''));

  it('are those of the strict set, and some of our own', async () => {
    const rest = (await import(path.join(root, 'scripts', 'eslintRest.mjs'))) as {
      restRules: readonly string[];
    };
    const strict = typedRulesOf(tseslint.configs.strictTypeCheckedOnly);
    assert.ok(strict.length > 40, `${strict.length} rules`);
    assert.deepEqual([...names, ...rest.restRules].sort(), [...strict, 'switch-exhaustiveness-check'].sort());
  });

  it('each find their fault, and the compiler finds its own', () => {
    assert.deepEqual(Object.keys(typedFaults).sort(), names.sort());
    const folder = mkdtempSync(path.join(tmpdir(), 'gpu-rental-faults-'));
    try {
      const compilerOptions = { lib: ['ES2023', 'DOM'], module: 'Preserve', types: [], strict: true };
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const faults = { ...typedFaults, TS2322: "export const count: number = 'text';" };
      for (const [name, text] of Object.entries(faults)) {
        writeFileSync(path.join(folder, `${name}.ts`), text);
      }
      const program = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
      const flags = ['--type-aware', '--type-check', '--format', 'json', '-c', config];
      const { stdout, stderr } = spawnSync(process.execPath, [program, ...flags, '.'], {
        cwd: folder,
        encoding: 'utf8',
        // There it looks for the compiler, unless npm runs the tests.
        env: { ...process.env, PATH: `${binaries}${path.delimiter}${process.env['PATH'] ?? ''}` },
      });
      assert.equal(stderr, '');
      const { diagnostics } = JSON.parse(stdout) as Found;
      const found = diagnostics.map(({ code, filename }) => `${path.basename(filename, '.ts')}: ${code}`);
      const missed = Object.keys(faults).filter((name) => !found.includes(`${name}: typescript(${name})`));
      assert.deepEqual(missed, []);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
