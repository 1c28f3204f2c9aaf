import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TransferError } from '../../../../src/ssh/transfer';
import { formatText } from '../../../../src/util/text';
import { filesBelow, jobId, jobOrder, sentFrom, useSshJobs } from '../../../support/jobScene';
import { openedFolder } from '../../../support/openedFolder';
import { seeded, sized, testSeed } from '../../../support/seeded';
import { fill } from '../../../support/transfers';

/** Names and contents of a folder. */
function contents(folder: string): ReadonlyMap<string, string> {
  return new Map(
    [...filesBelow(folder)].sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
}

describe('A job over connections that break', () => {
  const scene = useSshJobs();
  const random = seeded(testSeed);
  const tree = () => sentFrom(scene().workspace);

  let hits = 0;

  /** Does a step until so many connections were cut in it, then again; a cut is an error of the connection. */
  async function withCuts<T>(bytes: number, step: () => Promise<T>, cuts = sized(2, 70)): Promise<T> {
    const { proxy } = scene();
    // What has arrived is not sent again, so that later cuts come earlier.
    let range = bytes;
    for (let left = cuts; left > 0;) {
      proxy.cutAfter(Math.floor(random() * range));
      await step().catch((error: unknown) => {
        assert.ok(error instanceof TransferError, String(error));
      });
      if (proxy.spare()) {
        range = Math.max(3_000, range / 2);
      } else {
        left -= 1;
        hits += 1;
      }
    }
    return step();
  }

  it('is sent, started once, followed and fetched whole', async () => {
    const { workspace, results, job, remote } = scene();
    fill(
      workspace,
      Array.from({ length: 40 }, (_, index) => `src/${index % 4}/file ${index}.py`),
    );
    writeFileSync(join(workspace, 'data.bin'), Buffer.alloc(200_000, 7));
    const run = [
      'echo x >>"$HOME/starts"',
      'head -c 60000 /dev/zero',
      'cp -r . "$HOME/copy"',
      'mv "$HOME/copy" outputs/copy',
    ];
    const order = jobOrder(run.join('\n'));
    await withCuts(30_000, () => job.begin(order), 2);
    await withCuts(260_000, async () => job.sync(order, tree()));
    assert.deepEqual(contents(scene().file(jobId, 'src')), contents(workspace));
    await withCuts(12_000, () => job.start(order), 2);
    assert.equal((await scene().ended(jobId)).end?.code, 0);
    assert.equal(await job.start(order), 'already');
    const check = await withCuts(70_000, () => job.check(jobId, 0, 65_536));
    assert.equal(check.log.piece.toString('latin1').replaceAll('\0', ''), '');
    assert.equal(check.log.offset, 60_000);
    assert.equal(readFileSync(join(remote, 'starts'), 'utf8'), 'x\n');
    const list = await withCuts(20_000, () => job.outputs(jobId, ['outputs/**']), 2);
    const outcome = await withCuts(260_000, () => job.fetch(jobId, list, openedFolder(results)));
    assert.deepEqual(outcome.leftOut, []);
    assert.deepEqual(contents(join(results, 'outputs/copy')), contents(workspace));
    assert.equal(hits, 3 * sized(2, 70) + 3 * 2);
  }).timeout(sized(120_000, 1_200_000));

  it('sends 2,000 files, and nothing of them for the next job', async () => {
    const { workspace, job, proxy, results } = scene();
    const names = Array.from({ length: 2000 }, (_, index) => `part ${index % 20}/f${index}.txt`);
    fill(workspace, names);
    // What was changed in the second of the first look would be sent again.
    names.forEach((name) => utimesSync(join(workspace, name), 1_700_000_000, 1_700_000_000));
    const first = jobOrder('mkdir -p outputs; cp -r part* outputs');
    await job.begin(first);
    const { files } = await job.sync(first, tree());
    assert.equal(files, 2000);
    await job.start(first);
    assert.equal((await scene().ended(jobId)).end?.code, 0);
    const list = await job.outputs(jobId, ['outputs/**']);
    const fetched = await job.fetch(jobId, list, openedFolder(results));
    assert.deepEqual([fetched.files, fetched.leftOut], [2000, []]);
    const second = jobOrder('true', { id: 'b2' });
    await job.begin(second);
    proxy.sent = 0;
    assert.equal((await job.sync(second, tree())).files, 2000);
    assert.ok(proxy.sent < 30_000, `${proxy.sent} bytes`);
    proxy.sent = 0;
    await job.fetch(jobId, list, openedFolder(results));
    assert.ok(proxy.sent < 30_000, 'what has the same hash here is kept');
  });

  it('gets the workspace as it is, for any content of the mirror, and keeps its own copy', async () => {
    const { workspace, job } = scene();
    fill(workspace, ['keep', 'gone', 'folder/file', 'becomes a folder', 'changed']);
    const first = jobOrder('true');
    await job.begin(first);
    await job.sync(first, tree());
    const before = contents(workspace);
    rmSync(join(workspace, 'gone'));
    rmSync(join(workspace, 'folder'), { recursive: true });
    rmSync(join(workspace, 'becomes a folder'));
    fill(workspace, ['folder', 'becomes a folder/file']);
    // In the same second and of the same size.
    writeFileSync(join(workspace, 'changed'), 'CHANGED');
    chmodSync(join(workspace, 'keep'), 0o755);
    const second = jobOrder('true', { id: 'b2' });
    await job.begin(second);
    await job.sync(second, tree());
    assert.deepEqual(contents(scene().file('b2', 'src')), contents(workspace));
    assert.deepEqual(contents(scene().file(jobId, 'src')), before);
  });

  it('brings nothing here that its names, links or changed files would put elsewhere', async () => {
    const { job, results } = scene();
    const order = jobOrder('true');
    await job.begin(order);
    await job.sync(order, undefined);
    const outputs = scene().file(jobId, 'src/outputs');
    mkdirSync(outputs);
    fill(outputs, ['-rf', 'line\nend', 'n'.repeat(255), 'plain', 'changed']);
    symlinkSync('/etc/passwd', join(outputs, 'passwd'));
    symlinkSync('plain', join(outputs, 'inner'));
    const list = await job.outputs(jobId, ['outputs/**']);
    writeFileSync(join(outputs, 'changed'), 'CHANGED');
    const { leftOut } = await job.fetch(jobId, list, openedFolder(results));
    assert.deepEqual(Object.fromEntries(leftOut.map(({ name, why }) => [name, formatText(why)])), {
      'outputs/line\nend': 'a name with control characters',
      'outputs/changed': 'arrived with other content than the instance listed',
      'outputs/passwd': 'a link that leads out of what is transferred, or to nothing',
    });
    assert.deepEqual([...filesBelow(results)].sort(), [
      'outputs/-rf',
      'outputs/inner',
      `outputs/${'n'.repeat(255)}`,
      'outputs/plain',
    ]);
  });
});
