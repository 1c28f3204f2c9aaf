import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync, transformSync } from 'esbuild';

const scripts = path.resolve(__dirname, '..', '..', 'scripts', 'testing');

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
interface Table {
  readonly tests: readonly string[];
  readonly sources: Readonly<Record<string, { readonly hash: string; readonly lines: object }>>;
}
interface ReachedModule {
  readonly tableOf: (records: readonly object[], hash: (file: string) => string) => Table;
  readonly Reached: new (
    table: Table,
    read: (file: string) => string,
  ) => { testsOf(file: string, line: number): string[] };
}

type ReachedLines = (
  functions: readonly { readonly ranges: readonly Range[] }[],
  map: { readonly payload: object; readonly lineLengths: readonly number[] },
) => ReadonlyMap<string, number[]>;

async function readReachedLines(): Promise<ReachedLines> {
  const { reachedLines } = (await import(path.join(scripts, 'reachedLines.cjs'))) as {
    readonly reachedLines: ReachedLines;
  };
  return reachedLines;
}

describe('Which tests run a line', () => {
  it('is read from the counts of V8, where an inner block overrules what is around it', async () => {
    const reachedLines = await readReachedLines();
    const source =
      'function f(a) {\n  if (a) {\n    g(1);\n  }\n  g(2);\n}\nfunction g(n) {\n  return n;\n}\n';
    const { code, map } = transformSync(source, {
      sourcemap: 'external',
      minifyWhitespace: true,
      sourcefile: 'f.ts',
    });
    const rangeOf = (text: string, count: number): { readonly ranges: readonly Range[] } => {
      const startOffset = code.indexOf(text);
      assert.ok(startOffset >= 0, code);
      return { ranges: [{ startOffset, endOffset: startOffset + text.length, count }] };
    };
    const lines = reachedLines([rangeOf('function f(a){if(a){g(1)}g(2)}', 3), rangeOf('{g(1)}', 0)], {
      payload: JSON.parse(map) as object,
      lineLengths: code.split('\n').map(({ length }) => length),
    });
    assert.deepEqual([...lines.keys()], ['f.ts']);
    assert.deepEqual(lines.get('f.ts')?.toSorted(), [1, 2, 5, 6]);
  });

  it('are known for each source of a bundle', async () => {
    const reachedLines = await readReachedLines();
    const folder = mkdtempSync(path.join(tmpdir(), 'gr-reached-'));
    writeFileSync(path.join(folder, 'one.js'), "import './two';\n\none();\n");
    writeFileSync(path.join(folder, 'two.js'), 'two();\nexport function three() {\n  four();\n}\n');
    const { outputFiles } = buildSync({
      absWorkingDir: folder,
      entryPoints: ['one.js'],
      bundle: true,
      write: false,
      sourcemap: 'external',
      outfile: 'out/one.cjs',
    });
    rmSync(folder, { recursive: true });
    const [map, code] = outputFiles.map(({ text }) => text);
    assert.ok(map && code);
    const whole = { ranges: [{ startOffset: 0, endOffset: code.length, count: 1 }] };
    const lines = reachedLines([whole], {
      payload: JSON.parse(map) as object,
      lineLengths: code.split('\n').map(({ length }) => length),
    });
    assert.deepEqual(
      [...lines].map(([source, own]) => [source, own.toSorted()]),
      [
        ['../two.js', [1]],
        ['../one.js', [3]],
      ],
    );
  });

  it('are known for the text that was measured, and for no other', async () => {
    const { Reached, tableOf } = (await import(path.join(scripts, 'reached.mjs'))) as ReachedModule;
    const { createHash } = await import('node:crypto');
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
    const table = tableOf(
      [
        { test: 'test/a.test.ts', reached: { 'src/x.ts': [1, 2] } },
        { test: 'test/b.test.ts', reached: { 'src/x.ts': [2] } },
      ],
      () => hash('as it was'),
    );
    const same = new Reached(table, () => 'as it was');
    assert.deepEqual(same.testsOf('src/x.ts', 2), ['test/a.test.ts', 'test/b.test.ts']);
    assert.deepEqual(same.testsOf('src/x.ts', 3), []);
    assert.deepEqual(same.testsOf('src/unknown.ts', 2), []);
    assert.deepEqual(new Reached(table, () => 'as it is now').testsOf('src/x.ts', 2), []);
  });
});
