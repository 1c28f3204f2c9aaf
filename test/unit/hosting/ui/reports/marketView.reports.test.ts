import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { EarningsReport } from '../../../../../src/api/records/earnings';
import { earningsView, hasEarnedNothing } from '../../../../../src/hosting/ui/reports/earningsView';
import { toCsv, toMarkdown } from '../../../../../src/hosting/ui/reports/exports';
import { marketSections } from '../../../../../src/hosting/ui/reports/marketView';
import { spendingView } from '../../../../../src/hosting/ui/reports/spendingView';
import type { Charge } from '../../../../../src/model/accounts/charge';
import { fromDollars } from '../../../../../src/model/money';
import type { GpuMetrics } from '../../../../../src/model/offers/gpuMetrics';
import { formatText } from '../../../../../src/util/text';

const say = formatText;

function aReport(change: Partial<EarningsReport> = {}): EarningsReport {
  return { summary: {}, perMachine: [], perDay: [], person: {}, skipped: 0, ...change };
}

describe('the earnings report', () => {
  it('puts days in order and shows what is unknown as unknown, not as zero', () => {
    const { sections } = earningsView(
      aReport({
        perDay: [
          { day: 20_001, gpu: fromDollars(2), storage: fromDollars(0.5) },
          { day: 20_000, gpu: fromDollars(1) },
        ],
      }),
      say,
      false,
    );
    const days = sections.find(({ id }) => id === 'days');
    assert.deepEqual(days?.chart, {
      kind: 'stackedColumns',
      unit: 'dollars',
      categories: ['2024-10-04', '2024-10-05'],
      series: [
        { name: 'GPU', values: [1, 2] },
        { name: 'Storage', values: [null, 0.5] },
        { name: 'Upload', values: [null, null] },
        { name: 'Download', values: [null, null] },
      ],
    });
    assert.deepEqual(
      days.table.rows.map((row) => row.cells.map((cell) => cell.text)),
      [
        ['2024-10-04', '$1.00', '–', '–', '–', '$1.00'],
        ['2024-10-05', '$2.00', '$0.50', '–', '–', '$2.50'],
      ],
    );
  });

  it('keeps a place for a day without earnings, and the money of two rows of one day', () => {
    const gpu = fromDollars(1);
    const perDay = [20_000, 20_002, 20_002].map((day) => ({ day, gpu }));
    const [days] = earningsView(aReport({ perDay }), say, false).sections;
    assert.ok(days?.chart?.kind === 'stackedColumns');
    assert.deepEqual(days.chart.categories, ['2024-10-04', '2024-10-05', '2024-10-06']);
    assert.deepEqual(days.chart.series[0], { name: 'GPU', values: [1, null, 2] });
    assert.equal(days.table.rows.length, 3);
  });

  it('draws the days that it has where one of them is absurd', () => {
    const perDay = [20_000, 1e300].map((day) => ({ day, gpu: fromDollars(1) }));
    const [days] = earningsView(aReport({ perDay }), say, false).sections;
    assert.ok(days?.chart?.kind === 'stackedColumns');
    assert.deepEqual(days.chart.categories, ['2024-10-04', '–']);
  });

  it('shows that nothing was earned only if the service states it', () => {
    const none = fromDollars(0);
    const days = [20_000, 20_001].map((day) => ({ day, gpu: none, storage: none }));
    assert.ok(hasEarnedNothing(aReport({ summary: { gpu: none, storage: none }, perDay: days })));
    assert.ok(!hasEarnedNothing(aReport({ perDay: days })), 'the sum is unknown');
    assert.ok(!hasEarnedNothing(aReport({ summary: { gpu: none }, skipped: 1 })));
    const [first] = days;
    assert.ok(first);
    const perDay = [{ ...first, upload: fromDollars(0.01) }];
    assert.ok(!hasEarnedNothing(aReport({ summary: { gpu: none }, perDay })));
  });

  it('hides name and address unless asked', () => {
    const report = aReport({ person: { email: 'host@gpu.example' } });
    assert.ok(!JSON.stringify(earningsView(report, say, false)).includes('host@gpu.example'));
    assert.ok(JSON.stringify(earningsView(report, say, true)).includes('host@gpu.example'));
  });
});

describe('the market report', () => {
  const gpu: GpuMetrics = {
    gpuName: 'RTX 4090',
    priceP10: fromDollars(0.2),
    priceP25: fromDollars(0.3),
    priceMedian: fromDollars(0.35),
    priceP75: fromDollars(0.4),
    priceP90: fromDollars(0.5),
  };

  it('draws a box with what the user pays beside it', () => {
    const [prices] = marketSections([gpu], new Map([['RTX 4090', fromDollars(0.32)]]), say);
    assert.deepEqual(prices?.chart, {
      kind: 'boxPlot',
      unit: 'dollars per hour',
      boxes: [
        {
          name: 'RTX 4090',
          low: 0.2,
          lower: 0.3,
          middle: 0.35,
          upper: 0.4,
          high: 0.5,
          mark: { value: 0.32, label: 'You pay' },
        },
      ],
    });
  });

  it('keeps a model with missing or absurd prices in the table and out of the drawing', () => {
    const absurd = [
      { ...gpu, gpuName: 'none', priceMedian: undefined },
      { ...gpu, gpuName: 'negative', priceP10: fromDollars(-1) },
      { ...gpu, gpuName: 'unordered', priceP25: fromDollars(9) },
    ].map(({ priceMedian, ...rest }) => (priceMedian === undefined ? rest : { ...rest, priceMedian }));
    const [prices] = marketSections(absurd, new Map(), say);
    assert.equal(prices?.chart, undefined);
    assert.equal(prices?.table.rows.length, 3);
  });

  it('removes control characters and direction marks from hostile names', () => {
    const [prices] = marketSections([{ gpuName: 'RTX\u0000\n\u202e 4090' }], new Map(), say);
    assert.equal(prices?.table.rows[0]?.cells[0]?.text, 'RTX 4090');
  });
});

describe('the spending report', () => {
  const charges: Charge[] = [
    {
      start: 20_000 * 86_400,
      type: 'instance',
      source: 'instance-5',
      amount: fromDollars(3),
      items: [
        { type: 'gpu', amount: fromDollars(2.5) },
        { type: 'disk', amount: fromDollars(0.5) },
      ],
    },
    { start: 20_001 * 86_400, type: 'volume', source: 'volume-9', amount: fromDollars(1), items: [] },
  ];

  it('sums the same money by day, by source and by kind', () => {
    const { tiles, sections } = spendingView({ charges, agentInstances: [] }, say);
    assert.deepEqual(tiles, [{ label: 'Spent in this period', value: '$4.00' }]);
    const rows = (id: string) =>
      sections
        .find((section) => section.id === id)
        ?.table.rows.map((row) => row.cells.map((cell) => cell.text));
    assert.deepEqual(rows('days'), [
      ['2024-10-04', '$2.50', '$0.50', '–', '$3.00'],
      ['2024-10-05', '–', '–', '$1.00', '$1.00'],
    ]);
    assert.deepEqual(rows('sources'), [
      ['instance-5', '$3.00'],
      ['volume-9', '$1.00'],
    ]);
    assert.deepEqual(rows('kinds'), [
      ['GPU', '$2.50'],
      ['Volume', '$1.00'],
      ['Disk', '$0.50'],
    ]);
  });
});

describe('money of which the service names no kind', () => {
  it('is of another kind, not of a kind without a name', () => {
    const charge = { start: 20_000 * 86_400, type: '', amount: fromDollars(1), items: [] };
    const { sections } = spendingView({ charges: [charge], agentInstances: [] }, say);
    assert.equal(sections[0]?.table.columns[1]?.label, 'Other');
    assert.equal(sections.find(({ id }) => id === 'kinds')?.table.rows[0]?.cells[0]?.text, 'Other');
  });
});

describe('the spending of agents', () => {
  it('is marked by instance, and summed where there is any', () => {
    const charge = (source: string, dollars: number): Charge => ({
      type: 'instance',
      source,
      start: 20_000 * 86_400,
      amount: fromDollars(dollars),
      items: [],
    });
    const charges = [charge('instance-5', 2), charge('instance-55', 1), charge('volume-5', 0.5)];
    const { tiles, sections } = spendingView({ charges, agentInstances: [5, 7] }, say);
    assert.deepEqual(tiles[1], { label: 'By agents', value: '$2.00' });
    assert.deepEqual(
      sections.find(({ id }) => id === 'sources')?.table.rows.map(({ cells }) => cells[0]?.text),
      ['instance-5 · by agent', 'instance-55', 'volume-5'],
    );
  });
});

describe('the chart of spending', () => {
  it('keeps a place for a day without charges', () => {
    const charge = (day: number): Charge => ({
      type: 'volume',
      amount: fromDollars(1),
      start: day * 86_400,
      items: [],
    });
    const [days] = spendingView(
      { charges: [charge(20_000), charge(20_002)], agentInstances: [] },
      say,
    ).sections;
    assert.deepEqual(days?.chart, {
      kind: 'stackedColumns',
      unit: 'dollars',
      categories: ['2024-10-04', '2024-10-05', '2024-10-06'],
      series: [{ name: 'Volume', values: [1, 0, 1] }],
    });
  });
});

describe('a long time of spending', () => {
  const charge = (day: number, source: string): Charge => ({
    type: 'volume',
    source,
    amount: fromDollars(1),
    start: day * 86_400,
    items: [],
  });

  it('is drawn from its first day on', () => {
    const charges = [charge(20_000, 'volume-1'), charge(20_729, 'volume-1')];
    const [days] = spendingView({ charges, agentInstances: [] }, say).sections;
    assert.ok(days?.chart?.kind === 'stackedColumns');
    assert.equal(days.chart.categories.length, 730);
    assert.equal(days.chart.categories[0], '2024-10-04');
  });

  it('may be of so many charges that they fit in no call, all of them of agents', () => {
    const charges = Array.from({ length: 200_000 }, (_, index) =>
      charge(20_000 + (index % 300), `instance-${index % 100}`),
    );
    const agentInstances = Array.from({ length: 100 }, (_, index) => index);
    const { tiles } = spendingView({ charges, agentInstances }, say);
    assert.deepEqual(
      tiles.map(({ value }) => value),
      ['$200,000.00', '$200,000.00'],
    );
  });
});

describe('exports', () => {
  const table = (text: string) => ({
    caption: '',
    columns: [{ label: 'A', numeric: false }],
    rows: [{ id: '1', cells: [{ text }] }],
  });

  it('writes no field that a spreadsheet would run', () => {
    fc.assert(
      fc.property(fc.constantFrom('=', '+', '-', '@', '\t'), fc.string(), (first, rest) => {
        fc.pre(!/^-?\d/.test(first + rest));
        const field = toCsv(table(first + rest)).split('\r\n')[1] ?? '';
        assert.ok(/^("?)'/.test(field), field);
      }),
    );
  });

  it('quotes commas, quotes and line breaks', () => {
    assert.equal(toCsv(table('a,"b"\nc')), '\ufeffA\r\n"a,""b""\nc"\r\n');
  });

  it('names the unit of an amount, whose sign is not in the file', () => {
    const columns = ['Day', 'Total', 'Hours'].map((label) => ({ label, numeric: label !== 'Day' }));
    const cells = [{ text: '1 May' }, { text: '$2.33', sort: 2.325 }, { text: '7', sort: 7 }];
    const amounts = { caption: '', columns, rows: [{ id: 'a', cells }] };
    assert.equal(toCsv(amounts), '\ufeffDay,Total ($),Hours\r\n1 May,2.325,7\r\n');
  });

  it('escapes what Markdown would read', () => {
    assert.match(toMarkdown('T', table('a|b<script>')), /\| a\\\|b\\<script\\> \|/);
  });
});
