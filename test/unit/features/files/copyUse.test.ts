import assert from 'node:assert/strict';
import { holdForCopy, type CopyUseDeps } from '../../../../src/features/files/copyUse';
import type { Account } from '../../../../src/store/accounts/accounts';
import { Presence } from '../../../../src/store/windows/presence';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

const minute = 60_000;
const [from, to] = [5001, 5002];

describe('the machines of a copy that the service makes', () => {
  let clock: FakeClock;
  let presence: Presence;
  let closing: AbortController;
  let status: string | undefined;
  const used = () => [from, to].map((id) => presence.isUsed(`gpu-${id}`));

  beforeEach(() => {
    clock = new FakeClock();
    presence = new Presence({ hub: new FakeHubs().open(), clock });
    closing = new AbortController();
    status = 'success, running';
    const deps = {
      clock,
      presence,
      log: silentLog,
      closed: closing.signal,
      fleet: {
        find: () => anInstance({ id: to, ...(status === undefined ? {} : { statusMessage: status }) }),
      },
      ssh: { aliasOf: (_: unknown, id: number) => `gpu-${id}` },
    };
    // Nothing else of these is used here.
    const copy = { account: {} as Account, machines: [from, to], sentBy: to };
    holdForCopy(deps as unknown as CopyUseDeps, copy);
  });
  afterEach(() => presence.dispose());

  it('are in use while its status changes, and until that has rested for ten minutes', async () => {
    assert.deepEqual(used(), [true, true]);
    for (const percent of [10, 50, 90]) {
      await clock.advance(9 * minute);
      status = `copying ${percent} %`;
      assert.deepEqual(used(), [true, true], status);
    }
    await clock.advance(minute);
    status = 'success, running';
    await clock.advance(10 * minute);
    assert.deepEqual(used(), [true, true]);
    await clock.advance(minute);
    assert.deepEqual(used(), [false, false]);
  });

  it('are in use for a day at most, at any status', async () => {
    for (let hour = 0; hour < 23; hour += 1) {
      status = `copying since hour ${hour}`;
      for (let part = 0; part < 12; part += 1) {
        await clock.advance(5 * minute);
        status = `${status}.`;
      }
    }
    assert.deepEqual(used(), [true, true]);
    for (let part = 0; part < 13; part += 1) {
      await clock.advance(5 * minute);
      status = `${status}.`;
    }
    assert.deepEqual(used(), [false, false]);
  });

  it('are no longer in use by a window that closes', async () => {
    await clock.advance(minute);
    closing.abort();
    await clock.advance(0);
    assert.deepEqual(used(), [false, false]);
  });
});
