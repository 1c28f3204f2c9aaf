import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { armTimer, birthLine, disarmTimer } from '../../../../src/schedules/machine/machineTimer';
import { runProgram } from '../../../../src/ssh/run';
import { rentRunning } from '../../../support/rentRunning';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

describe('The guard of a job from the birth of its machine on', () => {
  const simulators = useSimulators();
  let simulator: TestSimulator;
  let folder = '';
  useFolder((made) => void (folder = made));
  beforeEach(async () => {
    simulator = await simulators.start({ fakeClock: true, sshServer: true, instancesDir: folder });
  });

  /** There is no login to it, and what jobs brought is kept so long. */
  const born = (seconds: number, fetchSeconds = 1) =>
    rentRunning(simulator, {
      runtype: 'ssh_direct',
      onstart: `${birthLine({ serviceUrl: simulator.url, seconds, fetchSeconds })}touch ~/own\n`,
    });
  const intended = (id: number) => simulator.world.instance(id)?.intendedStatus;
  const home = (id: number) => path.join(folder, String(id));
  const file = (id: number, name: string) => path.join(home(id), '.gpu-rental', name);
  const process0 = (id: number) => file(id, `job-timer-${id}-b0`);
  const pidOf = (id: number) => (existsSync(process0(id)) ? readFileSync(process0(id), 'utf8').trim() : '');
  const lives = (id: number) => pidOf(id) !== '' && existsSync(`/proc/${pidOf(id)}`);
  const started = (id: number) => until('the guard', () => lives(id));
  /** As the user does it, or an outage of the host. */
  const restart = async (id: number) => {
    const before = pidOf(id);
    await simulator.call('PUT', `/api/v0/instances/reboot/${id}/`, {});
    simulator.advance(600);
    await until('its second start', () => simulator.world.instance(id)?.actualStatus === 'running');
    return before;
  };
  const job = (id: number, name: string, ...files: readonly string[]) => {
    mkdirSync(file(id, `jobs/${name}`), { recursive: true });
    ['phase', ...files].forEach((one) => {
      writeFileSync(file(id, `jobs/${name}/${one}`), one === 'phase' ? 'ended\n' : '');
    });
  };
  const overSsh = (id: number) => ({
    exec: (_: string, script: string, more: object) =>
      runProgram('/bin/sh', ['-c', script], {
        ...more,
        env: { HOME: home(id), CONTAINER_API_KEY: simulator.world.instance(id)?.apiKey ?? '' },
      }),
  });

  it('stops a machine that no editor ever logs in to, and destroys nothing', async () => {
    const id = await born(1);
    await until('the stop', () => intended(id) === 'stopped');
    assert.ok(simulator.world.instance(id));
    assert.ok(!existsSync(path.join(home(id), 'own')), 'the rest of the script is not run here');
  });

  it('has only its user read what it writes', async () => {
    const id = await born(600);
    await started(id);
    const key = simulator.world.instance(id)?.apiKey ?? '';
    for (const name of ['birth.sh', 'guard.sh', `job-timer-${id}-b0`]) {
      assert.ok(!readFileSync(file(id, name), 'utf8').includes(key));
    }
    assert.ok(!readFileSync(`/proc/${pidOf(id)}/cmdline`, 'utf8').includes(key));
  });

  it('begins again with the container', async () => {
    const id = await born(600);
    await started(id);
    const before = await restart(id);
    await until('another guard', () => lives(id) && pidOf(id) !== before);
  });

  it('gives way to one that was proved over SSH', async () => {
    const id = await born(600);
    await started(id);
    const order = { serviceUrl: simulator.url, instanceId: id, action: 'stop', mode: 'job' } as const;
    const verdict = await armTimer(overSsh(id), 'gpu-1', { ...order, seconds: 600, token: 'd0' });
    assert.equal(verdict.kind, 'armed');
    await until('the end of the first', () => !existsSync(process0(id)));
    await disarmTimer(overSsh(id), 'gpu-1', id, undefined, 'job');
  });

  for (const [what, prepare] of [
    ['the user keeps the machine', (id: number) => disarmTimer(overSsh(id), 'gpu-1', id, undefined, 'job')],
    [
      'the last attempt of each job was fetched',
      (id: number) => {
        job(id, 'aa01');
        job(id, 'aa02', 'fetched');
        job(id, 'bb01', 'fetched');
      },
    ],
  ] as const) {
    it(`does not begin again where ${what}`, async () => {
      const id = await born(600);
      await started(id);
      await prepare(id);
      rmSync(file(id, 'guard.sh'));
      await restart(id);
      // What the machine itself has run is done in time as well.
      const ran = await runProgram('/bin/sh', [file(id, 'birth.sh'), simulator.url, '600', '1'], {
        env: {
          HOME: home(id),
          CONTAINER_ID: String(id),
          CONTAINER_API_KEY: simulator.world.instance(id)?.apiKey ?? '',
        },
      });
      assert.equal(ran.code, 0);
      assert.ok(!existsSync(file(id, 'guard.sh')), 'its program is written before it is run');
    });
  }

  it('begins again where one job was not fetched', async () => {
    const id = await born(600, 600);
    await started(id);
    job(id, 'aa01');
    job(id, 'bb01', 'fetched');
    const before = await restart(id);
    await until('another guard', () => lives(id) && pidOf(id) !== before);
  });
});
