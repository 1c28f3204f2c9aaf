import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';

const root = path.resolve(__dirname, '..', '..');
const read = (...names: readonly string[]) => readFileSync(path.join(root, ...names), 'utf8');
const { load } = createRequire(__filename)('js-yaml') as { readonly load: (text: string) => unknown };

describe('the workflows', () => {
  it('name each action by a commit and its version, because a tag can be moved', () => {
    const folder = path.join(root, '.github', 'workflows');
    const uses = readdirSync(folder).flatMap(
      (file) => read('.github', 'workflows', file).match(/uses: .*/g) ?? [],
    );
    assert.ok(uses.length > 5);
    assert.deepEqual(
      uses.filter((line) => !/^uses: (?:[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+|\.\/\S+)$/.test(line)),
      [],
    );
  });

  it('are checked by a linter that finds a value which does not exist', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gpu-rental workflow-'));
    try {
      const workflow = read('.github', 'workflows', 'ci.yml');
      writeFileSync(path.join(folder, 'ci.yml'), workflow.replaceAll('matrix.version', 'matrix.versoin'));
      const linter = path.join(
        root,
        'node_modules',
        '@tktco',
        'node-actionlint',
        'bin',
        'node-actionlint.js',
      );
      const { status, stdout } = spawnSync(process.execPath, [linter, '*.yml'], {
        cwd: folder,
        encoding: 'utf8',
      });
      assert.equal(status, 1);
      assert.match(stdout, /property "versoin" is not defined/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('an issue form', () => {
  const attributes = z.looseObject({ label: z.string() });
  const form = z.strictObject({
    name: z.string(),
    description: z.string(),
    body: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
        z.strictObject({
          type: z.enum(['textarea', 'input', 'dropdown', 'checkboxes']),
          id: z.string(),
          attributes,
          validations: z.strictObject({ required: z.boolean() }).optional(),
        }),
      ]),
    ),
  });
  const texts: Record<string, string> = z
    .record(z.string(), z.string())
    .parse(JSON.parse(read('package.nls.json')));

  for (const file of ['problem.yml', 'idea.yml']) {
    it(`has fields that GitHub knows, and asks for the support bundle: ${file}`, () => {
      const { body } = form.parse(load(read('.github', 'ISSUE_TEMPLATE', file)));
      const ids = body.flatMap((field) => ('id' in field ? [field.id] : []));
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(JSON.stringify(body).includes(`GPU Rental: ${texts['command.saveSupportBundle']}`));
    });
  }
});
