/**
 * Bundles the extension, the simulator and the pages of the panels into `dist/`, with the guides beside them.
 *
 *   node esbuild.mjs            minified, as packaged
 *   node esbuild.mjs --watch    readable, with source maps, again after every change
 *   node esbuild.mjs --tests    the suite that runs inside the extension host, into `out/editor/`
 *
 * esbuild splits code at `import()` only in ES modules, and the extension host loads CommonJS. So node code is
 * bundled as split ES modules first and each output file is turned into CommonJS afterwards: what is behind an
 * `import()` stays in a file of its own that is read when it is first needed.
 */
import * as esbuild from 'esbuild';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGuides } from './scripts/packagedPages.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes('--watch');
const tests = process.argv.includes('--tests');

/** The Node of the oldest editor, which is the floor of `engines.vscode`: docs/rules.md has the table. */
const nodeTarget = 'node22.19';

/** Scripts for other machines are files of their own and come as text. */
const textFiles = createRequire(import.meta.url)('./scripts/textFiles.json');

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: !watch,
  sourcemap: watch ? 'inline' : false,
  legalComments: 'none',
  loader: textFiles,
  logLevel: 'warning',
  metafile: true,
};

/** Entry points of one bundle as `{ name: file }`, without those that are not there. */
const existing = (entries) =>
  Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(path.join(root, file))));

/**
 * Errors are named after their class in the log, and minifying renames classes. Keeping all names would make the
 * package 5 % larger, so only these classes get theirs written in.
 */
const keepErrorNames = {
  name: 'keep-error-names',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      const named = source.replace(
        /\bclass (\w+)(<[^{]*>)? extends \w*Error(<[^{]*>)?( implements [^{]+)? \{/g,
        (start, name) => `${start} static { Object.defineProperty(this, 'name', { value: '${name}' }); }`,
      );
      return named === source ? undefined : { contents: named, loader: 'ts' };
    });
  },
};

/** Turns each file of a split bundle into CommonJS; `require` of a chunk is synchronous and cached. */
const toCommonJs = {
  name: 'to-commonjs',
  setup(build) {
    build.onEnd(async ({ errors, outputFiles = [] }) => {
      if (errors.length > 0) return;
      for (const file of outputFiles) {
        const { code } = await esbuild.transform(file.text, {
          format: 'cjs',
          platform: 'node',
          target: nodeTarget,
          minify: !watch,
          sourcemap: watch ? 'inline' : false,
          supported: { 'dynamic-import': false },
        });
        file.contents = new TextEncoder().encode(code);
      }
    });
  },
};

/**
 * V8 keeps a text in two bytes a character as soon as one of them is beyond Latin-1. esbuild escapes such characters
 * everywhere but in regular expressions, where an escape means the same.
 */
function ascii(code) {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Classes that the oldest editor has, and its types do not. */
const untyped = ['LanguageModelDataPart', 'LanguageModelThinkingPart'];

/**
 * Reads the names of the editor's API once. Each `import * as vscode` would otherwise copy the API, which has about 450
 * names, each behind a function of its own: 119 copies are several megabytes of heap.
 */
const oneEditorApi = {
  name: 'one-editor-api',
  setup(build) {
    const namespace = 'editor-api';
    build.onResolve({ filter: /^vscode$/ }, ({ namespace: importer }) =>
      importer === namespace ? { path: 'vscode', external: true } : { path: 'vscode', namespace },
    );
    build.onLoad({ filter: /.*/, namespace }, async () => {
      const types = await readFile(path.join(root, 'node_modules', '@types', 'vscode', 'index.d.ts'), 'utf8');
      const names = [...types.matchAll(/^\texport (?:class|const|enum|function|namespace) (\w+)/gm)].map(
        ([, name]) => name,
      );
      return {
        contents: `import * as api from 'vscode';\nexport const { ${[...new Set([...names, ...untyped])].join(', ')} } = api;`,
        loader: 'js',
      };
    });
  },
};

/** Writes the outputs, then removes what an earlier build of the same bundle left behind. */
function writeOutputs(bundle, folder, isOwn) {
  return {
    name: 'write-outputs',
    setup(build) {
      build.onEnd(async ({ errors, outputFiles = [], metafile }) => {
        if (errors.length > 0) return;
        for (const file of outputFiles) {
          await mkdir(path.dirname(file.path), { recursive: true });
          await writeFile(file.path, file.path.endsWith('.js') ? ascii(file.text) : file.contents);
        }
        const current = new Set(outputFiles.map((file) => path.basename(file.path)));
        for (const name of await readdir(folder).catch(() => [])) {
          if (isOwn(name) && !current.has(name)) await rm(path.join(folder, name));
        }
        await mkdir(path.join(root, 'out'), { recursive: true });
        await writeFile(path.join(root, 'out', `meta-${bundle}.json`), JSON.stringify(metafile));
      });
    },
  };
}

function nodeBundle(bundle, entries) {
  const outdir = path.join(root, 'dist');
  return {
    ...common,
    entryPoints: existing(entries),
    outdir,
    write: false,
    platform: 'node',
    target: nodeTarget,
    format: 'esm',
    splitting: true,
    mainFields: ['module', 'main'],
    chunkNames: `${bundle}-[hash]`,
    // Optional native parts of ssh2: it does without them, and one package serves every platform.
    external: ['vscode', '*.node', 'cpu-features'],
    plugins: [
      keepErrorNames,
      oneEditorApi,
      toCommonJs,
      writeOutputs(bundle, outdir, (name) => name.startsWith(`${bundle}-`)),
    ],
  };
}

/** One file, which is copied out of the extension's folder. */
function serverBundle() {
  const outdir = path.join(root, 'dist');
  return {
    ...common,
    entryPoints: existing({ mcp: 'src/agents/mcp/main.ts' }),
    outdir,
    write: false,
    platform: 'node',
    target: nodeTarget,
    format: 'cjs',
    plugins: [keepErrorNames, writeOutputs('mcp', outdir, (name) => name.startsWith('mcp-'))],
  };
}

async function pageBundle() {
  const panels = await readdir(path.join(root, 'src', 'webview')).catch(() => []);
  const entries = existing(
    Object.fromEntries(panels.map((panel) => [panel, `src/webview/${panel}/page/main.ts`])),
  );
  const outdir = path.join(root, 'dist', 'webview');
  return {
    ...common,
    entryPoints: entries,
    outdir,
    write: false,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    plugins: [writeOutputs('pages', outdir, () => true)],
  };
}

/** The in-host suite, a file per file; mocha stays outside because it loads its own parts by path. */
async function testBundle() {
  const files = await readdir(path.join(root, 'test', 'editor'));
  const names = files.filter((file) => file === 'index.ts' || file.endsWith('.test.ts'));
  const outdir = path.join(root, 'out', 'editor');
  return {
    ...common,
    minify: false,
    entryPoints: Object.fromEntries(
      names.map((file) => [file.slice(0, -'.ts'.length), `test/editor/${file}`]),
    ),
    outdir,
    write: false,
    platform: 'node',
    target: nodeTarget,
    format: 'cjs',
    sourcemap: 'inline',
    mainFields: ['module', 'main'],
    external: ['vscode', 'mocha', '*.node', 'cpu-features'],
    plugins: [writeOutputs('tests', outdir, () => true)],
  };
}

const product = [
  nodeBundle('extension', { extension: 'src/extension.ts', uninstall: 'src/uninstall.ts' }),
  nodeBundle('simulator', { simulator: 'src/simulator/main.ts', engine: 'src/simulator/engine/main.ts' }),
  serverBundle(),
  await pageBundle(),
];
const bundles = (tests ? [await testBundle()] : product).filter(
  ({ entryPoints }) => Object.keys(entryPoints).length > 0,
);

/** Prints when a build of any bundle begins and when the last one has ended: .vscode/tasks.json waits for these lines. */
function announceBuilds() {
  const building = new Set(bundles);
  console.log('watch: build started');
  return bundles.map((options) => ({
    ...options,
    plugins: [
      ...options.plugins,
      {
        name: 'announce-builds',
        setup(build) {
          build.onStart(() => {
            if (building.size === 0) console.log('watch: build started');
            building.add(options);
          });
          build.onEnd(() => {
            building.delete(options);
            if (building.size === 0) console.log('watch: build finished');
          });
        },
      },
    ],
  }));
}

if (!tests) await writeGuides(root, path.join(root, 'dist', 'guides'));
if (watch) {
  const contexts = await Promise.all(announceBuilds().map((options) => esbuild.context(options)));
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  await Promise.all(bundles.map((options) => esbuild.build(options))).catch(() => process.exit(1));
}
