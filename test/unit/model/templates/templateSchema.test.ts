import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { getLanguageService, TextDocument, type JSONSchema } from 'vscode-json-languageservice';
import { workspaceSchemas } from '../../../../src/jobs/model/jobsInFile';
import { documentSchemas, renderSchema } from '../../../../src/model/templates/templateSchema';

const schemas: Readonly<Record<string, Record<string, unknown>>> = {
  ...documentSchemas(),
  ...workspaceSchemas(),
};
const service = getLanguageService({});
// The same patterns as in package.json, which the last test compares.
const patterns = {
  'template.schema.json': [
    'gpurental://templates/**/*.json',
    'gpurental://public/**/*.json',
    '*.gpu-template.json',
  ],
  'apiKey.schema.json': ['*.gpu-key.json'],
  'workspaceFile.schema.json': ['/.vscode/gpu-rental.json'],
};
service.configure({
  validate: true,
  schemas: Object.entries(patterns).map(([name, fileMatch]) => ({
    uri: `schema://${name}`,
    fileMatch,
    schema: schemas[name] as JSONSchema,
  })),
});

const open = (uri: string, source: string, language = 'json') =>
  TextDocument.create(uri, language, 1, source);
const own = 'gpurental://templates/12/PyTorch%202.json';

async function problems(uri: string, source: string): Promise<string[]> {
  const document = open(uri, source);
  return (await service.doValidation(document, service.parseJSONDocument(document))).map(({ message }) =>
    JSON.stringify(message),
  );
}

async function completions(uri: string, source: string): Promise<string[]> {
  const document = open(uri, source.replace('|', ''));
  const position = document.positionAt(source.indexOf('|'));
  const list = await service.doComplete(document, position, service.parseJSONDocument(document));
  return (list?.items ?? []).map(({ label }) => label);
}

async function hover(uri: string, source: string): Promise<string> {
  const document = open(uri, source.replace('|', ''));
  const position = document.positionAt(source.indexOf('|'));
  return JSON.stringify(
    (await service.doHover(document, position, service.parseJSONDocument(document)))?.contents,
  );
}

describe('the JSON schemas of our documents', () => {
  it('are the ones that the package ships', async () => {
    for (const [name, schema] of Object.entries(schemas)) {
      const shipped = await readFile(path.join('media', 'schemas', name), 'utf8');
      assert.equal(shipped, renderSchema(schema), `run "npm run schemas" to write ${name} afresh`);
    }
  });

  it('are bound in the manifest to the files that they describe', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
      contributes: { jsonValidation?: { fileMatch: string | string[]; url: string }[] };
    };
    const bound = (manifest.contributes.jsonValidation ?? []).map(({ fileMatch, url }) => [
      path.basename(url),
      [fileMatch].flat(),
    ]);
    assert.deepEqual(Object.fromEntries(bound), patterns);
  });

  it('apply to documents of API keys, with the permissions and their forms', async () => {
    const uri = 'untitled:api-key.gpu-key.json';
    assert.equal((await problems(uri, '{"permissions": {"api": {"instance_read": {}}}}')).length, 0);
    assert.equal((await problems(uri, '{"permissions": {"read": true}}')).length, 0);
    assert.notEqual((await problems(uri, '{"permissions": {"api": {"instance_reed": {}}}}')).length, 0);
    assert.notEqual((await problems(uri, '{"permissions": {"read": "yes"}}')).length, 0);
    const logsOf = (id: string) =>
      `{"permissions": {"api": {"instance_read": {"api.instance.request_logs": {"constraints": {"id": ${id}}}}}}}`;
    assert.equal((await problems(uri, logsOf('{"eq": 1227}'))).length, 0);
    assert.notEqual((await problems(uri, logsOf('{"like": 1227}'))).length, 0);
  });

  it('apply to documents of the service, to files on disk and to the workspace file', async () => {
    const wrong = '{"name": 5}';
    for (const uri of [own, 'gpurental://public/3/a.json', 'file:///home/me/x.gpu-template.json']) {
      assert.equal((await problems(uri, wrong)).length, 1, uri);
    }
    assert.equal((await problems('file:///repo/.vscode/gpu-rental.json', '{"image": 5}')).length, 1);
    assert.equal((await problems('file:///repo/other.json', wrong)).length, 0);
  });

  it('accept what a document holds and mark what it can’t', async () => {
    assert.deepEqual(
      await problems(
        own,
        JSON.stringify({
          name: 'n',
          image: 'i',
          env: { A: '1' },
          extra_filters: { gpu_name: { in: ['RTX 4090'] }, anything: { gte: 1 } },
          recommended_disk_space: 16,
          jupyter_dir: null,
          volume_info: null,
          runtype: 'ssh',
          surprise: true,
        }),
      ),
      [],
    );
    assert.equal((await problems(own, '{"env": {"A": 1}}')).length, 1);
    assert.equal((await problems(own, '{"recommended_disk_space": "16"}')).length, 1);
    assert.equal((await problems(own, '{"recommended_disk_space": 0}')).length, 1);
    assert.equal((await problems(own, '{"ssh_direct": "yes"}')).length, 1);
    assert.equal((await problems('file:///r/.vscode/gpu-rental.json', '{"whenRunning": "wait"}')).length, 1);
  });

  it('complete fields, values and filters', async () => {
    const fields = await completions(own, '{ | }');
    assert.ok(fields.includes('recommended_disk_space') && fields.includes('docker_login_repo'));
    assert.ok(!fields.includes('hash_id'));
    const runtypes = await completions(own, '{ "runtype": | }');
    assert.deepEqual(
      ['"ssh"', '"jupyter"', '"args"'].filter((label) => !runtypes.includes(label)),
      [],
    );
    const filters = await completions(own, '{ "extra_filters": { | } }');
    assert.ok(filters.includes('gpu_name') && filters.includes('reliability'));
    const operators = await completions(own, '{ "extra_filters": { "num_gpus": { | } } }');
    assert.ok(operators.includes('gte'), operators.join());
  });

  it('explain a field with its unit where the pointer rests', async () => {
    assert.match(await hover(own, '{ "recommended_disk|_space": 8 }'), /GB/);
    assert.match(await hover(own, '{ "extra_filters": { "gpu_r|am": {} } }'), /MB/);
    assert.match(
      await hover('file:///r/.vscode/gpu-rental.json', '{ "maxPrice|PerHour": 1 }'),
      /Dollars an hour/,
    );
  });
});
