import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpointFolder, checkpointNames } from '../../../../src/store/jobs/checkpoints';

describe('The newest checkpoint of a job', () => {
  const id = '0123456789abcdef';
  let outputsTo: string;
  const folder = (name: string) => join(checkpointFolder({ id, outputsTo }), '..', name);
  const write = (name: string, text: string) => {
    mkdirSync(folder(name), { recursive: true });
    writeFileSync(join(folder(name), 'model.bin'), text);
  };
  const read = () => readFileSync(join(folder('last'), 'model.bin'), 'utf8');
  beforeEach(() => {
    outputsTo = mkdtempSync(join(tmpdir(), 'gr-checkpoint-'));
  });
  afterEach(() => {
    rmSync(outputsTo, { recursive: true, force: true });
  });

  it('is there after a crash in the moment that a new one takes its place', async () => {
    write('last', 'first');
    write('next', 'second');
    renameSync(folder('last'), folder('old'));
    assert.deepEqual(await checkpointNames({ id, outputsTo }), ['model.bin']);
    assert.equal(read(), 'second');
  });

  it('is not one that a crash left half fetched', async () => {
    write('last', 'first');
    write('next', 'sec');
    assert.deepEqual(await checkpointNames({ id, outputsTo }), ['model.bin']);
    assert.equal(read(), 'first');
  });

  it('is none where the user removed its folder, or nothing but a part of the first came', async () => {
    assert.deepEqual(await checkpointNames({ id, outputsTo }), []);
    write('next', 'fir');
    assert.deepEqual(await checkpointNames({ id, outputsTo }), []);
  });
});
