import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchSizeOf, freeBytes, Traffic } from '../../../../src/jobs/store/traffic';
import { zero } from '../../../../src/model/money';
import { formatText } from '../../../../src/util/text';
import { jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;

describe('Outputs that are large', () => {
  let scene: JobWindowScene;
  let outputsTo = '';
  const machine = () => scene.machine;

  beforeEach(async () => {
    outputsTo = mkdtempSync(join(tmpdir(), 'gr-large-'));
    scene = await jobWindowScene(new FakeMachine());
  });
  afterEach(async () => {
    await scene.computer.dispose();
    rmSync(outputsTo, { recursive: true, force: true });
  });

  const pass = (ms: number) => scene.computer.clock.advance(ms);
  const destroys = () => scene.service.count('instances.destroy');
  async function order(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const job = aJob(5001, { whenDone: { success: 'destroy' }, ...fields });
    const { id } = await scene.window.jobs.order({ ...job, outputsTo, workspace: outputsTo }, []);
    await pass(0);
    return id;
  }

  for (const [what, listed, free] of [
    ['by their size', 2e12, undefined],
    ['for the room on this computer', 5e9, 1e9],
  ] as const) {
    it(`are asked about before the first byte, while their machine is kept: ${what}`, async () => {
      const job = await order();
      machine().listedBytes = listed;
      machine().freeBytes = free;
      machine().ends({ code: 0, why: 'itself' });
      await pass(5 * minute);
      const { trouble, phase } = scene.window.row(job).state;
      assert.deepEqual(
        [phase, trouble?.kind, trouble?.bytes],
        ['fetching', 'largeOutputs', machine().listedBytes],
      );
      assert.match(trouble?.why ? formatText(trouble.why) : '', /would be fetched\./);
      assert.ok(!machine().calls.includes('fetch'));
      await pass(300 * minute);
      assert.deepEqual([machine().calls.includes('fetch'), destroys()], [false, 0]);
      assert.equal(
        scene.window.noticeKinds().filter((kind) => kind === 'largeOutputs').length,
        1,
        'it is told once',
      );
      await scene.window.jobs.allowFetch(job, machine().listedBytes);
      await pass(5 * minute);
      assert.deepEqual([scene.window.row(job).state.outcome, destroys()], ['destroyed', 1]);
    });
  }

  it('are asked about again where the host lists more than was agreed to', async () => {
    const job = await order();
    machine().listedBytes = 20e9;
    machine().ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    machine().listedBytes = 2e12;
    await scene.window.jobs.allowFetch(job, 20e9);
    await pass(5 * minute);
    assert.equal(scene.window.row(job).state.trouble?.bytes, 2e12);
    assert.ok(!machine().calls.includes('fetch'));
    assert.equal(scene.window.noticeKinds().filter((kind) => kind === 'largeOutputs').length, 2);
  });

  it('are left where the user ends their machine instead', async () => {
    const job = await order();
    machine().listedBytes = 2e12;
    machine().ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    await scene.window.jobs.endMachine(job, 'destroy');
    await pass(5 * minute);
    assert.deepEqual([scene.window.row(job).state.outcome, destroys()], ['destroyed', 1]);
    assert.ok(!machine().calls.includes('fetch'));
  });

  it('keep no checkpoint of such a size from being asked about first', async () => {
    const job = await order({ checkpoints: ['*.ckpt'], fetchMinutes: 10 });
    machine().checkpointThere = ['large.ckpt'];
    machine().listedBytes = 2e12;
    await pass(25 * minute);
    assert.equal(scene.window.row(job).state.checkpointProblem?.bytes, 2e12);
    assert.ok(!machine().calls.includes('fetch'));
    assert.deepEqual(
      scene.window.noticeKinds().filter((kind) => kind === 'notCheckpointed'),
      ['notCheckpointed'],
    );
    await scene.window.jobs.allowFetch(job, 2e12);
    await pass(15 * minute);
    assert.ok(machine().calls.includes('fetch'));
    assert.equal(scene.window.row(job).state.checkpointProblem, undefined);
  });

  it('count what is not here yet, and the room that this computer really has', async () => {
    const files = ['here.bin', 'partly.bin', 'gone.bin'].map((path) => ({
      path,
      kind: 'file' as const,
      size: 1000,
      modified: 1,
    }));
    for (const [name, size] of [
      ['here.bin', 1000],
      ['partly.bin', 400],
    ] as const) {
      writeFileSync(join(outputsTo, name), '');
      truncateSync(join(outputsTo, name), size);
    }
    const size = await fetchSizeOf(freeBytes, files, outputsTo, new Traffic(zero));
    assert.equal(size.bytes, 2000);
    assert.ok((size.freeBytes ?? 0) > 0);
    assert.equal(await freeBytes(join(outputsTo, 'nowhere')), undefined);
    assert.ok(existsSync(join(outputsTo, 'here.bin')));
  });
});
