/** `npm run package`: builds and writes `dist/gpu-rental.vsix`; a warning of the packager is an error. */
import { readdirSync, statSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { guides, withoutRepositoryParts } from './packagedPages.mjs';
import { run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';

export const vsixFile = path.join(root, 'dist', 'gpu-rental.vsix');

/** What goes into the package. */
const packageInputs = [
  'src',
  'media',
  'l10n',
  'package.json',
  'package.nls.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  '.vscodeignore',
  ...guides.map((name) => `docs/${name}.md`),
  'esbuild.mjs',
  'scripts/package.mjs',
  'scripts/packagedPages.mjs',
  'package-lock.json',
];

/** True if the package is newer than everything that goes into it. */
export function isPackageCurrent() {
  const changedAt = (file) => {
    const entry = statSync(file, { throwIfNoEntry: false });
    if (entry === undefined) return 0;
    const inside = entry.isDirectory() ? readdirSync(file).map((name) => path.join(file, name)) : [];
    return Math.max(entry.mtimeMs, ...inside.map(changedAt));
  };
  const inputs = packageInputs.map((name) => changedAt(path.join(root, name)));
  return (statSync(vsixFile, { throwIfNoEntry: false })?.mtimeMs ?? 0) > Math.max(...inputs);
}

const packagedReadme = 'out/readme.md';

/**
 * Builds and packages, one process after the other; throws with the packager's output when something is wrong. The
 * package is replaced in one step, because another command may be installing it.
 */
export function makePackage(say = () => undefined) {
  return withLock(path.join(root, 'out', 'package.lock'), buildAndPackage, () =>
    say('another process is packaging the extension; waiting for it'),
  );
}

async function buildAndPackage() {
  const build = await run(process.execPath, ['esbuild.mjs'], { cwd: root });
  if (build.code !== 0) throw new Error('The build failed.');
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  await writeFile(path.join(root, packagedReadme), withoutRepositoryParts(readme));
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--readme-path', packagedReadme];
  const made = `${vsixFile}.new`;
  const { code, lines } = await run(process.execPath, [vsce, 'package', ...flags, '--out', made], {
    cwd: root,
    onLine: () => undefined,
  });
  // The bundle is split into many files on purpose: code is read when it is needed.
  const output = lines.filter((line) => !/This extension consists of \d+ files/.test(line)).join('\n');
  if (code !== 0 || /\bwarning\b/i.test(output)) throw new Error(`vsce package:\n${output}`);
  await rename(made, vsixFile);
  const last = lines.filter((line) => line.trim() !== '').at(-1) ?? '';
  return last.replace(made, vsixFile);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setUpOrEnd(['modules']);
  process.stdout.write(`${(await makePackage((line) => process.stdout.write(`${line}\n`))).trim()}\n`);
}
