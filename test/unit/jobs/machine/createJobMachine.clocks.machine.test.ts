import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobOrder } from '../../../../src/jobs/model/onMachine';
import { jobId, jobOrder, shellMachine, useJobs } from '../../../support/jobScene';

/** What happens to the clocks of a machine in the fifth second of its job; seconds. */
interface Jump {
  /** What truly passes beside that second. */
  readonly late?: number;
  readonly uptime?: number;
  readonly date?: number;
  /** The uptime can't be read from the start. */
  readonly hasNoUptime?: boolean;
}

describe('With any clock of a machine, a job', () => {
  const scene = useJobs();

  /** On a machine whose time passes by `sleep 1` alone; when it ended, in seconds that truly passed, and why. */
  async function ended(
    jump: Jump,
    more: Partial<JobOrder>,
  ): Promise<{ at: number; why: string | undefined }> {
    const { remote } = scene();
    const bin = join(remote, 'bin');
    const clock = join(remote, 'clock');
    [bin, clock].forEach((folder) => mkdirSync(folder));
    const program = (name: string, lines: readonly string[]) => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
    };
    const { late = 0, uptime = 0, date = 0, hasNoUptime = false } = jump;
    program('sleep', [
      '[ "$1" = 1 ] && [ -e why ] || exec /bin/sleep "$@"',
      'cd "$HOME/clock" || exit 1',
      // Time passes once the script can hear its end: a busy computer is slow to start it.
      'until [ -e hears ]; do /bin/sleep 0.01; done',
      'read -r true up day <state',
      'read -r why _ <"$OLDPWD/why"',
      '[ "$why" = reserved ] || [ -e ended ] || echo "$true" >ended',
      'by=1 up_by=0 day_by=0',
      `[ "$true" -ne 5 ] || { by=$((1 + ${late})) up_by=${uptime} day_by=${date}; }`,
      'echo "$((true + by)) $((up + by + up_by)) $((day + by + day_by))" >state.new && mv state.new state',
      ...(hasNoUptime ? [] : ['echo "$((up + by + up_by)).50 9.00" >uptime.new && mv uptime.new uptime']),
      'exec /bin/sleep 0.01',
    ]);
    program('date', ['read -r _ _ day <"$HOME/clock/state"', 'echo "$day"']);
    program('nvidia-smi', ['echo 0']);
    writeFileSync(join(clock, 'state'), '0 500000 1700000000\n');
    if (!hasNoUptime) {
      writeFileSync(join(clock, 'uptime'), '500000.50 9.00\n');
    }
    const path = `${bin}:${process.env['PATH'] ?? ''}`;
    const job = scene().with({ ssh: shellMachine(remote, { PATH: path, HOST_PROC: clock }) });
    const script = [
      'trap \'until [ -e "$HOME/clock/ended" ]; do /bin/sleep 0.05; done; exit 9\' TERM',
      ': >"$HOME/clock/hears"',
      'while :; do /bin/sleep 0.05; done',
    ];
    const order = jobOrder(script.join('\n'), { graceSeconds: 600, ...more });
    await job.begin(order);
    await job.sync(order, undefined);
    await job.start(order);
    const { end } = await scene().ended(jobId);
    return { at: Number(readFileSync(join(clock, 'ended'), 'utf8')), why: end?.why };
  }

  const jumps: Readonly<Record<string, Jump>> = {
    'nothing does': {},
    'its uptime jumps ahead by hours': { uptime: 9000 },
    'its uptime begins anew': { uptime: -499_000 },
    'its uptime can’t be read': { hasNoUptime: true },
    'its date is set ahead': { date: 9000 },
    'its date is set back': { date: -9000 },
    'its date is set ahead and its uptime can’t be read': { date: 9000, hasNoUptime: true },
    'it is slow for 10 seconds': { late: 10 },
  };

  for (const [what, jump] of Object.entries(jumps)) {
    it(`ends at its limit where ${what}`, async () => {
      const { at, why } = await ended(jump, { limitSeconds: 20 });
      assert.equal(why, 'limit');
      assert.ok(at >= 20 && at <= 23, `after ${at} s`);
    });

    it(`is idle for as long as was set if ${what}`, async () => {
      const { at, why } = await ended(jump, { limitSeconds: 600, idleSeconds: 20, endsIfIdle: true });
      assert.equal(why, 'idle');
      // Looked at every 15 seconds.
      assert.ok(at >= 20 && at <= 38, `after ${at} s`);
    });
  }

  it('ends at once where its machine was suspended beyond its limit, which is charged', async () => {
    const { at, why } = await ended({ late: 9000 }, { limitSeconds: 20 });
    assert.deepEqual([why, at <= 9008], ['limit', true]);
  });

  it('was not idle while its machine was suspended', async () => {
    const more = { limitSeconds: 20_000, idleSeconds: 20, endsIfIdle: true };
    const { at, why } = await ended({ late: 9000 }, more);
    assert.equal(why, 'idle');
    assert.ok(at >= 9020 && at <= 9045, `after ${at} s`);
  });
});
