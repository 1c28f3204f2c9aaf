import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, rentRunning } from '../../../support/rentRunning';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';
import { useFolder } from '../../../support/useFolder';

const run = promisify(execFile);

describe('The host of a stopped machine', () => {
  const simulators = useSimulators();
  let simulator: TestSimulator;
  let folder = '';
  let id = 0;
  useFolder((made) => void (folder = made));

  beforeEach(async () => {
    const key = path.join(folder, 'key');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const instancesDir = path.join(folder, 'instances');
    simulator = await simulators.start({ fakeClock: true, sshServer: true, instancesDir });
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: readFileSync(`${key}.pub`, 'utf8') });
    id = await rentRunning(simulator, { runtype: 'ssh_direct' });
    writeFileSync(path.join(instancesDir, String(id), 'weights'), 'of the run');
    await simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    simulator.advance(600);
    await eventually(() => simulator.world.instance(id)?.actualStatus !== 'running');
  });

  /** The service opens it for each copy. */
  const opened = async () => {
    const { json } = await simulator.call('PUT', '/api/v0/commands/rsync/', {
      client_id: 'me',
      src_id: `C.${id}`,
      dst_id: null,
      src_path: '/root/weights',
      dst_path: '.',
    });
    return { host: String(json.src_addr), port: String(json.src_port) };
  };
  const login = (port: string) => {
    const options = ['BatchMode=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR', 'IdentitiesOnly=yes'];
    return [
      ...['-F', 'none', '-i', path.join(folder, 'key'), '-p', port],
      ...[...options, `UserKnownHostsFile=${path.join(folder, 'known_hosts')}`].flatMap((one) => ['-o', one]),
    ];
  };

  it('gives its files to rsync, each time that a copy is asked for', async () => {
    for (const name of ['first', 'second']) {
      const { host, port } = await opened();
      const copy = path.join(folder, name);
      const shell = ['ssh', ...login(port)].join(' ');
      await run('rsync', ['-e', shell, `vastai_kaalia@${host}::C.${id}/root/weights`, copy]);
      assert.equal(readFileSync(copy, 'utf8'), 'of the run');
    }
  });

  it('runs nothing else', async () => {
    const { host, port } = await opened();
    await assert.rejects(run('ssh', [...login(port), `vastai_kaalia@${host}`, 'id']), {
      code: 1,
      stderr: 'This account only copies.\n',
    });
  });
});
