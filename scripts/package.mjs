/** `npm run package`: builds and writes `dist/gpu-rental.vsix`; a warning of the packager is an error. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';

export const vsixFile = path.join(root, 'dist', 'gpu-rental.vsix');

/** Builds and packages; throws with the packager's output when something is wrong. */
export async function makePackage() {
  const build = await run(process.execPath, ['esbuild.mjs'], { cwd: root });
  if (build.code !== 0) throw new Error('The build failed.');
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  const { code, lines } = await run(process.execPath, [vsce, 'package', ...flags, '--out', vsixFile], {
    cwd: root,
    onLine: () => undefined,
  });
  const output = lines.join('\n');
  if (code !== 0 || /\bwarning\b/i.test(output)) throw new Error(`vsce package:\n${output}`);
  return lines.filter((line) => line.trim() !== '').at(-1) ?? '';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setUpOrEnd(['modules']);
  process.stdout.write(`${(await makePackage()).trim()}\n`);
}
