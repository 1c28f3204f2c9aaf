import assert from 'node:assert/strict';
import { TimedOutError } from '../../../src/api/errors';
import { defaultPolicy } from '../../../src/api/policy';
import { fetchResult } from '../../../src/api/resultFile';
import type { Transport } from '../../../src/api/transport';
import { FakeClock } from '../../support/fakeClock';

describe('The wait for a result file', () => {
  for (const [direction, hours] of [
    ['forward', 3],
    ['back', -3],
  ] as const) {
    it(`is as long as ever when the clock is set ${direction}`, async () => {
      const clock = new FakeClock();
      let isThere = false;
      const transport: Transport = {
        send: () => Promise.resolve({ status: isThere ? 200 : 404, headers: {}, text: 'output' }),
        close: () => Promise.resolve(),
      };
      const begin = () =>
        fetchResult(
          'https://results.example.com/file',
          {},
          { transport, clock, baseUrl: new URL('https://console.example.com'), policy: defaultPolicy },
        );
      const startedAt = clock.elapsed();
      const missing = begin();
      missing.catch(() => undefined);
      await clock.advance(5_000);
      clock.jump(hours * 3_600_000);
      await clock.advance(90_000);
      await assert.rejects(Promise.race([missing, Promise.resolve('waits still')]), TimedOutError);
      const late = begin();
      await clock.advance(5_000);
      clock.jump(hours * 3_600_000);
      await clock.advance(10_000);
      isThere = true;
      assert.equal(await clock.through(late), 'output');
      assert.ok(clock.elapsed() - startedAt < 130_000);
    });
  }
});
