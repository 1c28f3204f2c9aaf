import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { bytesRead, codeRead, lazyChunks } from '../support/bundleSize';
import { packagedExtension } from '../support/editorHost';
import { repository } from '../support/installed';
import { readZip, type ZipEntry } from '../support/zip';

describe('the package', () => {
  let entries: ZipEntry[] = [];

  before(async () => {
    const script = path.join(repository, 'scripts', 'package.mjs');
    const { isPackageCurrent } = (await import(script)) as { isPackageCurrent: () => boolean };
    if (!isPackageCurrent()) {
      await promisify(execFile)(process.execPath, [script]);
    }
    entries = readZip(packagedExtension);
  });

  it('holds the bundles, the pictures and the texts, and nothing else', () => {
    const files = entries.map(({ name }) => name).filter((name) => name.startsWith('extension/'));
    const expected = [
      /^package(\.nls)?\.json$/,
      /^(readme|changelog)\.md$/i,
      /^LICENSE(\.txt)?$/,
      /^l10n\/bundle\.l10n\.[\w-]+\.json$/,
      /^dist\/(engine|extension|simulator|uninstall|mcp)\.js$/,
      /^dist\/(extension|simulator)-[A-Z0-9]{8}\.js$/,
      /^dist\/webview\/\w+\.(js|css)$/,
      /^dist\/guides\/(jobs|notebooks|tools|agents)\.md$/,
      /^media\/(icon\.png|activity\.svg)$/,
      /^media\/walkthrough\/\w+\.svg$/,
      /^media\/sample\/(readme\.md|README\.md|train\.sh|train_gpus\.py|gpu-rental\.json)$/,
      /^media\/skill\/SKILL\.md$/,
      /^media\/schemas\/[\w.-]+\.json$/,
    ];
    const names = files.map((name) => name.slice('extension/'.length));
    assert.deepEqual(
      names.filter((name) => !expected.some((pattern) => pattern.test(name))),
      [],
    );
    for (const needed of ['package.json', 'dist/extension.js', 'dist/mcp.js', 'media/icon.png']) {
      assert.ok(names.includes(needed), `${needed} is missing`);
    }
  });

  it('has a page without links, pictures and commands of the repository, which lead nowhere in the editor', () => {
    const pages = entries.filter(({ name }) => /^extension\/(readme|changelog)\.md$/.test(name));
    assert.equal(pages.length, 2);
    for (const page of pages) {
      const text = page.read().toString('utf8');
      const targets = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
      assert.deepEqual(
        targets.filter((target) => !/^(https:|#)/.test(target)),
        [],
      );
      assert.doesNotMatch(text, /<!--|<img/);
    }
    const readme =
      pages
        .find(({ name }) => name.endsWith('readme.md'))
        ?.read()
        .toString('utf8') ?? '';
    assert.match(readme, /^# GPU Rental\n[^]*\*\*Try the Demo Marketplace\*\*[^]*\n## License\n\nMIT\n$/);
    assert.doesNotMatch(readme, /npm /);
  });

  it('has the guides, which lead to each other alone and mention nothing internal', () => {
    const guides = entries.filter(({ name }) => name.startsWith('extension/dist/guides/'));
    const names = guides.map(({ name }) => name.slice('extension/dist/guides/'.length));
    assert.deepEqual(names.sort(), ['agents.md', 'jobs.md', 'notebooks.md', 'tools.md']);
    for (const page of guides) {
      const text = page.read().toString('utf8');
      const targets = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
      assert.deepEqual(
        targets.filter((target) => !target.startsWith('https:') && !names.includes(target)),
        [],
      );
      assert.doesNotMatch(text, /<!--|runner\.sh|decisions\//);
    }
  });

  it('has in its dependencies what the bundles hold, and nothing else', () => {
    const read = (file: string) => JSON.parse(readFileSync(path.join(repository, file), 'utf8')) as unknown;
    const bundled = ['extension', 'mcp', 'pages', 'simulator'].flatMap((bundle) =>
      Object.values((read(`out/meta-${bundle}.json`) as Metafile).outputs).flatMap(({ inputs }) =>
        Object.keys(inputs).map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]),
      ),
    );
    const { dependencies, devDependencies } = read('package.json') as Record<string, object>;
    // What a package brings along stands in its own list.
    const named = Object.keys({ ...dependencies, ...devDependencies });
    assert.deepEqual(
      named.filter((name) => bundled.includes(name)),
      Object.keys(dependencies ?? {}),
    );
  });

  it('is built for the Node of the oldest editor that may install it', () => {
    const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
    const floor = /"vscode": "\^(\d+\.\d+)\.0"/.exec(read('package.json'))?.[1] ?? '';
    const rows = [...read('docs/rules.md').matchAll(/^\| ([\d.]+)[ –\d.]* \| ([\d.]+) \|$/gm)];
    const node = rows.find(([, editor]) => editor === floor)?.[2];
    assert.equal(/const nodeTarget = 'node(.*)';/.exec(read('esbuild.mjs'))?.[1], node);
  });

  it('has every chunk that a bundle asks for', () => {
    const names = new Set(entries.map(({ name }) => name));
    const missing = entries
      .filter(({ name }) => /^extension\/dist\/[^/]+\.js$/.test(name))
      .flatMap((entry) => [
        ...entry
          .read()
          .toString('utf8')
          .matchAll(/require\("\.\/([\w.-]+)"\)/g),
      ])
      .map(([, file]) => `extension/dist/${file ?? ''}`)
      .filter((name) => !names.has(name));
    assert.deepEqual(missing, []);
  });

  it('stays under 1,500 KB without its pictures', () => {
    const bytes = entries
      .filter(({ name }) => !/\.(png|svg|gif)$/.test(name))
      .reduce((sum, { packedBytes }) => sum + packedBytes, 0);
    assert.ok(bytes < 1_500_000, `${String(bytes)} bytes`);
  });

  it('reads less than 150 KB when it is activated', () => {
    const bytes = bytesRead(entries, 'extension.js');
    assert.ok(bytes > 0 && bytes < 150_000, `${String(bytes)} bytes`);
  });

  it('reads nothing of MCP in the editor, and what few use with its first use alone', () => {
    const code = (file: string) => codeRead(entries, file).join('\n');
    const activation = code('extension.js');
    const product = lazyChunks(activation).map(code).join('\n');
    // Each stands in one place of the sources.
    const parts = {
      'mcp.js': 'server/discover',
      tools: 'There is no such quote on this account',
      notebooks: 'Shut down this kernel?',
      tunnels: 'is not open again yet',
      doctor: 'Checking your setup',
      rent: 'Rent: Confirm',
      hostFiles: 'Saved host files in',
      several: 'not finished after 10 minutes',
    };
    assert.ok(code('mcp.js').includes(parts['mcp.js']));
    for (const [name, text] of Object.entries(parts)) {
      const holders = entries.filter(
        (entry) => entry.name.endsWith('.js') && entry.read().toString('utf8').includes(text),
      );
      assert.ok(holders.length > 0, `${name} is in no file`);
      assert.ok(!activation.includes(text), `${name} is read at activation`);
      assert.ok(!product.includes(text), `${name} is read with the product`);
    }
    assert.ok(product.length > 100_000, 'the product was looked through');
  });

  it('needs one byte of memory a character, and copies the names of the editor once', () => {
    const code = entries
      .filter(({ name }) => /^extension\/dist\/[^/]+\.js$/.test(name))
      .map((entry) => ({ name: entry.name, text: entry.read().toString('utf8') }));
    assert.deepEqual(
      code.filter(({ text }) => Buffer.byteLength(text) !== text.length).map(({ name }) => name),
      [],
    );
    const copies = code.flatMap(({ text }) => [...text.matchAll(/require\("vscode"\)/g)]);
    assert.equal(copies.length, 1);
  });

  it('carries no source map and no trace of the machine it was built on', () => {
    for (const entry of entries.filter(({ name }) => name.endsWith('.js'))) {
      const code = entry.read().toString('utf8');
      assert.doesNotMatch(code, /sourceMappingURL=/, entry.name);
      assert.ok(!code.includes(repository), entry.name);
    }
  });
});
