import { toDollars, type Micros } from '../../../model/money';
import type { GpuMetrics } from '../../../model/offers/gpuMetrics';
import { text } from '../../../util/text';
import type { ReportView } from '../../../webview/report/protocol';
import { exactMoneyCell, moneyCell, numberCell, printable, textCell, type Localize } from './cells';
import { dayName } from './earningsView';
import { titleOfShown } from './offersView';

type Section = ReportView['sections'][number];
type Cell = Section['table']['rows'][number]['cells'][number];
type Box = Extract<NonNullable<Section['chart']>, { kind: 'boxPlot' }>['boxes'][number];

/** What the user pays now for one GPU per hour, by model. */
export type PaidByModel = ReadonlyMap<string, Micros>;

/** Medians of one day, in whole micro-dollars. */
export interface MarketDay {
  readonly day: number;
  readonly medians: Readonly<Record<string, Micros>>;
}

/** The number of lines that a reader can still tell apart. */
const mostLines = 5;

/** Returns a chart of the medians on the days when the report was opened. Empty before the second such day. */
export function historySections(
  history: readonly MarketDay[],
  paid: PaidByModel,
  localize: Localize,
): readonly Section[] {
  const last = history.at(-1);
  if (history.length < 2 || !last) {
    return [];
  }
  const names = Object.keys(last.medians)
    .sort((a, b) => Number(paid.has(b)) - Number(paid.has(a)) || a.localeCompare(b))
    .slice(0, mostLines);
  const value = (day: MarketDay, name: string) => {
    const median = day.medians[name];
    return median === undefined ? null : median / 1e6;
  };
  return [
    {
      id: 'history',
      title: localize(text('Median Price on the Days You Opened This Report')),
      folded: true,
      chart: {
        kind: 'lines',
        unit: localize(text('dollars per hour')),
        categories: history.map(({ day }) => dayName(day)),
        series: names.map((name) => ({
          name: printable(name),
          values: history.map((day) => value(day, name)),
        })),
      },
      table: {
        caption: localize(text('Median price per GPU and hour, in dollars')),
        columns: [
          { label: localize(text('Day')), numeric: false },
          ...names.map((name) => ({ label: printable(name), numeric: true })),
        ],
        rows: history.map((day) => ({
          id: String(day.day),
          cells: [textCell(dayName(day.day)), ...names.map((name) => exactMoneyCell(day.medians[name]))],
        })),
      },
    },
  ];
}

/**
 * Returns price quantiles, supply and value per GPU model. A model without prices has a row but no box. Offers, of which
 * `shown` is the number, show prices only.
 */
export function marketSections(
  gpus: readonly GpuMetrics[],
  paid: PaidByModel,
  localize: Localize,
  shown?: number,
): readonly Section[] {
  const sorted = [...gpus].sort((a, b) => a.gpuName.localeCompare(b.gpuName));
  const prices = priceSection(sorted, paid, localize);
  if (shown !== undefined) {
    return [{ ...prices, title: titleOfShown(prices.title, shown, localize) }];
  }
  return [prices, supplySection(sorted, localize), valueSection(sorted, localize)];
}

function priceSection(gpus: readonly GpuMetrics[], paid: PaidByModel, localize: Localize): Section {
  const boxes = gpus.map((gpu) => boxOf(gpu, paid, localize)).filter((box) => box !== undefined);
  return {
    id: 'prices',
    title: localize(text('Price per GPU and Hour')),
    folded: true,
    ...(boxes.length === 0
      ? {}
      : { chart: { kind: 'boxPlot' as const, unit: localize(text('dollars per hour')), boxes } }),
    table: modelTable(
      localize(text('Price per GPU and hour, in dollars; select a model to search its offers')),
      gpus,
      [
        { label: 'p10', cell: (gpu) => exactMoneyCell(gpu.priceP10) },
        { label: 'p25', cell: (gpu) => exactMoneyCell(gpu.priceP25) },
        { label: localize(text('Median')), cell: (gpu) => exactMoneyCell(gpu.priceMedian) },
        { label: 'p75', cell: (gpu) => exactMoneyCell(gpu.priceP75) },
        { label: 'p90', cell: (gpu) => exactMoneyCell(gpu.priceP90) },
        { label: localize(text('You pay')), cell: (gpu) => moneyCell(paid.get(gpu.gpuName)) },
      ],
      localize,
    ),
  };
}

/** Returns a box if all five quantiles are present, ascending and not negative. */
function boxOf(gpu: GpuMetrics, paid: PaidByModel, localize: Localize): Box | undefined {
  const prices = [gpu.priceP10, gpu.priceP25, gpu.priceMedian, gpu.priceP75, gpu.priceP90];
  const [low, lower, middle, upper, high] = prices.map((price) =>
    price === undefined ? undefined : toDollars(price),
  );
  if (
    low === undefined ||
    lower === undefined ||
    middle === undefined ||
    upper === undefined ||
    high === undefined ||
    !(low >= 0 && low <= lower && lower <= middle && middle <= upper && upper <= high)
  ) {
    return undefined;
  }
  const own = paid.get(gpu.gpuName);
  return {
    name: printable(gpu.gpuName),
    low,
    lower,
    middle,
    upper,
    high,
    ...(own === undefined ? {} : { mark: { value: toDollars(own), label: localize(text('You pay')) } }),
  };
}

function supplySection(gpus: readonly GpuMetrics[], localize: Localize): Section {
  return {
    id: 'supply',
    title: localize(text('Supply and Demand')),
    folded: false,
    table: modelTable(
      localize(text('GPUs on the market')),
      gpus,
      [
        { label: localize(text('All')), cell: (gpu) => numberCell(gpu.total) },
        { label: localize(text('Free')), cell: (gpu) => numberCell(gpu.available) },
        { label: localize(text('Free, verified')), cell: (gpu) => numberCell(gpu.availableVerified) },
        { label: localize(text('Rented, verified')), cell: (gpu) => numberCell(gpu.rentedVerified) },
        { label: localize(text('Free, not verified')), cell: (gpu) => numberCell(gpu.availableUnverified) },
        { label: localize(text('Rented, not verified')), cell: (gpu) => numberCell(gpu.rentedUnverified) },
        { label: localize(text('In use now (%)')), cell: (gpu) => numberCell(gpu.usage, 1) },
        { label: localize(text('In use, 30-day average (%)')), cell: (gpu) => numberCell(gpu.usage30d, 1) },
      ],
      localize,
    ),
  };
}

function valueSection(gpus: readonly GpuMetrics[], localize: Localize): Section {
  return {
    id: 'value',
    title: localize(text('Value for Money')),
    folded: false,
    table: modelTable(
      localize(text('Computing power, total and per $/h')),
      gpus,
      [
        { label: localize(text('TFLOPS')), cell: (gpu) => numberCell(gpu.teraflops, 1) },
        { label: localize(text('TFLOPS per $/h')), cell: (gpu) => numberCell(gpu.teraflopsPerDollar, 1) },
        { label: localize(text('DLPerf')), cell: (gpu) => numberCell(gpu.dlperf, 1) },
        { label: localize(text('DLPerf per $/h')), cell: (gpu) => numberCell(gpu.dlperfPerDollar, 1) },
      ],
      localize,
    ),
  };
}

/** Returns a table with a row per model. Choosing a row searches for the model's offers. */
function modelTable(
  caption: string,
  gpus: readonly GpuMetrics[],
  columns: readonly { readonly label: string; readonly cell: (gpu: GpuMetrics) => Cell }[],
  localize: Localize,
): Section['table'] {
  return {
    caption,
    columns: [
      { label: localize(text('Model')), numeric: false },
      ...columns.map(({ label }) => ({ label, numeric: true })),
    ],
    rows: gpus.map((gpu) => ({
      id: gpu.gpuName,
      action: localize(text('Search offers with this GPU')),
      cells: [textCell(gpu.gpuName), ...columns.map(({ cell }) => cell(gpu))],
    })),
  };
}
