import assert from 'node:assert/strict';
import type { FileContent } from '../../../src/store/jsonFile';
import { KeptFile } from '../../../src/store/keptFile';
import { silentLog } from '../../../src/util/log';

describe('A file that is read once', () => {
  it('is not overwritten while the disk refuses to read it', async () => {
    let content: FileContent<string> | Error = { kind: 'present', value: 'before' };
    const file = new KeptFile<string>(
      {
        read: () => (content instanceof Error ? Promise.reject(content) : Promise.resolve(content)),
        write: (value) => {
          content = { kind: 'present', value };
          return Promise.resolve();
        },
      },
      silentLog,
      'It could not be read',
    );
    const before = content;
    content = new Error('busy');
    assert.deepEqual([await file.read(), file.isRefused], [undefined, true]);
    await file.write('after');
    assert.ok(content instanceof Error);
    content = before;
    assert.deepEqual([await file.read(), file.isRefused], ['before', false]);
    await file.write('after');
    assert.deepEqual(content, { kind: 'present', value: 'after' });
    content = { kind: 'setAside', path: '/storage/file.broken-1' };
    assert.deepEqual([await file.read(), file.isRefused], [undefined, false]);
  });
});
