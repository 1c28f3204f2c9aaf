import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { sentMembers } from '../../src/agents/model/sentArguments';
import { parsedText } from '../../src/api/modelValues';
import { findJobProblems } from '../../src/jobs/model/jobDiagnostics';
import { jobNames, readJob } from '../../src/jobs/model/jobSpec';
import { readApiKeyDocument } from '../../src/model/accounts/apiKeyDocument';
import { JsonPlaces } from '../../src/model/documents/jsonPlaces';
import { findTemplateProblems } from '../../src/model/templates/templateDiagnostics';
import { asObject, parseDocument, readFilters } from '../../src/model/templates/templateDocument';
import { parseWorkspaceFile } from '../../src/model/workspace/workspaceFile';
import { JsonFile } from '../../src/store/disk/jsonFile';
import { UserError } from '../../src/util/errors';
import { parseJson, tooDeepAt } from '../../src/util/json';
import { JsonLines } from '../../src/util/jsonLines';
import { formatText } from '../../src/util/text';
import { scriptedClient } from '../support/fakeTransport';
import { useFolder } from '../support/useFolder';
import { findInFile } from '../support/workspaceFile';

const levels = 20_000;
const texts: Readonly<Record<string, string>> = {
  lists: '['.repeat(levels) + ']'.repeat(levels),
  objects: '{"a":'.repeat(levels) + '1' + '}'.repeat(levels),
  'lists in a field': `{"name": "n", "jobs": ${'['.repeat(levels)}${']'.repeat(levels)}}`,
  'filters in a field': `{"name": "n", "image": "i:1", "extra_filters": ${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
  'lists without an end': `{"permissions": ${'['.repeat(levels)}`,
};

/** Each reader of JSON; returns what it says of a text that it refuses. */
const readers: Readonly<Record<string, (source: string) => string>> = {
  'the workspace file': (source) => refusal(() => parseWorkspaceFile(source)),
  'a job': (source) => refusal(() => readJob(source, 'a')),
  'a template document': (source) => refusal(() => parseDocument(source)),
  'the marks of a template': (source) =>
    findTemplateProblems(source)
      .map(({ message }) => formatText(message))
      .join(' '),
  'an API key': (source) => {
    const read = readApiKeyDocument(source, () => true);
    return read.kind === 'problem' ? formatText(read.message) : '';
  },
  'any text': (source) => refusal(() => parseJson(source)),
};

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UserError) {
      return formatText(error.text);
    }
    throw error;
  }
  return '';
}

describe('JSON of 20,000 levels', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  for (const [name, read] of Object.entries(readers)) {
    it(`is refused in words: ${name}`, () => {
      for (const [kind, source] of Object.entries(texts)) {
        assert.match(read(source), /nested more than 64 levels deep/, kind);
      }
    });
  }

  it('counts as no JSON where no sentence is shown', () => {
    for (const [kind, source] of Object.entries(texts)) {
      assert.deepEqual(jobNames(source), [], kind);
      assert.ok(Array.isArray(findInFile(source)));
      assert.ok(Array.isArray(findJobProblems(new JsonPlaces(source))));
      assert.equal(asObject(source), source);
      assert.deepEqual(readFilters(source), {});
      assert.equal(parsedText(source), undefined);
      assert.equal(sentMembers(source), undefined);
      const lines: unknown[] = [];
      const reader = new JsonLines({
        line: (value) => lines.push(value),
        tooLong: () => undefined,
        maxBytes: () => 1e7,
      });
      reader.receive(Buffer.from(`${source}\n[1]\n`));
      assert.deepEqual(lines, [undefined, [1]]);
    }
  });

  it('is set aside where a file of ours holds it', async () => {
    const file = path.join(folder, 'kept.json');
    const warned: string[] = [];
    await writeFile(file, texts['objects'] ?? '');
    const kept = new JsonFile(file, z.unknown(), { warn: (line: string) => void warned.push(line) });
    await kept.read();
    const next = await new JsonFile(file, z.object({}), {
      warn: (line: string) => void warned.push(line),
    }).read();
    assert.notEqual(next.kind, 'present');
  });

  it('is no answer of the service that breaks a window', async () => {
    for (const source of Object.values(texts)) {
      const { client, finish } = scriptedClient(() => ({ text: source }));
      await assert.rejects(finish(client.users.current()), (error) => !(error instanceof RangeError));
    }
  });

  it('is distinguished from brackets in strings and comments', () => {
    const many = '['.repeat(500);
    for (const source of [
      `"${many}"`,
      `"\\"${many}"`,
      `// ${many}\n{}`,
      `/* " ${many} */ {"a": "${many}"}`,
    ]) {
      assert.equal(tooDeepAt(source), undefined, source.slice(0, 20));
    }
    const deep = '['.repeat(64);
    assert.equal(tooDeepAt(deep), undefined);
    assert.equal(tooDeepAt(`{"a": "x", "b": ${deep}`), 79);
    assert.equal(tooDeepAt(`"never closed\n${deep}[`), 14 + 64);
  });

  it('is read by the one reader of JSON everywhere', () => {
    const root = path.join(__dirname, '../../src');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const others = files.filter((file) =>
      readFileSync(path.join(root, file), 'utf8').includes('JSON.parse('),
    );
    // The simulator is no reader of strangers, and answers of the service are cut where they are too deep.
    const allowed = /^(?:simulator\/|util\/json\.ts|api\/answer\.ts)/;
    assert.deepEqual(
      others.filter((file) => !allowed.test(file)),
      [],
    );
  });
});
