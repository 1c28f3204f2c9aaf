import assert from 'node:assert/strict';
import type { FileContent } from '../../../src/store/jsonFile';
import { KeptFile } from '../../../src/store/keptFile';
import { silentLog } from '../../../src/util/log';

describe('A file that is read once', () => {
  it('is not overwritten while the disk refuses to read it', async () => {
    let content: FileContent<string> | Error = { kind: 'present', value: 'before' };
    const told: string[] = [];
    const log = {
      ...silentLog,
      warn: (line: string) => void told.push(line),
      error: (line: string, cause: unknown) => void told.push(`${line}: ${String(cause)}`),
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
    assert.deepEqual(told.splice(0), ['It could not be read: Error: busy']);
    assert.deepEqual([await file.read(), file.isRefused], [undefined, true]);
    assert.deepEqual(told, [], 'told once');
    await file.write('after');
    assert.ok(content instanceof Error);
    content = before;
    assert.deepEqual([await file.read(), file.isRefused], ['before', false]);
    await file.write('after');
    assert.deepEqual(content, { kind: 'present', value: 'after' });
    assert.deepEqual(told, []);
    content = { kind: 'setAside', path: '/storage/file.broken-1' };
    assert.deepEqual([await file.read(), file.isRefused], [undefined, false]);
    assert.deepEqual(told, []);
  });
});
