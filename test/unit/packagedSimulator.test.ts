import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { repository } from '../support/installed';
import { until } from '../support/until';

const run = promisify(execFile);

// Parts of the SSH library stay out of the bundle, and a computer with `sshd` would never notice one that is missed.
describe('the simulator of the package', () => {
  let folder: string;
  let simulator: ChildProcess;
  let url: string;

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-packaged-'));
    const script = path.join(repository, 'dist', 'simulator.js');
    const args = ['--port', '0', '--speed', '2000', '--no-limits', '--instances', folder];
    simulator = spawn(process.execPath, [script, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SIMULATOR_API_KEY: 'packaged-key' },
    });
    assert.ok(simulator.stdout);
    for await (const line of createInterface({ input: simulator.stdout })) {
      if (line.startsWith('listening ')) {
        url = line.slice('listening '.length);
        break;
      }
    }
  });

  after(async () => {
    const ended = once(simulator, 'close');
    simulator.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(method: string, route: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await fetch(`${url}/api/v0${route}`, {
      method,
      headers: { authorization: 'Bearer packaged-key', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.equal(answer.status, 200, route);
    return (await answer.json()) as Record<string, unknown>;
  }

  it('lets in over SSH, gives files back by its own server, and has engines', async () => {
    const key = path.join(folder, 'key');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    await call('POST', '/ssh/', { ssh_key: readFileSync(`${key}.pub`, 'utf8') });
    const { offers } = await call('POST', '/bundles/', { direct_port_count: { gte: 4 }, limit: 1 });
    const [offer] = offers as { id: number }[];
    const rented = await call('PUT', `/asks/${String(offer?.id)}/`, {
      image: 'pytorch/pytorch:latest',
      disk: 10,
      runtype: 'ssh_direct',
    });
    const port = await until('the machine to run', async () => {
      const { instances } = await call('GET', `/instances/${String(rented['new_contract'])}/`);
      const { actual_status: status, ports } = instances as {
        actual_status: string;
        ports?: Record<string, { HostPort: string }[]>;
      };
      return status === 'running' ? ports?.['22/tcp']?.[0]?.HostPort : undefined;
    });
    const options = [
      'BatchMode=yes',
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'LogLevel=ERROR',
    ];
    const common = ['-F', 'none', '-i', key, ...options.flatMap((option) => ['-o', option])];
    const { stdout } = await run('ssh', [
      ...common,
      '-p',
      port,
      'root@127.0.0.1',
      'echo hello > note; cat note',
    ]);
    assert.equal(stdout, 'hello\n');
    const engine = await run('ssh', [...common, '-p', port, 'root@127.0.0.1', 'llama-server 2>&1; echo $?']);
    assert.equal(engine.stdout, 'error: a model is needed: -hf or -m\n2\n');
    await run('scp', ['-q', ...common, '-P', port, 'root@127.0.0.1:note', path.join(folder, 'copy')]);
    assert.equal(readFileSync(path.join(folder, 'copy'), 'utf8'), 'hello\n');
  });
});
