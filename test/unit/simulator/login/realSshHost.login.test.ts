import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { newHostKey } from '../../../../src/simulator/login/machineDir';
import { eventually, rentRunning } from '../../../support/rentRunning';
import { startTestSimulator, type TestSimulator } from '../../../support/startSimulator';
import { pause } from '../../../support/until';

const run = promisify(execFile);
describe('A simulated machine', () => {
  let simulator: TestSimulator;
  let folder: string;
  let keyFile: string;
  let id: number;

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-ssh-'));
    keyFile = await makeKey('own');
    simulator = await startTestSimulator({
      sshServer: true,
      speed: 2000,
      instancesDir: path.join(folder, 'it em'),
    });
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: readFileSync(`${keyFile}.pub`, 'utf8') });
    id = await rentRunning(simulator, {
      runtype: 'ssh_direct',
      env: {
        GREETING: 'it\'s $HOME "fine"\nsecond',
        BASH_ENV: '/nope',
        '-p 8000:8000': '1',
        '-p 70000:70000': '1',
      },
      onstart: `touch ${path.join(folder, 'onstart-ran')}`,
    });
  });

  after(async () => {
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function makeKey(name: string): Promise<string> {
    const file = path.join(folder, name);
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `${name}@test`, '-f', file]);
    return file;
  }

  async function address(instanceId = id) {
    const { json } = await simulator.call('GET', `/api/v0/instances/${instanceId}/`);
    return {
      direct: Number(json.instances.ports?.['22/tcp'][0].HostPort),
      proxy: Number(json.instances.ssh_port),
      host: String(json.instances.ssh_host),
    };
  }

  function sshArgs(port: number, key = keyFile): string[] {
    const options = [
      'BatchMode=yes',
      'IdentitiesOnly=yes',
      'StrictHostKeyChecking=no',
      `UserKnownHostsFile=${path.join(folder, 'known_hosts')}`,
      'LogLevel=ERROR',
    ];
    return ['-F', 'none', '-i', key, '-p', String(port), ...options.flatMap((option) => ['-o', option])];
  }

  async function ssh(command: string, port?: number, key?: string): Promise<string> {
    const args = [...sshArgs(port ?? (await address()).direct, key), 'root@127.0.0.1', command];
    const running = run('ssh', args, { timeout: 20_000 });
    running.child.stdin?.end();
    return (await running).stdout;
  }

  it('gives a port that has the same number inside and outside', async () => {
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/`);
    const ports = Object.entries(json.instances.ports as Record<string, readonly { HostPort: string }[]>);
    const same = ports.filter(([name, [first]]) => name === `${String(first?.HostPort)}/tcp`);
    assert.deepEqual([same.length, ports.length], [1, 3]);
  });

  it('runs a command in the home of the machine, at the direct and at the proxy address', async () => {
    const { direct, proxy, host } = await address();
    assert.equal(host, '127.0.0.1');
    assert.notEqual(direct, proxy);
    for (const port of [direct, proxy]) {
      const home = path.join(folder, 'it em', String(id));
      assert.equal(await ssh('pwd; echo "$HOME"; echo "$USER"', port), `${home}\n${home}\nroot\n`);
    }
  });

  it('returns the exit code of a command and keeps its two outputs apart', async () => {
    await assert.rejects(ssh('echo out; echo err >&2; exit 7'), {
      code: 7,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('passes input through byte for byte', async () => {
    const args = [...sshArgs((await address()).direct), 'root@127.0.0.1', 'cat'];
    const child = spawn('ssh', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const sent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.stdin.end(sent);
    await new Promise((resolve) => child.once('close', resolve));
    assert.ok(Buffer.concat(parts).equals(sent));
  });

  it('has the environment that was asked for, and nothing that would run on this computer', async () => {
    const shown = await ssh('printf %s "$GREETING"; echo; echo "[$BASH_ENV]"; ls -A ~/workspace');
    assert.equal(shown, 'it\'s $HOME "fine"\nsecond\n[]\n');
    assert.throws(() => readFileSync(path.join(folder, 'onstart-ran')), { code: 'ENOENT' });
  });

  it('lets the key of the machine read, stop and destroy it and do nothing else', async () => {
    const key = (await ssh('printf %s "$CONTAINER_API_KEY"')).trim();
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.equal((await simulator.call('GET', '/api/v0/users/current/', undefined, key)).status, 403);
    assert.equal((await simulator.call('GET', '/api/v0/instances/', undefined, key)).status, 403);
    const other = `/api/v0/instances/${id + 1}/`;
    assert.equal((await simulator.call('GET', other, undefined, key)).status, 403);
    assert.equal((await simulator.call('DELETE', other, undefined, key)).status, 403);
    const own = await simulator.call('GET', `/api/v0/instances/${id}/`, undefined, key);
    assert.equal(own.json.instances.id, id);
  });

  it('answers nvidia-smi for the rented GPUs', async () => {
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/`);
    const { gpu_name: name, num_gpus: count, gpu_ram: ram } = json.instances;
    assert.match(await ssh('nvidia-smi'), /NVIDIA-SMI[\s\S]*simulated/);
    assert.equal((await ssh('nvidia-smi -L')).trim().split('\n').length, count);
    const csv = await ssh('nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits');
    assert.ok(csv.split('\n')[0]?.includes(String(name)));
    assert.ok(csv.split('\n')[0]?.endsWith(`, ${String(ram)}`));
  });

  it('opens a shell in a terminal of the given size, with a banner that explains what it is', async () => {
    const { direct } = await address();
    const inner = ['ssh', '-tt', ...sshArgs(direct), 'root@127.0.0.1'].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qfec', `stty rows 33 cols 101; ${inner}`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    child.stdout.on('data', (part: Buffer) => {
      shown += part.toString('utf8');
    });
    await eventually(() => shown.includes('(simulated)'));
    child.stdin.write('stty size; command -v nvidia-smi; exit\n');
    await new Promise((resolve) => child.once('close', resolve));
    assert.match(shown, /real shell on YOUR computer/);
    assert.match(shown, /33 101/);
    assert.match(shown, /\.machine\/bin\/nvidia-smi/);
  });

  it('transfers files by sftp', async () => {
    const from = path.join(folder, 'sent.bin');
    const back = path.join(folder, 'back.bin');
    writeFileSync(from, Buffer.alloc(200_000, 'gpu'));
    chmodSync(from, 0o640);
    const batch = path.join(folder, 'batch');
    writeFileSync(
      batch,
      [
        'mkdir workspace/data',
        `put -p "${from}" workspace/data/sent.bin`,
        'ls workspace/data',
        'rename workspace/data/sent.bin workspace/moved.bin',
        `get workspace/moved.bin "${back}"`,
        'rm workspace/moved.bin',
        'rmdir workspace/data',
        '',
      ].join('\n'),
    );
    const { direct } = await address();
    const args = sshArgs(direct).map((word) => (word === '-p' ? '-P' : word));
    const { stdout } = await run('sftp', ['-b', batch, ...args, 'root@127.0.0.1'], { timeout: 20_000 });
    assert.match(stdout, /sent\.bin/);
    assert.ok(readFileSync(back).equals(readFileSync(from)));
    assert.equal(await ssh('ls -A workspace'), '');
  });

  it('forwards ports both ways', async () => {
    const echo = createServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const echoPort = (echo.address() as AddressInfo).port;
    const [local, remote] = [await freePort(), await freePort()];
    const { direct } = await address();
    const forwards = [
      '-N',
      '-o',
      'ExitOnForwardFailure=yes',
      '-L',
      `127.0.0.1:${local}:127.0.0.1:${echoPort}`,
      '-R',
      `127.0.0.1:${remote}:127.0.0.1:${echoPort}`,
    ];
    const child = spawn('ssh', [...forwards, ...sshArgs(direct), 'root@127.0.0.1'], { stdio: 'ignore' });
    try {
      for (const port of [local, remote]) {
        await eventually(async () => (await echoed(port)) === 'hello');
      }
    } finally {
      child.kill();
      await new Promise((resolve) => child.once('close', resolve));
      echo.close();
    }
  });

  it('lets in attached keys only, from the moment they are attached until they are detached', async () => {
    const other = await makeKey('other');
    await assert.rejects(ssh('true', undefined, other), /Permission denied/);
    const text = readFileSync(`${other}.pub`, 'utf8');
    await simulator.call('POST', `/api/v0/instances/${id}/ssh/`, { ssh_key: text });
    assert.equal(await ssh('echo in', undefined, other), 'in\n');
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/ssh/`);
    const keys = JSON.parse(String(json.ssh_keys)) as { id: number; name: string }[];
    const added = keys.find((key) => key.name === 'other@test');
    await simulator.call('DELETE', `/api/v0/instances/${id}/ssh/${added?.id ?? 0}/`);
    await assert.rejects(ssh('true', undefined, other), /Permission denied/);
  });

  it('refuses logins under another name', async () => {
    const args = [...sshArgs((await address()).direct), 'guest@127.0.0.1', 'true'];
    await assert.rejects(run('ssh', args), /Permission denied/);
  });

  it('has a host key of its own for each instance, and keeps it over a restart', async () => {
    const second = await rentRunning(simulator, { runtype: 'ssh_proxy' });
    const scan = async (port: number) =>
      (await run('ssh-keyscan', ['-t', 'ed25519', '-p', String(port), '127.0.0.1'])).stdout.split(' ')[2];
    const first = await scan((await address()).direct);
    const other = await address(second);
    assert.ok(Number.isNaN(other.direct));
    const before = await scan(other.proxy);
    assert.notEqual(before, first);
    await setState(second, 'stopped', 'exited');
    await setState(second, 'running', 'running');
    assert.equal(await scan((await address(second)).proxy), before);
  });

  it('ends every connection and every process when the instance stops', async () => {
    const victim = await rentRunning(simulator, { runtype: 'ssh_direct' });
    const { direct } = await address(victim);
    const mark = path.join(folder, 'still-there');
    const args = [
      ...sshArgs(direct),
      'root@127.0.0.1',
      `setsid sh -c 'while :; do date > "${mark}"; sleep 0.1; done' & sleep 1000`,
    ];
    const child = spawn('ssh', args, { stdio: 'ignore' });
    const closed = new Promise((resolve) => child.once('close', resolve));
    await eventually(() => exists(mark));
    await setState(victim, 'stopped', 'exited');
    await closed;
    rmSync(mark, { force: true });
    await assert.rejects(ssh('true', direct), /refused|reset|closed/i);
    if (process.platform === 'linux') {
      // Two rounds of the loop that would write it again.
      await pause(300);
      assert.equal(exists(mark), false);
    }
  });

  async function setState(instanceId: number, state: string, status: string): Promise<void> {
    await simulator.call('PUT', `/api/v0/instances/${instanceId}/`, { state });
    await eventually(() => simulator.world.instance(instanceId)?.actualStatus === status);
  }
});

describe('A host key', () => {
  it('is in the form that OpenSSH reads', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-key-'));
    try {
      const file = path.join(folder, 'key');
      writeFileSync(file, newHostKey('C.1'), { mode: 0o600 });
      assert.match((await run('ssh-keygen', ['-y', '-f', file])).stdout, /^ssh-ed25519 \S+ C\.1\n$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function exists(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function echoed(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write('hello'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('utf8'));
    });
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}
