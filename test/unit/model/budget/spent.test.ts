import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Charge } from '../../../../src/model/accounts/charge';
import { chargedIn, chargeLines } from '../../../../src/model/budget/charged';
import { ledgerOf, unreadLedger } from '../../../../src/model/budget/ledger';
import { periods, stretchOf } from '../../../../src/model/budget/period';
import {
  goneSource,
  instanceSource,
  spentIn,
  volumeSource,
  type CostSource,
} from '../../../../src/model/budget/spent';
import { fromDollars, toDollars } from '../../../../src/model/money';
import { hourlyRate, noRate } from '../../../../src/model/quote';
import { anInstance } from '../../../support/builders';
import { sized } from '../../../support/seeded';

const hour = 3600;
const day = 24 * hour;
const midnight = Date.UTC(2026, 2, 29) / 1000;

function aCharge(start: number, end: number, dollars: number, more: Partial<Charge> = {}): Charge {
  return {
    start,
    end,
    amount: fromDollars(dollars),
    type: 'instance',
    source: 'instance-1',
    items: [],
    ...more,
  };
}

function aSource(more: Partial<CostSource> = {}): CostSource {
  return {
    name: 'instance-1',
    since: midnight,
    rate: hourlyRate(fromDollars(1)),
    stoppedRate: hourlyRate(fromDollars(0.1)),
    runsFor: 100 * day,
    ...more,
  };
}

const reading = (at: number) => ({ at, isClockProved: true, isWhole: true });

function today(charges: readonly Charge[], sources: readonly CostSource[], at: number, isWhole = true) {
  const ledger = ledgerOf(charges, { ...reading(at), isWhole });
  const { amount, least, isAtLeast } = spentIn('day', ledger, sources, at);
  return { amount: toDollars(amount), least: toDollars(least), isAtLeast };
}

describe('a day and a month of a budget', () => {
  it('are those of UTC, in any zone of this computer', () => {
    const at = Date.UTC(2026, 1, 28, 23, 59, 59) / 1000;
    assert.deepEqual(stretchOf('day', at), { from: at + 1 - day, to: at + 1 });
    assert.deepEqual(stretchOf('month', at), { from: Date.UTC(2026, 1, 1) / 1000, to: at + 1 });
    assert.equal(stretchOf('month', at + 1).from, at + 1);
  });
});

describe('charges', () => {
  const span = { from: midnight, to: midnight + day };
  const charged = (...charges: readonly Charge[]) => {
    const { amount, least } = chargedIn(chargeLines(charges), span);
    return [toDollars(amount), toDollars(least)];
  };

  it('count once where they are listed twice, or an earlier version is listed beside them', () => {
    const first = aCharge(midnight, midnight + hour, 1);
    const later = aCharge(midnight, midnight + 2 * hour, 2);
    assert.deepEqual(charged(first, first), [1, 1]);
    assert.deepEqual(charged(first, later), [2, 2]);
    assert.deepEqual(charged(later, first), [2, 2]);
  });

  it('count each where they are of two instances, kinds or times', () => {
    const first = aCharge(midnight, midnight + hour, 1);
    assert.deepEqual(charged(first, aCharge(midnight, midnight + hour, 1, { source: 'instance-2' })), [2, 2]);
    assert.deepEqual(charged(first, aCharge(midnight, midnight + hour, 1, { type: 'volume' })), [2, 2]);
    assert.deepEqual(charged(first, aCharge(midnight + hour, midnight + 2 * hour, 1)), [2, 2]);
  });

  it('count an hour once that two of them share, and only the sure part for a stop', () => {
    const whole = aCharge(midnight, midnight + 2 * hour, 2);
    assert.deepEqual(charged(whole, aCharge(midnight + hour, midnight + 3 * hour, 2)), [3, 2]);
  });

  it('of two amounts for the same time count the larger, and the smaller for a stop', () => {
    const [one, other] = [1, 3].map((dollars) => aCharge(midnight, midnight + hour, dollars));
    assert.ok(one && other);
    assert.deepEqual(charged(one, other), [3, 1]);
    assert.deepEqual(charged(other, one), [3, 1]);
  });

  it('count with their share of the day, which proves nothing for a stop', () => {
    assert.deepEqual(charged(aCharge(midnight - 3 * day, midnight + day, 8)), [2, 0]);
  });

  it('count up to now in full where their end is ahead, as of a contract that runs', () => {
    const at = midnight + day / 4;
    const charges = [aCharge(midnight, midnight + 30 * day, 5)];
    assert.deepEqual(today(charges, [], at), { amount: 5, least: 5, isAtLeast: false });
  });

  it('count if their time is unknown, but not for a stop', () => {
    const untimed: Charge = { amount: fromDollars(5), type: 'instance', source: 'instance-1', items: [] };
    assert.deepEqual(charged(untimed, untimed), [5, 0]);
  });

  it('of other days are not counted', () => {
    assert.deepEqual(
      charged(aCharge(midnight - hour, midnight, 1), aCharge(span.to, span.to + 1, 1)),
      [0, 0],
    );
  });
});

describe('what is spent', () => {
  const at = midnight + 10 * hour;

  it('is the charges and what has run since the last of them', () => {
    assert.deepEqual(today([aCharge(midnight, midnight + 8 * hour, 8)], [aSource()], at), {
      amount: 10,
      least: 10,
      isAtLeast: false,
    });
  });

  it('uses the last start and the disk if a machine did not run all the time', () => {
    const source = aSource({ runsFor: hour });
    const { amount, least } = today([aCharge(midnight, midnight + 8 * hour, 8)], [source], at);
    assert.deepEqual([amount, least], [10, 9.1]);
  });

  it('counts until a stop in full, and the disk from then on', () => {
    const stopped = aSource({
      rate: hourlyRate(fromDollars(0.1)),
      runsFor: 0,
      ran: { until: midnight + 9 * hour, rate: hourlyRate(fromDollars(1)) },
    });
    assert.equal(today([aCharge(midnight, midnight + 8 * hour, 8)], [stopped], at).amount, 9.1);
  });

  it('counts what was destroyed until its end, which may not be charged yet', () => {
    const gone = goneSource(aSource(), midnight + 9 * hour);
    assert.deepEqual(today([aCharge(midnight, midnight + 8 * hour, 8)], [gone], at), {
      amount: 9,
      least: 8,
      isAtLeast: false,
    });
  });

  it('counts one that was rented a moment ago from its beginning', () => {
    const fresh = aSource({ name: 'instance-2', since: at - hour, runsFor: 1800 });
    const { amount, least } = today([], [fresh], at);
    assert.deepEqual([amount, least], [1, 0.55]);
  });

  it('proves nothing for hours that may be charged under another name', () => {
    const { least } = today(
      [aCharge(midnight, midnight + 9 * hour, 9, { source: 'contract-1' })],
      [aSource()],
      at,
    );
    assert.equal(least, 10);
  });

  it('is marked where a price or the charges are missing', () => {
    assert.equal(today([], [aSource({ rate: undefined })], at).isAtLeast, true);
    const partly = today(
      [aCharge(midnight, midnight + 8 * hour, 8)],
      [aSource({ runsFor: hour })],
      at,
      false,
    );
    assert.deepEqual([partly.amount, partly.isAtLeast], [9.1, true]);
    const unread = spentIn('day', unreadLedger(at), [aSource({ runsFor: hour })], at);
    assert.deepEqual([toDollars(unread.amount), unread.isAtLeast], [1.9, true]);
  });

  it('begins again at midnight with the running instances, before the new day is read', () => {
    const ledger = ledgerOf([aCharge(midnight, at, 10)], reading(at));
    const next = spentIn('day', ledger, [aSource()], midnight + day + hour);
    assert.deepEqual([toDollars(next.amount), toDollars(next.least)], [1, 1]);
    // The month ends three days later.
    const month = spentIn('month', ledger, [aSource()], midnight + day + hour);
    assert.equal(toDollars(month.amount), 25);
  });
});

/** A machine that runs and stops as it likes, in whole minutes, and what it truly costs. */
const minutes = fc.integer({ min: 1, max: 2000 });
const machine = fc.record({
  turns: fc.array(fc.record({ running: minutes, stopped: minutes }), { minLength: 1, maxLength: 6 }),
  isRunning: fc.boolean(),
  dollars: fc.integer({ min: 1, max: 20 }),
  lagMinutes: fc.integer({ min: 0, max: 3000 }),
  /** How the service cuts its charges. */
  pieceMinutes: fc.constantFrom(60, 1440),
  copies: fc.array(fc.nat({ max: 50 }), { maxLength: 5 }),
  missing: fc.array(fc.nat({ max: 50 }), { maxLength: 3 }),
});
type Machine = typeof machine extends fc.Arbitrary<infer T> ? T : never;

/** Dollars in each minute from its beginning until now. */
function costs({ turns, isRunning, dollars }: Machine): number[] {
  const all = turns.flatMap(({ running, stopped }, index) => [
    ...Array<number>(running).fill(dollars),
    ...(index === turns.length - 1 && isRunning ? [] : Array<number>(stopped).fill(dollars / 10)),
  ]);
  return all.map((hourly) => hourly / 60);
}

function chargesOf(one: Machine, perMinute: readonly number[], begin: number, name: string): Charge[] {
  const charged = Math.max(0, perMinute.length - one.lagMinutes);
  const pieces: Charge[] = [];
  let from = 0;
  while (from < charged) {
    const cut = (Math.floor((begin / 60 + from) / one.pieceMinutes) + 1) * one.pieceMinutes - begin / 60;
    const to = Math.min(charged, cut);
    const amount = fromDollars(perMinute.slice(from, to).reduce((sum, part) => sum + part, 0));
    pieces.push({
      start: begin + from * 60,
      end: begin + to * 60,
      amount,
      type: 'instance',
      source: name,
      items: [],
    });
    from = to;
  }
  const kept = pieces.filter((_, index) => !one.missing.includes(index));
  return [
    ...kept,
    ...one.copies.flatMap((index) => pieces.filter((_, at) => at === index && kept[at] === pieces[at])),
  ];
}

describe('what is certainly spent', () => {
  it('never passes what was spent, for charges that are late, doubled or missing', () => {
    fc.assert(
      fc.property(
        fc.array(machine, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2027, 0, 1) / 60_000 }),
        (machines, minuteNow) => {
          const at = minuteNow * 60;
          const all = machines.map((one, index) => {
            const perMinute = costs(one);
            const begin = at - perMinute.length * 60;
            const name = `instance-${index}`;
            const runsFor = one.isRunning ? (one.turns.at(-1)?.running ?? 0) * 60 : 0;
            const rate = hourlyRate(fromDollars(one.isRunning ? one.dollars : one.dollars / 10));
            const stoppedRate = hourlyRate(fromDollars(one.dollars / 10));
            const source: CostSource = { name, since: begin, rate, stoppedRate, runsFor };
            return { perMinute, begin, source, charges: chargesOf(one, perMinute, begin, name) };
          });
          const ledger = ledgerOf(
            all.flatMap(({ charges }) => charges),
            reading(at),
          );
          for (const period of periods) {
            const { from } = stretchOf(period, at);
            const truth = all.reduce((sum, { perMinute, begin }) => {
              const before = Math.max(0, Math.round((from - begin) / 60));
              return sum + perMinute.slice(before).reduce((part, cost) => part + cost, 0);
            }, 0);
            const { least } = spentIn(
              period,
              ledger,
              all.map(({ source }) => source),
              at,
            );
            // Each charge is rounded up to a millionth.
            assert.ok(toDollars(least) <= truth + 0.001, `${period}: ${toDollars(least)} of ${truth}`);
          }
        },
      ),
      { numRuns: sized(300, 5000) },
    );
  });

  it('is all of it where the charges are whole and the machines run', () => {
    const ran = machine.map((one) => ({
      ...one,
      isRunning: true,
      missing: [],
      turns: one.turns.slice(0, 1),
    }));
    fc.assert(
      fc.property(ran, (one) => {
        const at = Date.UTC(2026, 4, 31, 23, 59) / 1000;
        const perMinute = costs(one);
        const begin = at - perMinute.length * 60;
        const rate = hourlyRate(fromDollars(one.dollars));
        const source = {
          name: 'instance-0',
          since: begin,
          rate,
          stoppedRate: noRate,
          runsFor: perMinute.length * 60,
        };
        const ledger = ledgerOf(chargesOf(one, perMinute, begin, 'instance-0'), reading(at));
        const truth = perMinute
          .slice(-Math.round((at - stretchOf('day', at).from) / 60))
          .reduce((a, b) => a + b, 0);
        const { amount } = spentIn('day', ledger, [source], at);
        assert.ok(Math.abs(toDollars(amount) - truth) < 0.001, `${toDollars(amount)} of ${truth}`);
      }),
      { numRuns: sized(200, 3000) },
    );
  });
});

describe('what costs', () => {
  const [full, disk] = [hourlyRate(fromDollars(1)), hourlyRate(fromDollars(0.1))];
  const instance = (more: Parameters<typeof anInstance>[0]) =>
    anInstance({
      ...{ id: 7, startedAt: midnight },
      ...{ totalPerHour: fromDollars(1), gpuPerHour: fromDollars(0.9), storagePerHour: fromDollars(0.1) },
      ...more,
    });
  const nowMs = (midnight + hour) * 1000;

  it('is a machine at its whole price while it runs, for as long as it states that it does', () => {
    const runs = { actualStatus: 'running', intendedStatus: 'running' } as const;
    const running = instance({ ...runs, uptimeMinutes: 30 });
    assert.deepEqual(instanceSource(running, {}, nowMs), {
      ...{ name: 'instance-7', since: midnight, rate: full, stoppedRate: disk },
      ...{ runsFor: 1800, ran: undefined },
    });
    assert.equal(instanceSource(instance(runs), {}, nowMs).runsFor, 0);
  });

  it('is its disk while it is stopped, and the whole price until our stop', () => {
    const stopped = instance({ actualStatus: 'exited', intendedStatus: 'stopped' });
    const { rate, runsFor, ran } = instanceSource(stopped, {}, nowMs);
    assert.deepEqual([rate, runsFor, ran], [disk, 0, undefined]);
    const lastRequest = { kind: 'stop', at: nowMs - 60_000 } as const;
    const serviceTime = midnight + 2 * hour;
    assert.deepEqual(instanceSource(stopped, { lastRequest }, nowMs, serviceTime).ran, {
      until: serviceTime - 60,
      rate: full,
    });
  });

  it('is a volume at its price, or at an unknown one', () => {
    const volume = { id: 3, createdAt: midnight } as Parameters<typeof volumeSource>[0];
    const at = { name: 'volume-3', since: midnight, runsFor: 0 };
    assert.deepEqual(volumeSource(volume), { ...at, rate: undefined, stoppedRate: noRate });
    const priced = { ...volume, perHour: fromDollars(0.1) };
    assert.deepEqual(volumeSource(priced), { ...at, rate: disk, stoppedRate: disk });
  });
});
