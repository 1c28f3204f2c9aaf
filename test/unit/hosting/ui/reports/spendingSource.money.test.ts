import assert from 'node:assert/strict';
import { earningsView } from '../../../../../src/hosting/ui/reports/earningsView';
import { withDollarNames } from '../../../../../src/hosting/ui/reports/exports';
import { historySections, marketSections } from '../../../../../src/hosting/ui/reports/marketView';
import { spreadOverDays } from '../../../../../src/hosting/ui/reports/spendingSource';
import type { Charge } from '../../../../../src/model/accounts/charge';
import { fromDollars, toDollars } from '../../../../../src/model/money';
import { formatText } from '../../../../../src/util/text';

const day = 86_400;
const first = 20_000;
const range = { from: first * day, to: (first + 4) * day - 1 };

function aCharge(more: Partial<Charge>): Charge {
  return { type: 'instance', source: 'instance-1', amount: fromDollars(8), items: [], ...more };
}

const byDay = (...charges: readonly Charge[]) =>
  charges
    .flatMap((charge) => spreadOverDays(charge, range))
    .map(({ start = 0, amount }) => [start / day - first, toDollars(amount)]);

describe('a charge over several days', () => {
  it('is at each of them with its share', () => {
    assert.deepEqual(byDay(aCharge({ start: first * day, end: (first + 4) * day })), [
      [0, 2],
      [1, 2],
      [2, 2],
      [3, 2],
    ]);
  });

  it('counts only as far as it is in the time that was asked for', () => {
    assert.deepEqual(byDay(aCharge({ start: (first - 3) * day, end: (first + 1) * day })), [[0, 2]]);
    assert.deepEqual(byDay(aCharge({ start: (first - 3) * day, end: (first - 1) * day })), []);
  });

  it('keeps its whole amount, and those of its kinds', () => {
    const charge = aCharge({
      start: first * day + 3600,
      end: (first + 3) * day,
      amount: fromDollars(1),
      items: [{ type: 'gpu', amount: fromDollars(1) }],
    });
    const parts = spreadOverDays(charge, range);
    const sum = (amounts: readonly number[]) => amounts.reduce((a, b) => a + b, 0);
    assert.equal(sum(parts.map(({ amount }) => amount)), fromDollars(1));
    assert.equal(sum(parts.map(({ items }) => items[0]?.amount ?? 0)), fromDollars(1));
  });

  it('is read at once where its times are absurd', () => {
    assert.deepEqual(byDay(aCharge({ start: -1e12, end: -1e11 })), []);
    assert.deepEqual(
      byDay(aCharge({ start: -1.7e308, end: 1.7e308 })).map(([at, dollars = 0]) => [at, dollars < 0.01]),
      [0, 1, 2, 3].map((at) => [at, true]),
    );
    assert.deepEqual(byDay(aCharge({ start: 1e299, end: 1e300 })), []);
  });

  it('stays as it is where it is of one moment, or of none', () => {
    const moment = aCharge({ start: first * day });
    assert.deepEqual(spreadOverDays(moment, range), [moment]);
    assert.deepEqual(spreadOverDays(aCharge({}), range), [aCharge({})]);
  });
});

describe('what the service does not state', () => {
  const say = formatText;

  it('is not reported, and never $0.00', () => {
    const report = { summary: {}, perMachine: [{ machineId: 5 }], perDay: [], person: {}, skipped: 0 };
    const { tiles, sections } = earningsView(report, (text) => say(text), false);
    assert.deepEqual(tiles, [{ label: 'Earned in this period', value: 'not reported' }]);
    assert.doesNotMatch(JSON.stringify(sections), /\$0\.00/);
  });
});

describe('the quantiles of the market', () => {
  it('keep the digits of the service', () => {
    const gpu = { gpuName: 'H100', priceMedian: fromDollars(2.325), priceP10: fromDollars(2) };
    const [prices] = marketSections([gpu], new Map(), (text) => formatText(text));
    const cells = prices?.table.rows[0]?.cells.map(({ text }) => text) ?? [];
    assert.ok(cells.includes('$2.325') && cells.includes('$2.00'), cells.join(' '));
  });
});

describe('the medians of earlier days', () => {
  it('are amounts, and never rounded down', () => {
    const history = [first, first + 1].map((at) => ({ day: at, medians: { H100: fromDollars(2.3214) } }));
    const [section] = historySections(history, new Map(), (text) => formatText(text));
    const cells = section?.table.rows[0]?.cells.map(({ text, sort }) => [text, sort]);
    assert.deepEqual(cells?.[1], ['$2.3214', 2.3214]);
  });
});

describe('the lines of earlier medians', () => {
  const say = (text: Parameters<typeof formatText>[0]) => formatText(text);
  const day = (at: number, medians: Record<string, number>) => ({
    day: first + at,
    medians: Object.fromEntries(Object.entries(medians).map(([name, price]) => [name, fromDollars(price)])),
  });

  it('have a gap on a day without a price', () => {
    const [section] = historySections([day(0, { A: 1 }), day(1, {}), day(2, { A: 3 })], new Map(), say);
    assert.ok(section?.chart && 'series' in section.chart);
    assert.deepEqual(section.chart.series, [{ name: 'A', values: [1, null, 3] }]);
  });

  it('are five at most, those first that the user rents', () => {
    const medians = { F: 1, E: 1, D: 1, C: 1, B: 1, A: 1 };
    const paid = new Map([['F', undefined]]) as never;
    const [section] = historySections([day(0, medians), day(1, medians)], paid, say);
    assert.ok(section?.chart && 'series' in section.chart);
    assert.equal(section.chart.series.map(({ name }) => name).join(''), 'FABCD');
  });

  it('begin with the second day', () => {
    assert.deepEqual(historySections([], new Map(), say), []);
    assert.deepEqual(historySections([day(0, { A: 1 })], new Map(), say), []);
  });
});

describe('an export as JSON', () => {
  it('has dollars, with the unit in the name', () => {
    const report = {
      summary: { gpu: fromDollars(39) },
      perDay: [{ day: 3, gpu: fromDollars(0.5) }],
      skipped: 0,
    };
    assert.deepEqual(withDollarNames(report, ['gpu']), {
      summary: { gpuDollars: 39 },
      perDay: [{ day: 3, gpuDollars: 0.5 }],
      skipped: 0,
    });
  });
});
