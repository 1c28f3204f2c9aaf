import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { readServices, startService } from '../../../src/ssh/machineServices';
import { useRealSsh } from '../../support/realSsh';

describe('the services of a machine over SSH', () => {
  const scene = useRealSsh();
  const logIn = async (programs: Readonly<Record<string, string | undefined>>) => {
    const { home, machine } = scene();
    const key = home.key();
    const bin = join(machine.dir, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const [name, lines] of Object.entries(programs)) {
      if (lines !== undefined) {
        writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
      }
    }
    machine.authorize(`command="export PATH=${bin}:$PATH; eval \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`);
    const ssh = home.service();
    assert.ok((await ssh.connect(scene().request({}, [key]))).preflight.ok);
    return ssh;
  };
  const read = async (capabilities?: string) =>
    readServices(await logIn({ 'vast-capabilities': capabilities }), 'gpu-7');

  it('are what its program prints, over several lines and beside a pointer', async () => {
    const services = [{ name: 'Jupyter', internal_port: 18_080, open_path: '/lab', state: 'RUNNING' }];
    const json = JSON.stringify({ schema_version: 1, services }, undefined, 2);
    assert.deepEqual(await read(`echo 'See AGENTS.md' >&2\ncat <<'END'\n${json}\nEND`), [
      { name: 'Jupyter', port: 18_080, path: '/lab', state: 'running' },
    ]);
  });

  for (const [what, program] of Object.entries({
    hangs: 'exec sleep 1000',
    fails: 'exit 1',
    'prints without an end': 'exec yes \'{"schema_version": 1,\'',
  })) {
    it(`are the ports on which programs listen where its program ${what}`, async () => {
      const port = await scene().listen(createServer());
      const found = (await read(program)) ?? [];
      assert.ok(
        found.some((one) => one.port === port && one.name === undefined),
        JSON.stringify(found),
      );
      assert.ok(!found.some((one) => one.name !== undefined));
    });
  }

  it('are the same ports on a machine of another image', async () => {
    const port = await scene().listen(createServer());
    assert.ok((await read())?.some((one) => one.port === port));
  });

  it('are running once their supervisor reports it', async () => {
    const supervisorctl =
      'echo "$2: started"; [ "$1" = start ] || echo "$2   RUNNING   pid 7, uptime 0:00:01"';
    const ssh = await logIn({ supervisorctl: supervisorctl.replace('echo', '[ "$1" = status ] || echo') });
    assert.deepEqual(await startService(ssh, 'gpu-7', 'syncthing'), {
      state: 'RUNNING',
      said: 'syncthing: started',
    });
  });

  it('stay stopped where it refuses, with its words', async () => {
    const refuses =
      'case "$1" in start) echo "$2: ERROR (spawn error)"; exit 1 ;; *) echo "$2   FATAL   Exited too quickly"; exit 3 ;; esac';
    assert.deepEqual(await startService(await logIn({ supervisorctl: refuses }), 'gpu-7', 'syncthing'), {
      state: 'FATAL',
      said: 'syncthing: ERROR (spawn error)',
    });
  });

  it('stay stopped where there is no supervisor', async () => {
    const none = await startService(await logIn({ supervisorctl: 'exit 127' }), 'gpu-7', 'syncthing');
    assert.deepEqual(none, { state: 'NONE', said: '' });
  });
});
