import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../../../src/util/replaceFile';
import { FakeClock } from '../../support/fakeClock';
import { useFolder } from '../../support/useFolder';

describe('A file that is replaced in one step', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  it('is for its user alone, in a folder that is made', async () => {
    const file = path.join(folder, 'new', 'one.json');
    await replaceFile(file, '{}');
    assert.equal(readFileSync(file, 'utf8'), '{}');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
  });

  it('waits while another program holds it, as virus scanners on Windows do', async () => {
    const file = path.join(folder, 'one.json');
    await replaceFile(file, 'old');
    const refusals = ['EPERM', 'EACCES', 'EBUSY'];
    const clock = new FakeClock();
    const held: typeof rename = (from, to) => {
      const code = refusals.shift();
      return code === undefined ? rename(from, to) : Promise.reject(Object.assign(new Error(code), { code }));
    };
    await clock.through(replaceFile(file, 'new', { clock, rename: held }));
    assert.equal(readFileSync(file, 'utf8'), 'new');
    refusals.push(...Array<string>(20).fill('EBUSY'));
    await assert.rejects(clock.through(replaceFile(file, 'newer', { clock, rename: held })), /EBUSY/);
    assert.equal(readFileSync(file, 'utf8'), 'new');
    assert.deepEqual(readdirSync(folder), ['one.json']);
  });

  it('leaves nothing beside it where it can not be replaced', async () => {
    const file = path.join(folder, 'one.json');
    mkdirSync(file);
    writeFileSync(path.join(file, 'inside'), '');
    await assert.rejects(replaceFile(file, '{}'));
    assert.deepEqual(readdirSync(folder), ['one.json']);
  });
});
