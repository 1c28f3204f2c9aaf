// Writes media/schemas and the schemas of the agents' tools from the one description of each; unit tests fail when they
// differ.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';

const require = createRequire(import.meta.url);
require('./sources.cjs');
const { documentSchemas, renderSchema } = require('../src/model/templates/templateSchema.ts');
const { workspaceSchemas } = require('../src/jobs/model/jobsInFile.ts');
const { languageModelTools, toolSchemas } = require('../src/agents/model/toolSchemas.ts');

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'media', 'schemas');
await mkdir(folder, { recursive: true });
for (const [name, schema] of Object.entries({ ...documentSchemas(), ...workspaceSchemas() })) {
  await writeFile(path.join(folder, name), renderSchema(schema));
}

const toolFile = path.join(root, 'src', 'agents', 'model', 'toolSchemas.json');
const options = { ...(await prettier.resolveConfig(toolFile)), filepath: toolFile };
await writeFile(toolFile, await prettier.format(renderSchema(toolSchemas()), options));
const manifestFile = path.join(root, 'package.json');
const manifest = JSON.parse(await readFile(manifestFile, 'utf8'));
manifest.contributes.languageModelTools = languageModelTools();
await writeFile(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
