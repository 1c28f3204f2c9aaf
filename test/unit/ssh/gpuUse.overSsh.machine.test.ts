import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { GpuReading } from '../../../src/model/instances/gpuReading';
import { followGpus } from '../../../src/ssh/gpuUse';
import type { SshService } from '../../../src/ssh/service';
import { CancelledError } from '../../../src/util/errors';
import { FakeClock } from '../../support/fakeClock';
import { processesWith } from '../../support/processes';
import { ProofMachine } from '../../support/proofMachine';
import { SshHome } from '../../support/sshHome';
import { sshTo } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';
import { until } from '../../support/until';

const alias = 'gpu-7';

describe('Each GPU of a machine, followed through a real sshd', () => {
  let home: SshHome;
  let server: SshMachine;
  let machine: ProofMachine;
  let ssh: SshService;
  let readings: GpuReading[];
  let stop: AbortController;
  beforeEach(async () => {
    home = new SshHome();
    machine = new ProofMachine().tool('nvidia-smi', 'echo 0, 43, 100, 24564, 61, 310.42, 450.00');
    server = await new SshMachine().start({ env: machine.env });
    ssh = await sshTo(home, server);
    readings = [];
    stop = new AbortController();
  });
  afterEach(async () => {
    await server.dispose();
    home.dispose();
    machine.dispose();
  });

  const follow = () => {
    const followed = followGpus(ssh, alias, {
      clock: new FakeClock(),
      signal: stop.signal,
      onReading: (reading) => readings.push(reading),
    });
    followed.catch(() => undefined);
    return followed;
  };
  const processes = () =>
    spawnSync('sh', ['-c', `grep -ls -- "HOST_DEV=${machine.dir}" /proc/[0-9]*/environ`], {
      encoding: 'utf8',
    }).stdout.trim();
  /** The programs on this side that use the files of this home folder. */
  const logins = () => processesWith(home.root).join(' ');

  it('need one login, and leave nothing on either side once it is stopped', async () => {
    const followed = follow();
    await until('a reading', () => readings.length > 0, { everyMs: 20 });
    assert.equal(readings[0]?.gpus[0]?.percent, 43);
    assert.notEqual(logins(), '');
    stop.abort();
    await assert.rejects(followed, CancelledError);
    await until('the machine is at rest', () => processes() === '', { everyMs: 20, timeoutMs: 4_000 });
    assert.equal(logins(), '');
  });

  it('leave nothing on the machine where the connection is cut while the driver hangs', async () => {
    machine.tool('nvidia-smi', 'exec sleep 1000');
    const followed = follow();
    await until('the program runs', () => processes().split('\n').length > 3, { everyMs: 20 });
    stop.abort();
    await assert.rejects(followed, CancelledError);
    await until('the machine is at rest', () => processes() === '', { everyMs: 20, timeoutMs: 4_000 });
  });

  it('are reported as missing in the words of the machine', async () => {
    machine.tool('nvidia-smi', 'echo "No devices were found" >&2', 'exit 6');
    await assert.rejects(follow(), /did not report its GPUs: No devices were found/);
  });
});
