import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { JsonFile, KeptFile, type FileContent } from '../../../../src/store/disk/jsonFile';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

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

describe('A file that is read once', () => {
  it('is not overwritten while the disk refuses to read it', async () => {
    let content: FileContent<string> | Error = { kind: 'present', value: 'before' };
    const events: string[] = [];
    const log = {
      ...silentLog,
      warn: (line: string) => void events.push(line),
      error: (line: string, cause: unknown) => void events.push(`${line}: ${String(cause)}`),
    };
    const file = new KeptFile<string>(
      {
        read: () => (content instanceof Error ? Promise.reject(content) : Promise.resolve(content)),
        write: (value) => {
          content = { kind: 'present', value };
          return Promise.resolve();
        },
      },
      log,
      'It could not be read',
    );
    const before = content;
    content = new Error('busy');
    assert.deepEqual([await file.read(), file.isRefused], [undefined, true]);
    assert.deepEqual(events.splice(0), ['It could not be read: Error: busy']);
    assert.deepEqual([await file.read(), file.isRefused], [undefined, true]);
    assert.deepEqual(events, [], 'told once');
    await file.write('after');
    assert.ok(content instanceof Error);
    content = before;
    assert.deepEqual([await file.read(), file.isRefused], ['before', false]);
    await file.write('after');
    assert.deepEqual(content, { kind: 'present', value: 'after' });
    assert.deepEqual(events, []);
    content = { kind: 'setAside', path: '/storage/file.broken-1' };
    assert.deepEqual([await file.read(), file.isRefused], [undefined, false]);
    assert.deepEqual(events, []);
  });
});
