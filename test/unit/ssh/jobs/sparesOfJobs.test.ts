import assert from 'node:assert/strict';
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listedTree } from '../../../../src/ssh/fileTree';
import { filesBelow, jobOrder, useJobs } from '../../../support/jobScene';
import { fill } from '../../../support/transfers';
import { until } from '../../../support/until';

describe('The spare copy of a workspace on a machine', () => {
  const scene = useJobs();
  const mirror = (name: string) => join(scene().remote, '.gpu-rental', 'mirrors', 'fe01', name);
  const src = (id: string, name: string) => join(scene().file(id, 'src'), name);
  const old = new Date(1_700_000_000_000);

  /** Sends the workspace for a job, and waits for the copy that is made ahead; its number on the disk. */
  async function sync(id: string): Promise<number> {
    const { workspace, job } = scene();
    const order = jobOrder('true', { id });
    await job.begin(order);
    const { leftOut } = await job.sync(order, await listedTree(workspace, filesBelow(workspace)));
    assert.deepEqual(leftOut, []);
    await until('the spare copy', () => existsSync(mirror('spare/since')));
    return lstatSync(mirror('spare/tree')).ino;
  }
  const numberOf = (id: string) => lstatSync(src(id, '')).ino;

  beforeEach(() => {
    fill(scene().workspace, ['a/same.py', 'a/other.py', 'gone.py']);
    symlinkSync('same.py', join(scene().workspace, 'a/link.py'));
  });

  it('is taken by the next job, which changes nothing of the one after it', async () => {
    const first = await sync('a1');
    const second = await sync('a2');
    assert.equal(numberOf('a2'), first);
    writeFileSync(src('a2', 'a/same.py'), 'changed by the job');
    await sync('a3');
    assert.equal(numberOf('a3'), second);
    assert.equal(readFileSync(src('a3', 'a/same.py'), 'utf8'), 'a/same.py');
  });

  it('has what changed since, also with the same size and time, and nothing that is gone', async () => {
    const { workspace } = scene();
    const first = await sync('a1');
    writeFileSync(join(workspace, 'a/other.py'), 'a/OTHER.py');
    writeFileSync(join(workspace, 'new.py'), 'new');
    await sync('a2');
    assert.equal(numberOf('a2'), first);
    assert.equal(readFileSync(src('a2', 'a/other.py'), 'utf8'), 'a/OTHER.py');
    assert.equal(readFileSync(src('a2', 'new.py'), 'utf8'), 'new');
    rmSync(join(workspace, 'gone.py'));
    rmSync(join(workspace, 'a/link.py'));
    await sync('a3');
    assert.deepEqual([...filesBelow(src('a3', ''))].sort(), ['a/other.py', 'a/same.py', 'new.py']);
  });

  it('is not taken where something else was put into it, or it can’t be brought up to date', async () => {
    await sync('a1');
    utimesSync(mirror('spare/tree/a/same.py'), old, old);
    await sync('a2');
    assert.notEqual(lstatSync(src('a2', 'a/same.py')).mtimeMs, old.getTime());
    writeFileSync(mirror('spare/tree/more.py'), '');
    await sync('a3');
    assert.ok(!existsSync(src('a3', 'more.py')));
  });
});
