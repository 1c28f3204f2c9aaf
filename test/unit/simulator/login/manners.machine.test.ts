import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ExpectedMachine } from '../../../../src/model/proof/verdict';
import { verdictOn } from '../../../../src/model/proof/verdict';
import { verdictText } from '../../../../src/model/proof/verdictText';
import { machineManners, type MachineManner } from '../../../../src/simulator/login/manners';
import { probeGpus, type ProbeAnswer } from '../../../../src/ssh/gpuProbe';
import { runProgram } from '../../../../src/ssh/run';
import { formatText } from '../../../../src/util/text';
import { settle } from '../../../support/fakeClock';
import { rentRunning } from '../../../support/rentRunning';
import { startTestSimulator, type TestSimulator } from '../../../support/startSimulator';
import { until } from '../../../support/until';

describe('Simulated machines of all manners', () => {
  let folder: string;
  let key: string;
  let simulator: TestSimulator;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-manners-'));
    key = path.join(folder, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    simulator = await startTestSimulator({ fakeClock: true, sshServer: true, instancesDir: folder });
    const ssh_key = readFileSync(`${key}.pub`, 'utf8');
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key });
    await simulator.call('PUT', '/__sim/credit/', { credit: 500 });
  });
  after(async () => {
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs from this moment on: no time has passed since it did. */
  async function rent(manner: MachineManner): Promise<number> {
    const ordered = await simulator.call('POST', '/__sim/next-manner/', { manner });
    assert.equal(ordered.status, 200);
    return rentRunning(simulator, { runtype: 'ssh_direct', disk: 40 });
  }

  /** One look over real ssh, which gives up at once. */
  function probe(id: number): Promise<ProbeAnswer> {
    const { proxyPort } = simulator.world.instance(id) ?? {};
    const options = ['BatchMode=yes', 'IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR'];
    const args = [
      ...['-T', '-p', String(proxyPort), '-i', key, '-F', 'none'],
      ...[...options, `UserKnownHostsFile=${path.join(folder, 'known')}`].flatMap((one) => ['-o', one]),
    ];
    const exec = (_: string, script: string, more?: object) =>
      runProgram('ssh', [...args, 'root@127.0.0.1', script], more);
    return probeGpus({ exec }, 'gpu-1', { clock: { now: () => 0 } });
  }

  function rented(id: number): ExpectedMachine {
    const instance = simulator.world.instance(id) ?? assert.fail();
    const { machine, gpus } = simulator.world.market.sliceOf(instance);
    return {
      gpuCount: gpus,
      gpuName: machine.model.name,
      gpuRamMb: machine.model.ramMb,
      diskGb: instance.diskGb,
    };
  }

  async function line(id: number, expected = rented(id)): Promise<string> {
    const answer = await probe(id);
    assert.ok(answer.kind === 'proof', JSON.stringify(answer));
    assert.deepEqual(
      readdirSync(path.join(folder, String(id))).filter((name) => /gpu-rental/.test(name)),
      [],
    );
    const words = formatText(verdictText(answer.proof, verdictOn(answer.proof, expected)));
    return words.replace(/disk [\d.]+ .B\/s/, 'disk …');
  }

  async function problem(id: number): Promise<string> {
    const answer = await probe(id);
    return answer.kind === 'noLogin' ? answer.failure.problem : answer.kind;
  }

  it('are one of these', async () => {
    const { status, text } = await simulator.call('POST', '/__sim/next-manner/', { manner: 'nice' });
    assert.equal(status, 400);
    assert.ok(machineManners.every((manner) => text.includes(manner)));
  });

  it('prove what was rented', async () => {
    const id = await rent('usual');
    const { gpuCount, gpuName, gpuRamMb = 0 } = rented(id);
    const words = await line(id);
    assert.ok(words.startsWith(`${gpuCount}× ${gpuName}, driver `), words);
    assert.ok(words.includes(`${Math.round(gpuRamMb / 1024)} GB`), words);
    assert.ok(words.endsWith(' · disk … · GPU and disk OK'), words);
    const answer = await probe(id);
    const { machine } = simulator.world.market.sliceOf(simulator.world.instance(id) ?? assert.fail());
    const { mbPerSecond = 0 } = answer.kind === 'proof' ? answer.proof.disk : {};
    assert.equal(Math.round(mbPerSecond), Math.round(machine.diskBandwidth));
  });

  it('open their port 20 seconds late', async () => {
    const id = await rent('latePort');
    assert.equal(await problem(id), 'refused');
    simulator.advance(19);
    await settle();
    assert.equal(await problem(id), 'refused');
    simulator.advance(1);
    await until('the port is open', async () => (await problem(id)) === 'proof');
  });

  it('write the key 15 seconds late', async () => {
    const id = await rent('lateKey');
    assert.equal(await problem(id), 'authentication');
    simulator.advance(14);
    assert.equal(await problem(id), 'authentication');
    simulator.advance(1);
    assert.equal(await problem(id), 'proof');
  });

  it('never accept a key', async () => {
    const id = await rent('refusedKey');
    simulator.advance(3600);
    await simulator.call('POST', `/api/v0/instances/${id}/ssh/`, {
      ssh_key: readFileSync(`${key}.pub`, 'utf8'),
    });
    assert.equal(await problem(id), 'authentication');
  });

  it('end the shell at once', async () => {
    assert.equal(await problem(await rent('endedShell')), 'startupScript');
  });

  it('lack a GPU', async () => {
    const { market } = simulator.world;
    const slice = market.offers.find((each) => market.isRentable(each) && each.gpus === 4) ?? assert.fail();
    simulator.orders.behave('missingGpu', 1, slice.machine.id);
    const answer = await simulator.call('PUT', `/api/v0/asks/${slice.offerId}/`, {
      image: 'a/b',
      runtype: 'ssh',
    });
    const id = Number(answer.json.new_contract);
    simulator.advance(600);
    await until('it runs', () => simulator.world.instance(id)?.actualStatus === 'running');
    assert.match(await line(id), /^3× .* · 3 of 4 GPUs answer$/);
  });

  const others: readonly (readonly [MachineManner, RegExp])[] = [
    ['otherGpu', /^\d× GTX 1050 Ti, .* · GTX 1050 Ti instead of .* · 4 GB of GPU memory instead of \d+ GB$/],
    ['fullDisk', / · the disk is full \(83 MB free\)$/],
    ['noNvidiaSmi', /^\d× GPU · disk … · no nvidia-smi$/],
    ['failedNvidiaSmi', /nvidia-smi fails: NVIDIA-SMI has failed/],
    ['hungNvidiaSmi', /nvidia-smi does not answer$/],
    ['mig', /^1× A100-SXM4-80GB, driver 545, 80 GB · disk … · A100-SXM4-80GB instead of /],
  ];
  for (const [manner, words] of others) {
    it(`of the manner ${manner} show that`, async () => {
      assert.match(await line(await rent(manner)), words);
    });
  }

  it('print what was recorded', async () => {
    const expected = { gpuCount: 2, gpuName: 'A800 PCIE', gpuRamMb: 81_920, diskGb: 40 };
    assert.equal(
      await line(await rent('recorded'), expected),
      '2× A800 80GB PCIe, driver 580, 80 GB each · disk … · GPU and disk OK',
    );
  });

  it('are looked at by one at a time, and side by side', async () => {
    const [first, second] = [await rent('usual'), await rent('usual')];
    const kinds = async (...ids: readonly number[]) =>
      (await Promise.all(ids.map(probe))).map(({ kind }) => kind).sort();
    assert.deepEqual(await kinds(first, second), ['proof', 'proof']);
    // Another look that is under way, for as long as its input is open.
    const other = spawn('flock', [path.join(folder, String(first)), 'sh', '-c', 'echo; cat']);
    await once(other.stdout, 'data');
    assert.deepEqual(await kinds(first, second), ['busy', 'proof']);
    other.stdin.end();
    await once(other, 'close');
    assert.deepEqual(await kinds(first, second), ['proof', 'proof']);
  });
});
