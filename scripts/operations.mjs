// Writes the table of operations into docs/operations.md; a test compares the two.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { require as requireTypeScript } from 'tsx/cjs/api';

const file = fileURLToPath(new URL('../docs/operations.md', import.meta.url));
const { withTable } = requireTypeScript('../test/support/operationsTable.ts', import.meta.url);
const before = readFileSync(file, 'utf8');
const after = withTable(before);
if (after !== before) {
  writeFileSync(file, after);
  console.log('docs/operations.md was brought up to date.');
}
