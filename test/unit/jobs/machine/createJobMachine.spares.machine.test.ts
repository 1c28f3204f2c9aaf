import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { filesBelow, jobOrder, sentFrom, shellMachine, useJobs } from '../../../support/jobScene';
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
    const { leftOut } = await job.sync(order, sentFrom(workspace));
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

  it('has a file that was made executable since, or no longer is', async () => {
    const script = join(scene().workspace, 'a/same.py');
    const modeAfter = async (id: string, mode: number) => {
      chmodSync(script, mode);
      await sync(id);
      return lstatSync(src(id, 'a/same.py')).mode & 0o777;
    };
    utimesSync(script, old, old);
    assert.equal(await modeAfter('a1', 0o644), 0o644);
    assert.equal(await modeAfter('a2', 0o755), 0o755);
    assert.equal(await modeAfter('a3', 0o644), 0o644);
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

describe('A large workspace on a machine', () => {
  const scene = useJobs();
  const mirror = (name: string) => join(scene().remote, '.gpu-rental', 'mirrors', 'fe01', name);
  const src = (id: string, name: string) => join(scene().file(id, 'src'), name);
  /** What the mirror and the job have the same disk space for is given, not copied. */
  const large = () => scene().with({ largeMirrorKb: 0 });
  const sync = async (id: string) => {
    const order = jobOrder('true', { id });
    await large().begin(order);
    assert.deepEqual((await large().sync(order, sentFrom(scene().workspace))).leftOut, []);
  };
  const names = ['a/same.py', 'b/other.py', 'top.py'];
  const old = new Date(1_600_000_000_000);
  const spare = () => until('the spare copy', () => existsSync(mirror('spare/since')));

  beforeEach(() => {
    fill(scene().workspace, names);
    for (const name of names) {
      utimesSync(join(scene().workspace, name), old, old);
    }
  });

  it('is given to its first job and made again, so that nothing is sent twice', async () => {
    await sync('a1');
    await spare();
    const made = lstatSync(mirror('tree/a/same.py')).ino;
    assert.notEqual(made, lstatSync(src('a1', 'a/same.py')).ino);
    await sync('a2');
    assert.equal(lstatSync(mirror('tree/a/same.py')).ino, made);
    assert.deepEqual([...filesBelow(src('a2', ''))].sort(), ['a/same.py', 'b/other.py', 'top.py']);
  });

  it('holds nothing for the next job of what the first one changed, with the same size and time', async () => {
    const { remote } = scene();
    // What makes the mirror again begins once the job has ended.
    const bin = join(remote, 'bin');
    mkdirSync(bin);
    const wait = `until [ -e '${remote.replaceAll("'", "'\\''")}/go' ]; do sleep 0.05; done`;
    writeFileSync(join(bin, 'nice'), `#!/bin/sh\n${wait}\nshift 2\nexec "$@"\n`, { mode: 0o755 });
    const slow = shellMachine(remote, { PATH: `${bin}:${process.env['PATH'] ?? ''}` });
    const order = jobOrder(
      'printf A/SAME.PY >a/same.py; touch -d @1600000000 a/same.py; mv b c; mkdir b; mv c/other.py b/new.py; ' +
        'printf B/OTHER.PY >b/other.py; touch -d @1600000000 b/other.py; rm top.py',
      { id: 'a1' },
    );
    await large().begin(order);
    await scene().with({ largeMirrorKb: 0, ssh: slow }).sync(order, sentFrom(scene().workspace));
    await large().start(order);
    await scene().ended('a1');
    writeFileSync(join(remote, 'go'), '');
    await sync('a2');
    for (const name of names) {
      assert.equal(readFileSync(src('a2', name), 'utf8'), name);
    }
    assert.deepEqual([...filesBelow(src('a2', ''))].sort(), names);
  });

  it('is sent again where what makes it again is gone', async () => {
    await sync('a1');
    await spare();
    renameSync(mirror('tree'), mirror('lost'));
    rmSync(mirror('spare'), { recursive: true });
    mkdirSync(mirror('remake.00/tree'), { recursive: true });
    writeFileSync(mirror('remake.00/tree/top.py'), 'half');
    writeFileSync(mirror('remake.00/pid'), '999999999 1\n');
    await sync('a2');
    assert.equal(readFileSync(src('a2', 'top.py'), 'utf8'), 'top.py');
    assert.ok(!existsSync(mirror('remake.00')));
  });
});
