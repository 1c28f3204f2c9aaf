// Writes the tables of operations, of failures and of fields for other engines into docs; tests compare them.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { require as requireTypeScript } from 'tsx/cjs/api';

const { withTable } = requireTypeScript('../test/support/operationsTable.ts', import.meta.url);
const { runFailures, withFailures } = requireTypeScript('../test/support/failureTable.ts', import.meta.url);
const { withFields } = requireTypeScript('../test/support/exportTable.ts', import.meta.url);
const outcomes = await runFailures();
update('docs/operations.md', withTable);
update('docs/job-export.md', withFields);
update('docs/service/failures.md', (page) => withFailures(page, outcomes));

function update(name, write) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const before = readFileSync(file, 'utf8');
  const after = write(before);
  if (after !== before) {
    writeFileSync(file, after);
    console.log(`${name} was brought up to date.`);
  }
}
