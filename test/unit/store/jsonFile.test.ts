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

  /** Reads the file while another window does something with it; only the `good` values are understood. */
  function readWhile(other: () => void, ...good: readonly string[]) {
    const schema = z.unknown().refine((value) => {
      other();
      return good.includes(String(value));
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

  it('is read as another window has repaired it, and the repaired file stays', async () => {
    const content = await readWhile(() => {
      writeFileSync(path(), '"repaired"');
    }, 'repaired');
    assert.deepEqual(content, { kind: 'present', value: 'repaired' });
    assert.deepEqual(readdirSync(folder), ['own.json']);
    assert.deepEqual(logged, []);
  });

  it('does not replace what another window wrote after the repair', async () => {
    const kept = `${path()}.broken-7`;
    let repairs = 0;
    const content = await readWhile(
      () => {
        repairs += 1;
        writeFileSync(path(), repairs === 1 ? '"repaired"' : '"newest"');
      },
      'repaired',
      'newest',
    );
    assert.deepEqual(content, { kind: 'present', value: 'newest' });
    assert.ok(!existsSync(kept));
  });

  it('is absent once another window has removed it', async () => {
    const content = await readWhile(() => {
      renameSync(path(), join(folder, 'elsewhere'));
    });
    assert.deepEqual(content, { kind: 'absent' });
    assert.deepEqual(readdirSync(folder), ['elsewhere']);
  });
});
