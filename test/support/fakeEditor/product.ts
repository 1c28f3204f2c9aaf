import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { buildSync } from 'esbuild';
import type * as vscode from 'vscode';
import textFiles from '../../../scripts/textFiles.json';
import type * as entryPoint from '../../../src/extension';
import { repository } from './manifest';

type Product = Pick<typeof entryPoint, 'activate'>;
type Load = (module: string) => unknown;

const product = 'src/extension.ts';
const scripts = new Map<string, Script>();

/**
 * The product, made from its source once a process. Packages stay outside, so that a window costs only our own code;
 * how they are bundled is what the tests of the packaged extension are for.
 */
function compiled(entry = product): Script {
  const before = scripts.get(entry);
  if (before) {
    return before;
  }
  const file = path.join(repository, 'out', 'feature', `${path.basename(entry, '.ts')}.cjs`);
  const { outputFiles } = buildSync({
    absWorkingDir: repository,
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    external: ['vscode'],
    loader: textFiles as Record<string, 'text'>,
    sourcemap: 'inline',
    supported: { 'dynamic-import': false },
    outfile: file,
    logLevel: 'warning',
  });
  process.setSourceMapsEnabled(true);
  mkdirSync(path.dirname(file), { recursive: true });
  const [output] = outputFiles;
  const text = (output?.text ?? '').replaceAll('__toESM(require(', 'namespaceOf(__toESM, require(');
  const wrapped = `(function (require, module, exports, namespaceOf) {${text}\n})`;
  // What counts the lines that ran has no other way to the map.
  if (process.env['GPU_RENTAL_TEST_REACHED'] !== undefined) {
    writeFileSync(`${file}.text`, wrapped);
  }
  const script = new Script(wrapped, { filename: file });
  scripts.set(entry, script);
  return script;
}

const namespaces = new WeakMap<object, unknown>();

/**
 * What a file sees of a package, which esbuild copies again for every file that imports it. One copy for all of
 * them makes loading the product take half as long. Modules that a window has for itself have a copy of their own.
 */
function namespaceOf(copy: (module: object) => unknown, module: object): unknown {
  const before = namespaces.get(module);
  if (before) {
    return before;
  }
  const made = copy(module);
  namespaces.set(module, made);
  return made;
}

/** Compiles the product ahead of the first window, which takes most of the time that a run of one file takes. */
export function prepareProduct(): void {
  compiled();
}

/** The account's home is the test's, as `$HOME` is: the files of the user who runs the tests stay out of it. */
const osOfTest = {
  ...os,
  userInfo: () => ({ ...os.userInfo(), homedir: os.homedir() }),
};

/** A copy of the product with modules of its own, as each window has one; `runtime` stands in for the runtime's. */
export function loadProduct(editor: typeof vscode, runtime: Readonly<Record<string, unknown>> = {}): Product {
  return loadSource(product, { vscode: editor, 'node:os': osOfTest, ...runtime }) as Product;
}

/** One file of the source with what it imports; `own` stands in for modules. */
export function loadSource(entry: string, own: Readonly<Record<string, unknown>>): unknown {
  const load = createRequire(path.join(repository, entry)) as Load;
  const module = { exports: {} };
  const run = compiled(entry).runInThisContext() as (
    require: Load,
    own: typeof module,
    exports: object,
    share: typeof namespaceOf,
  ) => void;
  run((name) => own[name] ?? load(name), module, module.exports, namespaceOf);
  return module.exports;
}
