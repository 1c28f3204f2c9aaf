import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from '../../../src/util/missing';

describe('a file that may be missing', () => {
  it('is read where it is there, and nothing where it is not', async () => {
    assert.equal(await ifPresent(readFile(__filename, 'utf8')), await readFile(__filename, 'utf8'));
    assert.equal(await ifPresent(readFile(join(__dirname, 'not there'), 'utf8')), undefined);
  });

  it('is no missing file where the disk refuses it', async () => {
    await assert.rejects(ifPresent(readFile(__dirname, 'utf8')), { code: 'EISDIR' });
  });
});
