import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { probeGpus } from '../../../src/ssh/gpuProbe';
import type { SshService } from '../../../src/ssh/service';
import { CancelledError } from '../../../src/util/errors';
import { ProofMachine } from '../../support/proofMachine';
import { SshHome } from '../../support/sshHome';
import { sshTo } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';
import { until } from '../../support/until';

const clock = { now: () => 1000 };
const alias = 'gpu-7';

describe('A look at a machine through a real sshd', () => {
  let home: SshHome;
  let server: SshMachine;
  let machine: ProofMachine;
  let ssh: SshService;
  beforeEach(async () => {
    home = new SshHome();
    machine = new ProofMachine().nvidiaSmi();
    server = await new SshMachine().start({ env: machine.env });
    ssh = await sshTo(home, server);
  });
  afterEach(async () => {
    await server.dispose();
    home.dispose();
    machine.dispose();
  });

  const processes = () =>
    spawnSync('sh', ['-c', `grep -ls -- "HOST_DEV=${machine.dir}" /proc/[0-9]*/environ`], {
      encoding: 'utf8',
    }).stdout.trim();
  /** Beside the file by which each login of ours turns the service's shared tmux off. */
  const left = () => readdirSync(machine.home).filter((name) => name !== '.no_auto_tmux');

  it('needs one login and leaves nothing behind', async () => {
    let logins = 0;
    const answer = await probeGpus(ssh, alias, { clock, onLogin: () => (logins += 1) });
    assert.equal(answer.kind, 'proof', JSON.stringify(answer));
    assert.deepEqual([logins, left()], [1, []]);
    await until('the login has ended', () => processes() === '', { everyMs: 20 });
  });

  it('leaves nothing behind where the connection is cut', async () => {
    machine.tool('nvidia-smi', 'exec sleep 1000');
    const cut = new AbortController();
    let isIn = false;
    const running = probeGpus(ssh, alias, { clock, signal: cut.signal, onLogin: () => (isIn = true) });
    await until('the tools run', () => isIn && left().length > 0, { everyMs: 20 });
    cut.abort();
    await assert.rejects(running, CancelledError);
    await until('its time is over', () => processes() === '', { timeoutMs: 10_000, everyMs: 50 });
    assert.deepEqual(left(), []);
  });

  it('runs once where two windows look', async () => {
    // The first is at work until the others have their answers.
    const isSeen = path.join(machine.dir, 'seen');
    machine.tool('dmesg', `until [ -e '${isSeen}' ]; do sleep 0.05; done`);
    const first = probeGpus(ssh, alias, { clock });
    await until('the first look is at work', () => left().length > 0, { everyMs: 20 });
    const others = await Promise.all([2, 3].map(() => probeGpus(ssh, alias, { clock })));
    writeFileSync(isSeen, '');
    assert.deepEqual(
      [...others, await first].map(({ kind }) => kind),
      ['busy', 'busy', 'proof'],
    );
    assert.deepEqual(left(), []);
  });

  it('reads behind a greeting and a start-up file that speak', async () => {
    machine.file('ho me/.bashrc', 'echo "Welcome to the machine"; echo busy; echo end\n');
    const answer = await probeGpus(ssh, alias, { clock });
    assert.equal(answer.kind, 'proof', JSON.stringify(answer));
  });

  it('names the stage that was not reached', async () => {
    const problem = async () => {
      const answer = await probeGpus(ssh, alias, { clock });
      return answer.kind === 'noLogin' ? answer.failure.problem : answer.kind;
    };
    machine.file('ho me/.bashrc', 'exit 1\n');
    assert.equal(await problem(), 'startupScript');
    server.authorize();
    assert.equal(await problem(), 'authentication');
    await server.stop();
    assert.equal(await problem(), 'refused');
  });
});
