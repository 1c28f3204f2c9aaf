import assert from 'node:assert/strict';
import {
  patientSecrets,
  secretStoreLimitMs,
  SecretStoreSilentError,
  type SecretPort,
} from '../../../../src/store/accounts/patientSecrets';
import { Emitter } from '../../../../src/util/emitter';
import { FakeClock, settle } from '../../../support/fakeClock';

/** A key ring that answers when the test decides. */
class SlowRing implements SecretPort {
  readonly waiting: ((value: string | undefined) => void)[] = [];
  readonly changed = new Emitter<string>();

  get(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  async keys(): Promise<readonly string[]> {
    await this.get();
    return [];
  }

  async store(): Promise<void> {
    await this.get();
  }

  async delete(): Promise<void> {
    await this.get();
  }

  onDidChange(listener: (key: string) => void) {
    return this.changed.event(listener);
  }
}

describe('a secret store that does not answer', () => {
  let clock: FakeClock;
  let ring: SlowRing;
  let secrets: SecretPort;
  let events: string[];

  beforeEach(() => {
    clock = new FakeClock();
    ring = new SlowRing();
    secrets = patientSecrets(ring, clock);
    events = [];
    secrets.onDidChange((key) => events.push(key));
  });

  it('refuses each call in time', async () => {
    const calls = [secrets.keys(), secrets.get('a'), secrets.store('a', 'x'), secrets.delete('a')];
    const results = Promise.allSettled(calls);
    await clock.advance(secretStoreLimitMs);
    for (const result of await results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof SecretStoreSilentError);
    }
    assert.equal(clock.pending, 0);
  });

  it('is asked once, and its late answer is reported once and used', async () => {
    const asked = [secrets.get('a'), secrets.get('a')];
    const both = Promise.allSettled(asked);
    await clock.advance(secretStoreLimitMs);
    await both;
    assert.equal(ring.waiting.length, 1);
    ring.waiting[0]?.('value');
    await settle();
    assert.deepEqual(events, ['a']);
    assert.equal(await secrets.get('a'), 'value');
    assert.equal(ring.waiting.length, 1, 'the late answer is the answer');
    assert.deepEqual(events, ['a']);
  });

  it('reports no answer that arrived in time', async () => {
    const answer = secrets.get('a');
    await settle();
    ring.waiting[0]?.('value');
    assert.equal(await answer, 'value');
    await clock.advance(secretStoreLimitMs);
    assert.deepEqual(events, []);
    assert.equal(clock.pending, 0);
  });

  it('does not let an answer from before a change count after it', async () => {
    const early = Promise.allSettled([secrets.get('a')]);
    await clock.advance(secretStoreLimitMs);
    await early;
    ring.changed.fire('a');
    ring.waiting[0]?.('old');
    await settle();
    assert.deepEqual(events, ['a'], 'the change alone');
    const now = secrets.get('a');
    await settle();
    ring.waiting[1]?.('new');
    assert.equal(await now, 'new');
  });

  it('refuses as a promise where the store throws at once', async () => {
    const broken = patientSecrets(
      {
        keys: () => Promise.resolve([]),
        get: () => {
          throw new Error('no key ring');
        },
        store: () => Promise.reject(new Error('no key ring')),
        delete: () => Promise.resolve(),
        onDidChange: (listener) => ring.onDidChange(listener),
      },
      clock,
    );
    await assert.rejects(broken.get('a'), /no key ring/);
    await assert.rejects(broken.store('a', 'b'), /no key ring/);
    assert.equal(clock.pending, 0);
  });
});
