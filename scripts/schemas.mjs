// Writes media/schemas from the one description of the documents; a unit test fails when they differ.
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('./sources.cjs');
const { documentSchemas, renderSchema } = require('../src/model/templates/templateSchema.ts');

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'media', 'schemas');
await mkdir(folder, { recursive: true });
for (const [name, schema] of Object.entries(documentSchemas())) {
  await writeFile(path.join(folder, name), renderSchema(schema));
}
