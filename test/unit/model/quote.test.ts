import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatCents, formatMoney, fromDollars, type Micros } from '../../../src/model/money';
import {
  costOf,
  diskRate,
  spanOfHours,
  estimate,
  hourlyRate,
  hoursOfCredit,
  noRate,
  perDay,
  perHour,
  perMonth,
  quoteOffer,
  readStay,
  runningRateOf,
  stoppedRateOf,
  sumRates,
} from '../../../src/model/quote';
import { formatText } from '../../../src/util/text';
import { lacking, marketOffer } from '../../support/marketOffer';

const terms = { rentalType: 'on-demand', diskGb: 20, searchedDiskGb: 20 } as const;

describe('quote of an offer', () => {
  it('is the GPU and the disk, to the cent', () => {
    const { running, stopped } = quoteOffer(marketOffer(), terms);
    assert.ok(running !== undefined && stopped !== undefined);
    // 0.40 + 20 × 0.15 / 720 = 0.4041666… an hour; 9.60 + 0.10 = 9.70 a day; 3.00 a month stopped.
    assert.equal(perHour(running), 404_167);
    assert.equal(formatMoney(perHour(running)), '$0.405');
    assert.equal(formatCents(perDay(running)), '$9.70');
    assert.equal(formatCents(perMonth(running)), '$291.00');
    assert.equal(formatMoney(perHour(stopped)), '$0.0042');
    assert.equal(formatCents(perDay(stopped)), '$0.10');
    assert.equal(formatCents(perMonth(stopped)), '$3.00');
  });

  it('does not let the rounding of an hour grow over a month', () => {
    const stopped = diskRate(fromDollars(0.15), 10);
    assert.equal(perHour(stopped), 2084);
    assert.equal(perMonth(stopped), fromDollars(1.5));
    assert.equal(perDay(stopped), fromDollars(0.05));
  });

  it('adds the disk that is wanted beyond the one that was searched with', () => {
    const { running } = quoteOffer(marketOffer(), { ...terms, diskGb: 100 });
    assert.ok(running !== undefined);
    assert.equal(formatCents(perDay(running)), '$10.10');
  });

  it('adds the further disk where the GPU alone has no stated price', () => {
    const offer = marketOffer({ totalPerHour: fromDollars(0.5) });
    const { running } = quoteOffer(lacking(offer, 'gpuPerHour'), { ...terms, diskGb: 40 });
    assert.equal(running, hourlyRate(fromDollars(0.5)) + diskRate(fromDollars(0.15), 20));
  });

  it('believes the service where its total is another than ours', () => {
    const { running } = quoteOffer(marketOffer({ totalPerHour: fromDollars(0.5) }), terms);
    assert.equal(running, hourlyRate(fromDollars(0.5)));
  });

  it('has a running price from the documented total alone, and no stopped one', () => {
    const quote = quoteOffer({ id: 1, totalPerHour: fromDollars(0.35) }, terms);
    assert.equal(quote.running, hourlyRate(fromDollars(0.35)));
    assert.equal(quote.stopped, undefined);
  });

  it('has no price where the service states none', () => {
    assert.equal(quoteOffer({ id: 1 }, terms).running, undefined);
  });

  it('is the bid and the disk for an interruptible offer, the least bid without one', () => {
    const least = quoteOffer(marketOffer(), { ...terms, rentalType: 'interruptible' });
    const bid = quoteOffer(marketOffer(), {
      ...terms,
      rentalType: 'interruptible',
      bidPerHour: fromDollars(0.25),
    });
    assert.ok(least.running !== undefined && bid.running !== undefined);
    assert.equal(formatCents(perDay(least.running)), '$4.90');
    assert.equal(formatCents(perDay(bid.running)), '$6.10');
  });
});

describe('estimate of a stay', () => {
  const quote = quoteOffer(marketOffer(), terms);

  it('counts hours and bandwidth', () => {
    // 8 × 0.4041666… = 3.2333…, 50 GB down at 0.004 = 0.20, 10 GB up at 0.002 = 0.02.
    const cost = estimate(quote, { hours: 8, downGb: 50, upGb: 10 });
    assert.equal(cost, 3_233_334 + 200_000 + 20_000);
  });

  it('is not made up where a price that it needs is missing', () => {
    const noUp = quoteOffer(lacking(marketOffer(), 'inetUpPerGb'), terms);
    assert.equal(estimate(noUp, { hours: 1, downGb: 1, upGb: 1 }), undefined);
    assert.notEqual(estimate(noUp, { hours: 1, downGb: 1, upGb: 0 }), undefined);
    assert.equal(estimate({ ...quote, running: undefined }, { hours: 1, downGb: 0, upGb: 0 }), undefined);
  });
});

describe('rates', () => {
  const anyRate = fc.integer({ min: 0, max: 1e11 }).map((micros) => diskRate(micros as Micros, 1));

  it('never cost less for more hours, and never less than exactly', () => {
    fc.assert(
      fc.property(anyRate, fc.integer({ min: 0, max: 10_000 }), (rate, hours) => {
        const cost = costOf(rate, hours);
        assert.ok(cost * 720 >= rate * hours - 1e-3 * rate);
        assert.ok(costOf(rate, hours + 1) >= cost);
      }),
    );
  });

  it('of several machines are the sum of each, exactly', () => {
    fc.assert(
      fc.property(fc.array(anyRate, { maxLength: 20 }), (rates) => {
        const total = sumRates(...rates);
        assert.equal(
          perMonth(total),
          rates.reduce<number>((sum, rate) => sum + perMonth(rate), 0),
        );
      }),
    );
  });

  it('state how long credit lasts, alone and together', () => {
    const rate = hourlyRate(fromDollars(0.5));
    assert.equal(hoursOfCredit(fromDollars(10), rate), 20);
    assert.equal(hoursOfCredit(fromDollars(10), sumRates(rate, rate)), 10);
    assert.equal(hoursOfCredit(fromDollars(-1), rate), 0);
    assert.equal(hoursOfCredit(fromDollars(10), noRate), undefined);
  });
});

describe('rates of instances', () => {
  const instance = {
    id: 7,
    gpuPerHour: fromDollars(0.4),
    storagePerHour: fromDollars(3 / 720),
    storagePerMonth: fromDollars(3),
    totalPerHour: fromDollars(0.4 + 3 / 720),
  };

  it('are the figures of the confirmation', () => {
    const quote = quoteOffer(marketOffer(), terms);
    assert.equal(runningRateOf(instance), quote.running);
    assert.equal(stoppedRateOf(instance), quote.stopped);
  });

  it('fall back to the hour where the record has no more', () => {
    assert.equal(stoppedRateOf({ id: 1, storagePerHour: fromDollars(0.01) }), hourlyRate(fromDollars(0.01)));
    assert.equal(stoppedRateOf({ id: 1 }), undefined);
    assert.equal(runningRateOf({ id: 1, totalPerHour: fromDollars(0.3) }), hourlyRate(fromDollars(0.3)));
    assert.equal(runningRateOf({ id: 1, gpuPerHour: fromDollars(0.3) }), hourlyRate(fromDollars(0.3)));
  });
});

describe('a stay', () => {
  it('is read as people type it', () => {
    const stay = { hours: 8, downGb: 50, upGb: 0 };
    for (const typed of ['8 50', '8 h, 50 GB', '8h;50gb', ' 8, 50, 0 ', '8 h, 50 GB, 0 GB']) {
      assert.deepEqual(readStay(typed), stay, typed);
    }
    assert.deepEqual(readStay('1.5 0 2'), { hours: 1.5, downGb: 0, upGb: 2 });
  });

  it('is none for anything else', () => {
    for (const typed of ['', '8', 'a b', '0 50', '9000 1', '-1 5', '8 50 1 2', '8 9999999']) {
      assert.equal(readStay(typed), undefined, typed);
    }
  });
});

describe('durationText', () => {
  const shown = (hours: number) => formatText(spanOfHours(hours));

  it('rounds down in units that people use', () => {
    assert.equal(shown(0), '0 min');
    assert.equal(shown(0.99), '59 min');
    assert.equal(shown(5.9), '5 h');
    assert.equal(shown(47.9), '47 h');
    assert.equal(shown(76.5), '3 days 4 h');
    assert.equal(shown(72), '3 days');
    assert.equal(shown(24 * 20.9), '20 days');
    assert.equal(shown(24 * 400), 'more than a year');
  });
});
