import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernelOfFolder } from '../../../../src/notebooks/machine/kernelOfFolder';
import { kernelsOf, shutDownKernel, type ServerAddress } from '../../../../src/notebooks/machine/kernels';
import { addKernel, startServer, type StartAnswer } from '../../../../src/notebooks/machine/notebookServer';
import { Tunnel } from '../../../../src/notebooks/machine/tunnel';
import type { Run } from '../../../../src/ssh/run';
import type { SshService } from '../../../../src/ssh/service';
import { systemClock } from '../../../../src/util/clock';
import { isAlive } from '../../../../src/util/fileLock';
import { silentLog } from '../../../../src/util/log';
import { JupyterClient } from '../../../support/jupyterClient';
import { SshHome } from '../../../support/sshHome';
import { sshTo } from '../../../support/sshInstance';
import { freePort, SshMachine } from '../../../support/sshMachine';
import { until } from '../../../support/until';

const alias = 'gpu-7';
const hexOf = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');

describe('The Jupyter server of a machine, through a real sshd', function () {
  this.timeout(120_000);
  let home: SshHome;
  let machine: SshMachine;
  let machineHome: string;
  let ssh: SshService;
  let server: ServerAddress & { readonly port: number };
  let tunnel: Tunnel;
  const logged: string[] = [];
  const log = { ...silentLog, debug: (line: string) => logged.push(line) };
  /** Ends the ssh processes of the tunnel, as a lost network does. */
  let cut = new AbortController();

  const run: Run = (program, args, options) => {
    logged.push(args.join(' '));
    const isTunnel = args.includes('-L');
    const signal = AbortSignal.any([...(isTunnel ? [cut.signal] : []), ...[options?.signal ?? []].flat()]);
    return home.run(program, args, { ...options, signal });
  };

  function running(answer: StartAnswer) {
    assert.ok(answer.kind === 'running', JSON.stringify(answer));
    return answer;
  }

  /** Ends the server, which outlives its windows. */
  async function endServer() {
    const files = readdirSync(join(machineHome, '.gpu-rental', 'jupyter', 'run'));
    const [pid = 0] = files
      .map((name) => Number(/^jpserver-(\d+)\.json$/.exec(name)?.[1] ?? 0))
      .filter(Boolean);
    assert.ok(pid > 0, files.join(' '));
    process.kill(pid);
    await until('the server has ended', () => !isAlive(pid));
  }

  before(async () => {
    home = new SshHome();
    machineHome = join(home.root, 'machine');
    mkdirSync(machineHome);
    machine = await new SshMachine().start({
      env: { HOME: machineHome, JUPYTER_TOKEN: 'of-the-image' },
    });
    ssh = await sshTo(home, machine, home.service({ run }));
    const { port, token } = running(await startServer(ssh, alias, 'project'));
    tunnel = await Tunnel.open({ ssh, clock: systemClock, log }, alias, {
      remotePort: port,
      localPort: await freePort(),
    });
    server = { port, token, localPort: tunnel.localPort };
  });
  after(async () => {
    tunnel.dispose();
    await endServer();
    await machine.dispose();
    home.dispose();
  });

  it('runs cells in the folder of the notebook', async () => {
    const client = await JupyterClient.start(server);
    assert.equal(await client.execute('import os; print(os.getcwd())'), `${join(machineHome, 'project')}\n`);
    client.close();
    const [kernel] = await kernelsOf(server);
    assert.deepEqual([kernel?.name, kernel?.isBusy], ['python3', false]);
    await shutDownKernel(server, client.kernelId);
    assert.deepEqual(await kernelsOf(server), []);
  });

  it('runs cells in the copy of a local folder, with the files beside the notebook', async () => {
    const folder = join(machineHome, "it's {connection_file} $(date) José");
    mkdirSync(folder);
    writeFileSync(join(folder, 'data.csv'), 'a,b\n');
    writeFileSync(join(folder, 'helpers.py'), 'answer = 42\n');
    const kernel = kernelOfFolder('/home/me/project', folder, 'project on trainer');
    await addKernel(ssh, alias, kernel);
    const client = await JupyterClient.start(server, undefined, kernel.name);
    const cell = 'import helpers, os; print(os.getcwd(), open("data.csv").read(), helpers.answer)';
    assert.equal(await client.execute(cell), `${folder} a,b\n 42\n`);
    const [started] = await kernelsOf(server);
    assert.equal(started?.name, kernel.name);
    client.close();
    await shutDownKernel(server, client.kernelId);
  });

  it('runs them in a folder that is made for them where nothing of it is on the machine', async () => {
    const folder = join(machineHome, 'project', 'deep', 'notebooks');
    const kernel = kernelOfFolder('/home/me/deep', folder, 'notebooks on trainer');
    await addKernel(ssh, alias, kernel);
    const client = await JupyterClient.start(server, undefined, kernel.name);
    assert.equal(await client.execute('import os; print(os.getcwd())'), `${folder}\n`);
    client.close();
    await shutDownKernel(server, client.kernelId);
  });

  it('starts one server where windows ask at once, and finds it afterwards', async () => {
    const found = await Promise.all([1, 2, 3].map(() => startServer(ssh, alias, 'project')));
    for (const answer of found) {
      assert.deepEqual(running(answer), { kind: 'running', port: server.port, token: server.token });
    }
  });

  it('listens on the loopback address of the machine alone', () => {
    // State 0A of the kernel's tables is a socket that listens.
    const listening = ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((table) => readFileSync(table, 'utf8').split('\n'))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === '0A')
      .map(([, local = '']) => local)
      .filter((local) => [server.port, server.localPort].includes(parseInt(local.split(':')[1] ?? '', 16)));
    assert.deepEqual(
      [...new Set(listening)].sort(),
      [server.port, server.localPort].map((port) => `0100007F:${hexOf(port)}`).sort(),
    );
  });

  it('continues a cell and loses no output of it while the tunnel is cut 20 times', async () => {
    let way = Promise.resolve();
    const client = await JupyterClient.start(server, () => way);
    const gate = join(machineHome, 'gate');
    const code = [
      'import os, time',
      `for round in range(1, 21):`,
      `    while not os.path.exists(${JSON.stringify(gate)} + str(round)): time.sleep(0.01)`,
      '    print(round, flush=True)',
    ].join('\n');
    let printed = '';
    const cell = client.execute(code, (sofar) => (printed = sofar));
    for (let round = 1; round <= 20; round += 1) {
      const before = cut;
      cut = new AbortController();
      let open = () => {};
      way = new Promise((resolve) => (open = resolve));
      before.abort();
      await until('the tunnel is cut', () => !tunnel.isOpen && !client.isConnected, { everyMs: 10 });
      // The cell prints while the client is away, and only what the server knows of is kept for it.
      const here = { ...server, localPort: server.port };
      await until('the server has noticed', async () =>
        (await kernelsOf(here)).every(({ connections }) => connections === 0),
      );
      writeFileSync(`${gate}${round}`, '');
      await until('the tunnel is back', () => tunnel.isOpen, { everyMs: 20 });
      open();
      await until('the client is back', () => client.isConnected, { everyMs: 20 });
      await until('the output of the cell', () => printed.endsWith(`${round}\n`), { everyMs: 20 });
    }
    const rounds = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);
    assert.equal(await cell, rounds.join(''));
    assert.equal(tunnel.localPort, server.localPort);
    assert.equal(await client.execute('print(round)'), '20\n');
    client.close();
    await shutDownKernel(server, client.kernelId);
  });

  it('refuses access without the token', async () => {
    for (const token of ['', 'of-the-image', 'f'.repeat(64)]) {
      await assert.rejects(kernelsOf({ ...server, token }), /HTTP 40[13]/);
    }
  });

  it('has the token in no argument, no environment and no log, and in one file of the owner alone', () => {
    assert.doesNotMatch(logged.join('\n'), new RegExp(server.token));
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      for (const file of ['cmdline', 'environ']) {
        assert.ok(!readIfThere(`/proc/${pid}/${file}`).includes(server.token), `${file} of ${pid}`);
      }
    }
    const own = join(machineHome, '.gpu-rental', 'jupyter');
    const holders = execFileSync('grep', ['-rl', server.token, home.root], { encoding: 'utf8' })
      .trim()
      .split('\n');
    assert.deepEqual(holders, [join(own, 'token')]);
    for (const file of [own, ...holders]) {
      assert.equal(statSync(file).mode & 0o077, 0, file);
    }
  });

  it('returns with the same token after its process ended', async () => {
    const [info = ''] = readdirSync(join(machineHome, '.gpu-rental/jupyter/run')).filter((name) =>
      name.startsWith('jpserver-'),
    );
    const pid = Number(/jpserver-(\d+)\.json/.exec(info)?.[1]);
    process.kill(pid, 'SIGKILL');
    const again = running(await startServer(ssh, alias, 'project'));
    assert.equal(again.token, server.token);
  });
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
