import assert from 'node:assert/strict';
import { checkJob } from '../../../../src/jobs/machine/jobCheck';
import type { RunOptions } from '../../../../src/ssh/run';
import { FakeClock } from '../../../support/fakeClock';
import { printingMachine } from '../../../support/printingMachine';

describe('A look at a job', () => {
  async function timeFor(maxBytes: number): Promise<number> {
    let given = 0;
    const exec = (_: string, __: string, { timeoutMs = 0 }: RunOptions = {}) => {
      given = timeoutMs;
      return Promise.resolve({ code: 255, stdout: '', stderr: '', timedOut: false });
    };
    const call = { ssh: { exec }, alias: 'gpu-7', clock: new FakeClock(), platform: 'linux' } as const;
    await assert.rejects(checkJob(call, 'ab', 0, maxBytes, undefined));
    return given;
  }

  it('has time for a long piece of the log over a slow connection', async () => {
    const bytesPerSecond = 20_000;
    assert.ok((await timeFor(4_000_000)) >= (4_000_000 / bytesPerSecond) * 1000);
    assert.equal(await timeFor(0), 120_000);
    assert.equal(await timeFor(320_000), 130_000);
    // A connection that is dead must not hold up the next look for hours.
    assert.ok((await timeFor(4_000_000)) <= 600_000);
  });

  it('is taken up to three times where the log moves on the way', async () => {
    const torn = printingMachine('//gpu-rental\nbase 0\nphase running\nlog 0 2\na');
    await assert.rejects(checkJob(torn.call, 'ab', 0, 10, undefined), /ended early/);
    assert.equal(torn.asked.length, 3);
    const whole = printingMachine('//gpu-rental\nbase 0\nphase running\nlog 0 2\nabbase 0\n');
    assert.equal((await checkJob(whole.call, 'ab', 0.5, 10.5, undefined)).log.offset, 2);
    assert.equal(whole.asked.length, 1);
    assert.match(whole.asked[0]?.script ?? '', /^set -- .* 0 10$/m);
  });
});
