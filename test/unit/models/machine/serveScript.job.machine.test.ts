import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Serves } from '../../../../src/jobs/model/serves';
import { engineKeyProgram, readEngineKey } from '../../../../src/models/machine/engineKey';
import { serveScript } from '../../../../src/models/machine/serveScript';
import { jobId, jobOrder, processesOf, shellMachine, useJobs } from '../../../support/jobScene';
import { freePort, tiny, writeEngine } from '../../../support/tinyEngine';
import { until } from '../../../support/until';

describe('a served model as a job of its machine', () => {
  const scene = useJobs();

  const serve = async (engine: string, serves: Partial<Serves> = {}) => {
    const { remote } = scene();
    const bin = path.join(remote, 'bin');
    mkdirSync(bin);
    writeEngine(bin, 'vllm', engine);
    // A login shell sets the path.
    writeFileSync(path.join(remote, '.profile'), 'PATH="$HOME/bin:$PATH"\n');
    const { job } = scene();
    const run = serveScript({ ...tiny, ...serves }, { lookSeconds: 1, port: await freePort() });
    const order = jobOrder(run, { graceSeconds: 20, outputs: [], secrets: { HF_TOKEN: 'hf_planted' } });
    await job.begin(order);
    await job.sync(order, undefined);
    await job.start(order);
  };
  const said = (form: RegExp) =>
    until(String(form), async () =>
      form.test((await scene().job.check(jobId, 0, 65_536)).log.piece.toString()),
    );
  const ended = async () => {
    const { end, log } = await scene().ended(jobId);
    assert.deepEqual(processesOf(jobId), [], 'nothing of it is left');
    return [end?.why, end?.code, log.piece.toString()] as const;
  };
  const detached = `
    require('node:child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 100)'], { detached: true, stdio: 'ignore' }).unref();
    print('token ' + process.env.HF_TOKEN);`;

  it('ends by itself with success, and with it what its engine detached', async () => {
    await serve(`${detached} serve();`, { idleMinutes: 0.1 });
    const [why, code, log] = await ended();
    assert.deepEqual([why, code], ['itself', 0], log);
    assert.match(log, /^token …$/m);
  });

  it('ends with the code of its engine, and with it what its engine detached', async () => {
    await serve(`${detached} setTimeout(() => process.exit(5), 300);`);
    const [why, code, log] = await ended();
    assert.deepEqual([why, code], ['itself', 5], log);
  });

  it('has a key for its machine until it is stopped', async () => {
    await serve("process.on('SIGTERM', () => { print('bye'); process.exit(0); }); serve();");
    await said(/Ready/);
    const { remote, job } = scene();
    const ssh = shellMachine(remote);
    const key = async () =>
      readEngineKey((await ssh.exec('gpu-7', engineKeyProgram(jobId.slice(0, -2)))).stdout);
    const named = async () =>
      readEngineKey((await ssh.exec('gpu-7', engineKeyProgram('ffffffffffffffff'))).stdout);
    assert.ok(await key());
    assert.equal(await named(), undefined);
    await job.cancel(jobId);
    const [why, , log] = await ended();
    assert.equal(why, 'cancelled', log);
    assert.match(log, /^bye$/m);
    assert.equal(await key(), undefined);
  });
});
