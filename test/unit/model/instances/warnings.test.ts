import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import type { InstanceFacts } from '../../../../src/model/instances/instanceState';
import { forgottenSince, warningKey, warningsFor } from '../../../../src/model/instances/warnings';
import { fromDollars, type Micros } from '../../../../src/model/money';
import { hourlyRate, noRate } from '../../../../src/model/quote';
import { anInstance } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 12);
const day = 24 * 3_600_000;
const stopped = anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' });

function warnings(instances: readonly Instance[], facts: InstanceFacts = {}, credit?: Micros) {
  const rate = instances.length === 0 ? noRate : hourlyRate(fromDollars(1));
  return warningsFor({ instances, facts: () => facts, rate, credit, now });
}

describe('warnings', () => {
  it('name credit that ends within hours, and only while an instance costs money', () => {
    assert.deepEqual(warnings([anInstance()], {}, fromDollars(5.5)), [{ kind: 'lowCredit', hours: 5.5 }]);
    assert.deepEqual(warnings([anInstance()], {}, fromDollars(6)), []);
    assert.deepEqual(warnings([], {}, fromDollars(0)), []);
    assert.deepEqual(warnings([anInstance()], {}, fromDollars(0)), [{ kind: 'noCredit' }]);
    assert.deepEqual(warnings([anInstance()], {}, fromDollars(-3)), [{ kind: 'noCredit' }]);
    assert.deepEqual(warnings([anInstance()]), []);
  });

  it('name credit that ends while only volumes cost money', () => {
    const ofVolumes = (credit: number) =>
      warningsFor({
        instances: [],
        facts: () => ({}),
        rate: hourlyRate(fromDollars(0.1)),
        credit: fromDollars(credit),
        now,
      });
    assert.deepEqual(ofVolumes(0.5), [{ kind: 'lowCredit', hours: 5 }]);
    assert.deepEqual(ofVolumes(0), [{ kind: 'noCredit' }]);
    assert.deepEqual(ofVolumes(0.6), []);
  });

  it('name a start of ours that waits for its GPU, once until it is sent again or costs something else', () => {
    const starting = anInstance({ actualStatus: 'scheduling' });
    const asked = (msAgo: number): InstanceFacts => ({
      lastRequest: { kind: 'start', at: now - msAgo, tookEffect: true },
    });
    assert.deepEqual(warnings([starting], asked(29_999)), []);
    assert.deepEqual(warnings([starting]), []);
    const key = (msAgo: number, instance = starting) =>
      warnings([instance], asked(msAgo)).map((warning) => warningKey(warning, now));
    assert.equal(key(30_000).length, 1);
    assert.deepEqual(key(30_000, { ...starting, statusMessage: 'Still waiting' }), key(30_000));
    assert.notDeepEqual(key(30_000), key(40_000));
    assert.notDeepEqual(key(30_000), key(30_000, { ...starting, storagePerHour: fromDollars(9) }));
  });

  it('name an instance that has been stopped for a week by any user, not one that runs', () => {
    const facts = (days: number): InstanceFacts => ({ stoppedAt: now - days * day });
    assert.deepEqual(warnings([stopped], facts(8)), [
      { kind: 'stoppedLong', instanceId: 5001, sinceMs: now - 8 * day },
    ]);
    assert.deepEqual(warnings([stopped], facts(6.9)), []);
    assert.deepEqual(warnings([stopped]), []);
    assert.deepEqual(warnings([anInstance()], facts(8)), []);
  });

  it('name a stopped instance after as many days as are set, and never where none are', () => {
    const facts = { stoppedAt: now - 3 * day };
    const after = (stoppedDays: number) =>
      warningsFor({
        instances: [stopped],
        facts: () => facts,
        rate: noRate,
        credit: undefined,
        now,
        stoppedDays,
      }).length;
    assert.deepEqual([2, 3, 4, 0].map(after), [1, 1, 0, 0]);
  });

  it('count an instance as forgotten after as many hours without use as are set', () => {
    const hour = day / 24;
    const facts = { lastUsedAt: now - 4 * hour, seenAt: now - hour / 10 };
    assert.equal(forgottenSince(facts, 3, now), facts.lastUsedAt);
    assert.equal(forgottenSince(facts, 4, now), undefined);
    assert.equal(forgottenSince(facts, 0, now), undefined);
    // There was no reading since.
    assert.equal(forgottenSince({ ...facts, seenAt: facts.lastUsedAt + hour }, 3, now), undefined);
  });

  it('name a host that ends the contract within a day', () => {
    const ends = (inMs: number) => anInstance({ endsAt: (now + inMs) / 1000 });
    assert.deepEqual(warnings([ends(day / 2)]), [
      { kind: 'hostEnds', instanceId: 5001, endsAtMs: now + day / 2, isLastHour: false },
    ]);
    assert.deepEqual(warnings([ends(day / 24)]), [
      { kind: 'hostEnds', instanceId: 5001, endsAtMs: now + day / 24, isLastHour: true },
    ]);
    assert.deepEqual(warnings([ends(2 * day), ends(-day)]), []);
  });

  it('name an expired instance with the time its data may be deleted, and none that still runs', () => {
    const over = anInstance({ actualStatus: 'exited', intendedStatus: 'stopped', endsAt: now / 1000 - 3600 });
    const deletedAtMs = now - 3_600_000 + 2 * day;
    assert.deepEqual(warnings([over]), [
      { kind: 'expired', instanceId: 5001, endsAtMs: now - 3_600_000, deletedAtMs },
    ]);
    assert.deepEqual(warnings([anInstance({ endsAt: now / 1000 - 3600 })]), []);
  });

  it('repeat the end of a rental in its last hour, and not for a date that moved by seconds', () => {
    const end = { kind: 'hostEnds', instanceId: 1, endsAtMs: now + day / 2, isLastHour: false } as const;
    assert.notEqual(warningKey(end, now), warningKey({ ...end, isLastHour: true }, now));
    assert.equal(warningKey(end, now), warningKey({ ...end, endsAtMs: end.endsAtMs + 5000 }, now));
  });

  it('are the same warning until a day, a week or a date has changed', () => {
    const low = { kind: 'lowCredit', hours: 3 } as const;
    assert.equal(warningKey(low, now), warningKey({ ...low, hours: 2 }, now + 3_600_000));
    assert.notEqual(warningKey(low, now), warningKey(low, now + day));
    const old = { kind: 'stoppedLong', instanceId: 1, sinceMs: now - 8 * day } as const;
    assert.equal(warningKey(old, now), warningKey(old, now + 5 * day));
    assert.notEqual(warningKey(old, now), warningKey(old, now + 6 * day));
  });
});
