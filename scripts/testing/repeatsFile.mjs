/** The file that counts runs of workbench suites over many days; read anew for each change. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup.mjs';
import { added } from './repeats.mjs';

const file = path.join(root, 'test', 'repeats.json');

export const readRepeats = () => JSON.parse(readFileSync(file, 'utf8'));

/** Counts one run of a suite, whose numbers are those of its process. */
export function countRepeat(suite, numbers) {
  const repeats = added(readRepeats(), suite, numbers, new Date());
  writeFileSync(file, `${JSON.stringify(repeats, null, 2)}\n`);
}
