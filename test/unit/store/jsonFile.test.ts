import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { JsonFile } from '../../../src/store/jsonFile';
import { useFolder } from '../../support/useFolder';

describe('A JSON file that is damaged', () => {
  let folder = '';
  let logged: string[];
  useFolder((made) => void (folder = made));
  const path = () => join(folder, 'own.json');
  const log = { warn: (line: string) => void logged.push(line) };
  beforeEach(() => {
    logged = [];
    writeFileSync(path(), '{ torn');
  });

  it('is set aside, and the log names its new path', async () => {
    const file = new JsonFile(path(), z.object({}), log, () => 7.5);
    const kept = `${path()}.broken-7`;
    assert.deepEqual(await file.read(), { kind: 'setAside', path: kept });
    assert.equal(readFileSync(kept, 'utf8'), '{ torn');
    assert.deepEqual(logged, [`A file was not understood and was kept as ${kept}`]);
    assert.deepEqual(await file.read(), { kind: 'absent' });
  });

  /** Reads the file while another window does something with it. */
  function readWhile(other: () => void) {
    const schema = z.unknown().refine(() => {
      other();
      return false;
    });
    return new JsonFile(path(), schema, log, () => 7).read();
  }

  it('is named by where it lies once another window has set it aside', async () => {
    const kept = `${path()}.broken-6`;
    const content = await readWhile(() => {
      renameSync(path(), kept);
    });
    assert.deepEqual(content, { kind: 'setAside', path: kept });
    assert.ok(existsSync(kept));
    assert.deepEqual(logged, [], 'the other window logs it');
  });

  it('is absent once another window has removed it', async () => {
    const content = await readWhile(() => {
      renameSync(path(), join(folder, 'elsewhere'));
    });
    assert.deepEqual(content, { kind: 'absent' });
    assert.deepEqual(readdirSync(folder), ['elsewhere']);
  });
});
