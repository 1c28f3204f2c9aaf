/**
 * Bundles the extension, the simulator and the pages of the panels into `dist/`.
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
import { brotliCompressSync } from 'node:zlib';

const root = path.dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes('--watch');
const tests = process.argv.includes('--tests');

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
 * `import()` of a CommonJS package gives its named exports in Node, but only `default` once esbuild has split it
 * into an ES module of its own. This puts a module with the same names in between.
 */
const namedExports = {
  name: 'named-exports',
  setup(build) {
    build.onResolve({ filter: /^(undici|ssh2)$/ }, async ({ path: name, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const { path: file, errors } = await build.resolve(name, { kind: 'import-statement', resolveDir });
      return errors.length > 0 ? { errors } : { path: file, namespace: 'named-exports' };
    });
    build.onLoad({ filter: /./, namespace: 'named-exports' }, ({ path: file }) => {
      const names = Object.keys(createRequire(import.meta.url)(file)).filter((name) => name !== 'default');
      return {
        contents: `import all from ${JSON.stringify(file)};\nexport default all;\nexport const { ${names.join(', ')} } = all;`,
        resolveDir: path.dirname(file),
      };
    });
  },
};

/**
 * Parts of libraries that they load and nothing here uses; what needs one of them by name gets an empty class.
 *
 * undici: the transport makes plain requests over HTTP/1.1 with text as their body, directly or through a proxy. What
 * is left out (fetch, WebSocket, HTTP/2, cache, mock, retries, redirects, form data, other pools) is two thirds of it.
 * Its HTTP parser comes twice, and the slower one, which runs everywhere, is taken where the other one fails.
 *
 * ssh2: the simulator is a server that makes its own keys and reads no encrypted ones.
 */
const leftOut = [
  { importer: /[\\/]undici[\\/]index\.js$/, file: /^\.\/lib\/(web|mock|cache|interceptor|handler)\// },
  {
    importer: /[\\/]undici[\\/]index\.js$/,
    file: /\/dispatcher\/(balanced|round-robin|retry|h2c|env-http)-/,
  },
  { importer: /[\\/]undici[\\/]lib[\\/]api[\\/]/, file: /\/api-(stream|pipeline|upgrade)$/ },
  { importer: /[\\/]undici[\\/]/, file: /\/(client-h2|llhttp_simd-wasm|fetch\/body)\.js$/ },
  { importer: /[\\/]ssh2[\\/]lib[\\/]index\.js$/, file: /^\.\/(client|agent|http-agents|keygen)\.js$/ },
  { importer: /[\\/]ssh2[\\/]/, file: /^bcrypt-pbkdf$/ },
];

const leaveOut = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path: file, importer }) =>
      leftOut.some((part) => part.importer.test(importer) && part.file.test(file))
        ? { path: file, namespace: 'left-out' }
        : undefined,
    );
    // The entry of undici makes one object of a left-out class while it loads.
    build.onLoad({ filter: /./, namespace: 'left-out' }, () => ({
      contents: 'module.exports = new Proxy({}, { get: () => class LeftOut {} });',
    }));
  },
};

/** The parser of undici is WebAssembly in base 64, which a package hardly compresses: it is compressed beforehand. */
const packParser = {
  name: 'pack-parser',
  setup(build) {
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp-wasm\.js$/ }, ({ path: file }) => {
      const packed = brotliCompressSync(createRequire(import.meta.url)(file)).toString('base64');
      return {
        contents: `module.exports = require('node:zlib').brotliDecompressSync(Buffer.from('${packed}', 'base64'));`,
      };
    });
  },
};

/** The schemas of zod can write themselves as JSON schemas, which only `scripts/schemas.mjs` asks for, from the source. */
const leaveOutJsonSchemas = {
  name: 'leave-out-json-schemas',
  setup(build) {
    const filter = /[\\/]zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors)\.js$/;
    build.onLoad({ filter }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      const names = [...source.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name);
      return { contents: names.map((name) => `export const ${name} = () => undefined;`).join('\n') };
    });
  },
};

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
          target: 'node20',
          minify: !watch,
          sourcemap: watch ? 'inline' : false,
          supported: { 'dynamic-import': false },
        });
        file.contents = new TextEncoder().encode(code);
      }
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
          await writeFile(file.path, file.contents);
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
    target: 'node20',
    format: 'esm',
    splitting: true,
    mainFields: ['module', 'main'],
    chunkNames: `${bundle}-[hash]`,
    // Optional native parts of ssh2: it does without them, and one package serves every platform.
    external: ['vscode', '*.node', 'cpu-features'],
    plugins: [
      namedExports,
      leaveOut,
      packParser,
      leaveOutJsonSchemas,
      keepErrorNames,
      toCommonJs,
      writeOutputs(bundle, outdir, (name) => name.startsWith(`${bundle}-`)),
    ],
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
    target: 'node20',
    format: 'cjs',
    sourcemap: 'inline',
    mainFields: ['module', 'main'],
    external: ['vscode', 'mocha', '*.node', 'cpu-features'],
    plugins: [writeOutputs('tests', outdir, () => true)],
  };
}

const product = [
  nodeBundle('extension', { extension: 'src/extension.ts', uninstall: 'src/uninstall.ts' }),
  nodeBundle('simulator', { simulator: 'src/simulator/main.ts' }),
  await pageBundle(),
];
const bundles = (tests ? [await testBundle()] : product).filter(
  ({ entryPoints }) => Object.keys(entryPoints).length > 0,
);

if (watch) {
  const contexts = await Promise.all(bundles.map((options) => esbuild.context(options)));
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  await Promise.all(bundles.map((options) => esbuild.build(options))).catch(() => process.exit(1));
}
