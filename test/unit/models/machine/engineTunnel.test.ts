import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineTunnel } from '../../../../src/models/machine/engineTunnel';
import type { EngineAddress } from '../../../../src/models/model/engineAddress';
import { systemClock } from '../../../../src/util/clock';
import { silentLog } from '../../../../src/util/log';
import { useEngines, type EngineStandIn } from '../../../support/engineStandIn';
import { useGateways } from '../../../support/gatewayScene';
import { processesWith } from '../../../support/processes';
import { SshHome } from '../../../support/sshHome';
import { sshTo } from '../../../support/sshInstance';
import { SshMachine } from '../../../support/sshMachine';
import { until } from '../../../support/until';

const jobId = 'ab'.repeat(8);
const key = 'cd'.repeat(32);

describe('the tunnel to an engine', () => {
  const engines = useEngines();
  const gateways = useGateways();
  let home: SshHome;
  let machine: SshMachine;
  let engine: EngineStandIn;
  let tunnel: EngineTunnel;

  /** What the script of the job leaves for us. */
  const serve = (port: number, own = key) => {
    const folder = path.join(machine.dir, 'home', '.gpu-rental', 'jobs', `${jobId}00`, 'serving');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, 'port'), `${port}\n`);
    writeFileSync(path.join(folder, 'key'), `${own}\n`, { mode: 0o600 });
  };
  const opened = (wanted = key) =>
    until('the tunnel', () => (tunnel.address?.key === wanted ? tunnel.address : undefined), { everyMs: 20 });
  const socketOf = ({ place }: EngineAddress) => ('socketPath' in place ? place.socketPath : '');

  beforeEach(async () => {
    home = new SshHome();
    machine = await new SshMachine().start();
    engine = await engines.ready({ env: { VLLM_API_KEY: key } });
    const ssh = await sshTo(home, machine);
    serve(engine.port);
    tunnel = new EngineTunnel(
      { ssh, clock: systemClock, log: silentLog, platform: process.platform },
      { alias: 'gpu-7', jobId },
    );
  });
  afterEach(async () => {
    tunnel.dispose();
    await machine.dispose();
    home.dispose();
  });

  it('is a socket that other users and other programs without its path do not reach', async () => {
    const socket = socketOf(await opened());
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(socket)).mode & 0o777, 0o700);
    assert.equal(processesWith(`-L ${socket}:127.0.0.1:${engine.port} `).length, 1);
    assert.deepEqual(processesWith(key), []);
    tunnel.dispose();
    assert.equal(existsSync(path.dirname(socket)), false, 'at once, since the window may close');
  });

  it('opens again with the key of an engine that was started again', async () => {
    await opened();
    const other = 'ef'.repeat(32);
    serve(engine.port, other);
    tunnel.renew();
    await opened(other);
  });

  it('opens again after the connection was cut, and has no address before', async () => {
    await opened();
    const { port } = machine;
    await machine.stop();
    tunnel.renew();
    await until('the interruption', () => tunnel.address === undefined, { everyMs: 20 });
    await machine.start({ port });
    await opened();
  });

  it('carries answers of the gateway', async () => {
    const scene = await gateways.start();
    scene.models.splice(0, 1, {
      name: 'qwen',
      repository: 'Qwen/Qwen3-8B',
      engine: await opened(),
      why: '',
    });
    const answer = await fetch(`http://127.0.0.1:${scene.gateway.port}/v1/chat/completions`, {
      method: 'POST',
      headers: scene.headers,
      body: JSON.stringify({ model: 'qwen', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    assert.match(await answer.text(), /I am a stand-in for qwen/);
  });
});
