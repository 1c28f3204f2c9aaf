import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Door } from '../../../../src/simulator/login/door';
import { nvidiaSmiScript } from '../../../../src/simulator/login/nvidiaSmi';
import { eventually } from '../../../support/rentRunning';
import { startTestSimulator } from '../../../support/startSimulator';

const closed = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

describe('The door of a machine', () => {
  const options = {
    serve: (socket: Socket) => socket.end('ssh'),
    lastProxyPort: null,
    lastDirectPorts: {},
    direct: [] as string[],
    pair: false,
    onConnections: () => undefined,
  };

  it('opens the proxy port and, for Jupyter, the one below', async () => {
    const door = new Door({ ...options, pair: true });
    const { proxyPort } = await door.open();
    assert.deepEqual([await closed(proxyPort), await closed(proxyPort - 1)], [false, false]);
    door.close();
    assert.deepEqual([await closed(proxyPort), await closed(proxyPort - 1)], [true, true]);
  });

  it('uses the ports it had before, unless another instance has them', async () => {
    const first = new Door({ ...options, direct: ['22/tcp'] });
    const before = await first.open();
    first.close();
    const last = {
      lastProxyPort: before.proxyPort,
      lastDirectPorts: before.directPorts,
      direct: ['22/tcp'],
    };
    const second = new Door({ ...options, ...last });
    assert.deepEqual(await second.open(), before);
    const third = new Door({ ...options, ...last, pair: true });
    const after = await third.open();
    assert.notEqual(after.proxyPort, before.proxyPort);
    second.close();
    third.close();
  });

  it('leads other ports to the same port of this computer', async () => {
    const program = createServer((socket) => socket.end('from the program'));
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    const name = `${(program.address() as AddressInfo).port}/tcp`;
    const door = new Door({ ...options, direct: [name] });
    const { directPorts } = await door.open();
    const text = await new Promise<string>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: directPorts[name] ?? 0 });
      socket.on('data', (data) => resolve(data.toString('utf8')));
    });
    assert.equal(text, 'from the program');
    door.close();
    program.close();
  });

  it('counts who is there', async () => {
    let count = 0;
    let held: Socket | undefined;
    const door = new Door({
      ...options,
      serve: (socket) => (held = socket),
      onConnections: (change) => (count += change),
    });
    const { proxyPort } = await door.open();
    const client = connect({ host: '127.0.0.1', port: proxyPort });
    await new Promise((resolve) => client.once('connect', resolve));
    while (!held) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(count, 1);
    const gone = new Promise((resolve) => client.once('close', resolve));
    door.close();
    await gone;
    assert.equal(count, 0);
  });
});

describe('nvidia-smi', () => {
  it('answers queries for every GPU of the offer', async () => {
    const simulator = await startTestSimulator();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-smi-'));
    try {
      const slice = simulator.world.market.offers.find((each) => each.gpus === 4);
      assert.ok(slice);
      const file = path.join(folder, 'nvidia-smi');
      writeFileSync(file, nvidiaSmiScript(slice));
      const run = (...args: string[]) => execFileSync('/bin/sh', [file, ...args], { encoding: 'utf8' });
      const csv = run('--query-gpu=index, name,memory.total,nonsense', '--format=csv').trim().split('\n');
      assert.equal(csv[0], 'index, name, memory.total [MiB], nonsense');
      assert.equal(csv.length, 5);
      assert.match(csv[4] ?? '', new RegExp(`^3, NVIDIA .*, ${slice.machine.model.ramMb} MiB, \\[N/A\\]$`));
      assert.equal(run('--list-gpus').trim().split('\n').length, 4);
      assert.match(run(), new RegExp(`Driver Version: ${slice.machine.driver}`));
      assert.match(run('--help'), /simulated/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await simulator.close();
    }
  });
});

describe('A machine whose SSH server can’t start', () => {
  it('fails with a reason', async () => {
    const errors: unknown[] = [];
    const simulator = await startTestSimulator({
      sshServer: true,
      speed: 5000,
      onError: (error) => errors.push(error),
      // A file where the folders should be: nothing can be prepared for the machine.
      instancesDir: __filename,
    });
    const { market } = simulator.world;
    const slice = market.offers.find((each) => market.isRentable(each));
    await simulator.call('PUT', `/api/v0/asks/${slice?.offerId ?? 0}/`, { image: 'a/b' });
    await eventually(() => simulator.world.instances[0]?.failed === true);
    const [instance] = simulator.world.instances;
    assert.equal(instance?.actualStatus, 'exited');
    assert.match(String(instance.statusMessage), /could not start/);
    assert.equal(errors.length, 1);
    await simulator.close();
  });
});
