import assert from 'node:assert/strict';
import { LiveGpus } from '../../../../src/features/instancePage/liveGpus';
import { FakeClock } from '../../../support/fakeClock';
import { useCommands } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The readings of a page that failed', () => {
  useCommands(() => Promise.resolve('gpu-7'));

  it('begin again only while the page is visible', async () => {
    let logins = 0;
    let isShown = true;
    const retries: (() => unknown)[] = [];
    const live = new LiveGpus(
      only({
        clock: new FakeClock(),
        ssh: {
          exec: () => {
            logins += 1;
            return Promise.reject(new Error('lost'));
          },
        },
        report: {
          error: (_error: unknown, { retry }: { readonly retry: () => unknown }) => retries.push(retry),
        },
      }),
      { instanceId: 7, accountKey: 'mine' },
      () => undefined,
      () => isShown,
    );
    await live.start();
    await retries[0]?.();
    assert.equal(logins, 2);
    isShown = false;
    live.dispose();
    await retries[1]?.();
    assert.equal(logins, 2);
    assert.ok(!live.isReading);
  });
});
