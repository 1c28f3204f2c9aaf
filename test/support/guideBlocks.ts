import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the blocks of commands under a heading of the page about other tools, as a user copies them. */
export function guideBlocks(heading: string): readonly string[] {
  const page = readFileSync(path.resolve(__dirname, '..', '..', 'docs', 'tools.md'), 'utf8');
  const part = page.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...part.matchAll(/^```sh\n([^]*?)\n```$/gm)].map(([, block = '']) => block);
}
