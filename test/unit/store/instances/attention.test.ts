import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attention } from '../../../../src/store/instances/attention';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

describe('the note for the next start', () => {
  let dir = '';
  useFolder((made) => void (dir = made));

  it('is written when the answer changes, and only then', async () => {
    const file = join(dir, 'new', 'attention.json');
    const attention = new Attention(file, silentLog);
    await attention.set(true);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { needed: true });
    const { mtimeMs } = await stat(file);
    await attention.set(true);
    assert.equal((await stat(file)).mtimeMs, mtimeMs);
    await attention.set(false);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { needed: false });
  });

  it('is written again where another window wrote the opposite', async () => {
    const file = join(dir, 'attention.json');
    const [one, other] = [new Attention(file, silentLog), new Attention(file, silentLog)];
    await one.set(true);
    await other.set(false);
    await one.set(true);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { needed: true });
  });

  it('ends with the last answer at any speed of answers', async () => {
    const file = join(dir, 'attention.json');
    const attention = new Attention(file, silentLog);
    void attention.set(true);
    void attention.set(false);
    await attention.set(true);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { needed: true });
  });

  it('is logged if it can’t be written, and tried again', async () => {
    await writeFile(join(dir, 'in-the-way'), '');
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
    const attention = new Attention(join(dir, 'in-the-way', 'attention.json'), log);
    await attention.set(true);
    await attention.set(true);
    assert.equal(warnings.length, 2);
  });
});
