import assert from 'node:assert/strict';
import { WaitedTooLongError } from '../../../src/api/errors';
import type { CallOptions } from '../../../src/api/http';
import { FakeClock } from '../../support/fakeClock';
import { scriptedClient } from '../../support/fakeTransport';

const minute = 60_000;
const done = { json: { success: true } };
const needsCode = { status: 401, json: { error: '2fa_required' } };

/** Asks for something that is refused until the user enters a code, after `pass`. */
function afterCode(pass: (clock: FakeClock) => unknown, options: CallOptions = {}) {
  const clock = new FakeClock();
  const { client, transport, finish } = scriptedClient(({ url }) => (asked(url) ? done : needsCode), {
    clock,
    recover: async () => {
      await pass(clock);
      return true;
    },
  });
  const seen = new Set<string>();
  const asked = (url: string) => seen.has(url) || !seen.add(url);
  return { call: finish(client.instances.start(7, options)), transport };
}

const passing = (minutes: number) => (clock: FakeClock) => clock.advance(minutes * minute);
const jumping = (minutes: number) => (clock: FakeClock) => clock.jump(minutes * minute);

describe('a write that a person asked for', () => {
  it('is sent once the code is there that it waited for', async () => {
    const { call, transport } = afterCode(passing(9));
    await call;
    assert.equal(transport.seen.length, 2);
  });

  it('is not sent long after, which would start a machine unexpectedly', async () => {
    for (const pass of [passing(11), jumping(11)]) {
      const { call, transport } = afterCode(pass);
      await assert.rejects(call, WaitedTooLongError);
      assert.equal(transport.seen.length, 1);
    }
  });

  it('is sent if the clock was set back during the wait', async () => {
    const { call, transport } = afterCode(jumping(-180));
    await call;
    assert.equal(transport.seen.length, 2);
  });

  it('is sent where something else decides whether it is still wanted', async () => {
    const { call, transport } = afterCode(passing(11), { isStillWanted: () => Promise.resolve(true) });
    await call;
    assert.equal(transport.seen.length, 2);
  });
});
