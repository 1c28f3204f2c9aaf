import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import textFiles from '../../scripts/textFiles.json';

const root = path.resolve(__dirname, '..', '..');

/** Taken from their modules by the editor, through `import()`, or by a test of all features. */
const loadedByName = ['activate', 'startApp', 'Reports', 'features'];

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs|cjs)$/.test(file))
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8'));
}

/** Names that the files of these folders import from other files. */
function importedIn(...folders: readonly string[]): ReadonlySet<string> {
  const lists = folders
    .flatMap(sources)
    .flatMap((text) => [
      ...text.matchAll(/^import [^;]*?\{([^}]*)\} from '\./gm),
      ...text.matchAll(/^ *const \{([^}]*)\} = (?:await import|require)\('\./gm),
    ]);
  return new Set(
    lists.flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().replace(/^type | as .*$/g, '')),
    ),
  );
}

/** Names that a file exports; the signatures of one function count once. */
function exportsOf(source: string): readonly string[] {
  const declared =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm;
  return [...new Set([...source.matchAll(declared)].map(([, name = '']) => name))];
}

describe('the layout of the repository', () => {
  it('has one thing for each exported name', () => {
    const places = new Map<string, string[]>();
    for (const file of readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
      // Every feature is registered under the same name, and the simulator stands for another program.
      if (
        !file.endsWith('.ts') ||
        file.startsWith('simulator') ||
        /^(?:features\/\w+|\w+\/ui(?:\/\w+)?)\/index\.ts$/.test(file)
      ) {
        continue;
      }
      for (const name of exportsOf(readFileSync(path.join(root, 'src', file), 'utf8'))) {
        // Each wing calls so what its features know.
        if (name === 'Services') {
          continue;
        }
        places.set(name, [...(places.get(name) ?? []), file]);
      }
    }
    assert.ok(places.size > 1000);
    assert.deepEqual(
      [...places].filter(([, files]) => files.length > 1),
      [],
    );
  });

  it('names the editor only where it may be known', () => {
    const outside = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) =>
          file.endsWith('.ts') && /from 'vscode'/.test(readFileSync(path.join(root, 'src', file), 'utf8')),
      )
      .filter((file) => !/^(?:editor|features|\w+[\\/]ui)[\\/]/.test(file));
    assert.deepEqual(
      outside.filter((file) => file.includes(path.sep)),
      [],
    );
  });

  it('lets no login be the first one without the log, in which an image may print its host key', () => {
    const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(?:ssh|\w+[\\/]machine)[\\/]/.test(file))
      .map((file) => ({ file, text: readFileSync(path.join(root, 'src', file), 'utf8') }));
    const asking = files.filter(({ text }) => /\bregisteredKeys[:,]/.test(text));
    assert.ok(asking.length >= 5);
    // The instance of another user shows its log to that user alone, so its link holds the key.
    assert.deepEqual(
      asking.filter(({ text }) => !/\b(?:printedLog|pinHostKey)\(/.test(text)).map(({ file }) => file),
      [],
    );
  });

  it('exports each name from the one file that declares it', () => {
    assert.deepEqual(
      ['src', 'test', 'scripts']
        .flatMap(sources)
        .flatMap((text) => text.match(/^export (?:type )?[{*].*$/gm) ?? []),
      [],
    );
  });

  it('imports each name as the one that its file gave it', () => {
    // What each feature and wing calls the same is told apart where they meet.
    const renamed = /\b(?!register\b|Services\b)\w+ as \w+/g;
    assert.deepEqual(
      sources('src')
        .flatMap((text) => [...text.matchAll(/^import [^;]*?\{([^}]*)\} from '\./gm)])
        .flatMap(([, names = '']) => names.match(renamed) ?? []),
      [],
    );
  });

  it('exports no constant, function or class that nothing imports', () => {
    const imported = importedIn('src', 'test', 'scripts');
    // An error is part of what a function promises, whoever catches it by its name.
    const exported = /^export (?:abstract |async )*(?:const|function\*?|class) (?!\w+Error\b)(\w+)/gm;
    const names = sources('src').flatMap((text) => [...text.matchAll(exported)].map(([, name = '']) => name));
    assert.ok(names.length > 500);
    assert.deepEqual(
      names.filter((name) => !imported.has(name) && !loadedByName.includes(name)),
      [],
    );
  });

  it('has nothing in the product that only tests use', () => {
    const imported = importedIn('src', 'scripts');
    // The simulator also has what tests need of a stand-in for the service.
    const product = readdirSync(path.join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.name !== 'simulator' && (entry.isDirectory() || entry.name.endsWith('.ts')))
      .flatMap((entry) =>
        entry.isDirectory()
          ? sources(path.join('src', entry.name))
          : [readFileSync(path.join(root, 'src', entry.name), 'utf8')],
      )
      .map((text) => text.replace(/\/\*[^]*?\*\//g, ''));
    const unused = product.flatMap((text) =>
      exportsOf(text).filter(
        (name) =>
          !imported.has(name) &&
          !loadedByName.includes(name) &&
          [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length < 2,
      ),
    );
    assert.deepEqual(unused, []);
  });

  it('has no file that needs itself', () => {
    const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(root, 'src', file));
    // The bundler drops the imports of types, which may go in a circle.
    const { metafile } = buildSync({
      absWorkingDir: root,
      stdin: {
        contents: files.map((file) => `import ${JSON.stringify(file)};`).join('\n'),
        resolveDir: root,
      },
      outdir: 'out',
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      packages: 'external',
      loader: textFiles as Record<string, 'text'>,
    });
    assert.ok(Object.keys(metafile.inputs).length >= files.length);
    const importsOf = (file: string) => metafile.inputs[file]?.imports.map((one) => one.path) ?? [];
    assert.deepEqual(findCycle(Object.keys(metafile.inputs), importsOf), []);
  });
});

/** The files of one circle of imports in their order, or nothing. */
function findCycle(
  files: readonly string[],
  importsOf: (file: string) => readonly string[],
): readonly string[] {
  const done = new Set<string>();
  const follow = (file: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(file)) {
      return [...trail.slice(trail.indexOf(file)), file];
    }
    if (done.has(file)) {
      return [];
    }
    for (const imported of importsOf(file)) {
      const cycle = follow(imported, [...trail, file]);
      if (cycle.length > 0) {
        return cycle;
      }
    }
    done.add(file);
    return [];
  };
  return files.map((file) => follow(file, [])).find((cycle) => cycle.length > 0) ?? [];
}
