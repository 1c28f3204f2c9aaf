import type { Earned, EarningsReport } from '../../../api/records/earnings';
import type { Machine } from '../../../api/records/machine';
import { add, formatMoney, toDollars, zero, type Micros } from '../../../model/money';
import { text } from '../../../util/text';
import type { ReportView } from '../../../webview/report/protocol';
import { gpusRented } from '../machines/machineTree';
import { moneyCell, printable, textCell, type Localize } from './cells';
import { daysOfAxis } from './days';
import { daysSection, kindTable } from './kindTable';

type View = Pick<ReportView, 'tiles' | 'sections'>;
type Section = View['sections'][number];

const kinds = ['gpu', 'storage', 'upload', 'download'] as const;

/** Formats days since 1970-01-01 UTC as `YYYY-MM-DD`. */
export function dayName(day: number): string {
  const date = new Date(day * 86_400_000);
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(0, 10);
}

/** Returns the total, or undefined if the service reports no amount. */
function earnedTotal(row: Earned): Micros | undefined {
  const known = kinds.map((kind) => row[kind]).filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : add(...known);
}

/** Returns true if the service states that nothing was earned, as it does for an account without machines. */
export function hasEarnedNothing({ summary, perDay, perMachine, skipped }: EarningsReport): boolean {
  const rows = [...perDay, ...perMachine];
  return (
    skipped === 0 && earnedTotal(summary) === zero && rows.every((row) => (earnedTotal(row) ?? zero) === zero)
  );
}

function kindNames(localize: Localize): Record<(typeof kinds)[number], string> {
  return {
    gpu: localize(text('GPU')),
    storage: localize(text('Storage')),
    upload: localize(text('Upload')),
    download: localize(text('Download')),
  };
}

/** Returns tiles, stacked columns per day and a table by machine. */
export function earningsView(
  report: EarningsReport,
  localize: Localize,
  showPerson: boolean,
  machines: readonly Machine[] = [],
): View {
  const earned = earnedTotal(report.summary);
  return {
    tiles: [
      {
        label: localize(text('Earned in this period')),
        value: earned === undefined ? localize(text('not reported')) : formatMoney(earned, 2),
      },
      tile(localize(text('Balance')), report.balance),
      tile(localize(text('Service fee')), report.serviceFee),
      tile(localize(text('Credit')), report.credit),
    ].flat(),
    sections: [
      perDay(report, localize),
      perMachine(report, localize, machines),
      ...(showPerson ? [personSection(report, localize)] : []),
    ],
  };
}

function tile(label: string, amount: Micros | undefined) {
  return amount === undefined ? [] : [{ label, value: formatMoney(amount, 2) }];
}

function perDay(report: EarningsReport, localize: Localize): Section {
  const names = kindNames(localize);
  const days = [...report.perDay].sort((a, b) => a.day - b.day);
  const drawn = daysOfAxis(days.map(({ day }) => day));
  const series = kinds.map((kind) => {
    const sums = new Map<number, Micros>();
    for (const { day, [kind]: amount } of days) {
      if (amount !== undefined) {
        sums.set(day, add(sums.get(day) ?? zero, amount));
      }
    }
    const values = drawn.map((day) => sums.get(day));
    return {
      name: names[kind],
      values: values.map((amount) => (amount === undefined ? null : toDollars(amount))),
    };
  });
  const rows = days.map((row) => ({
    id: String(row.day),
    name: textCell(dayName(row.day)),
    ...amountsOf(row),
  }));
  return daysSection(
    localize(text('Earnings by Day')),
    { categories: drawn.map(dayName), series },
    kindTable(
      localize(text('Earnings by day (UTC), in dollars')),
      localize(text('Day')),
      kinds.map((kind) => names[kind]),
      rows,
      localize,
    ),
    localize,
  );
}

function amountsOf(row: Earned) {
  return { amounts: kinds.map((kind) => row[kind]), total: earnedTotal(row) };
}

/** Returns the earnings by machine; with what it earned per GPU and how much of it is rented, if its record says so. */
function perMachine(report: EarningsReport, localize: Localize, machines: readonly Machine[]): Section {
  const names = kindNames(localize);
  const rows = report.perMachine.map((row) => ({
    id: String(row.machineId),
    name: { text: `#${row.machineId}`, sort: row.machineId },
    ...amountsOf(row),
  }));
  const table = kindTable(
    localize(text('Earnings by machine, in dollars')),
    localize(text('Machine')),
    kinds.map((kind) => names[kind]),
    rows,
    localize,
  );
  const section = { id: 'machines', title: localize(text('Earnings by Machine')), folded: false };
  if (machines.length === 0) {
    return { ...section, table };
  }
  const more = rows.map(({ id, total }) => {
    const machine = machines.find((one) => String(one.id) === id);
    const gpus = machine?.gpuCount ?? 0;
    const each = total === undefined || gpus < 1 ? undefined : (Math.ceil(total / gpus) as Micros);
    return [moneyCell(each, 2), occupancyCell(machine, localize)];
  });
  const columns = [text('Per GPU'), text('Rented now')].map((label) => ({
    label: localize(label),
    numeric: true,
  }));
  return {
    ...section,
    table: {
      ...table,
      columns: [...table.columns, ...columns],
      rows: table.rows.map((row, index) => ({ ...row, cells: [...row.cells, ...(more[index] ?? [])] })),
    },
  };
}

function occupancyCell(machine: Machine | undefined, localize: Localize) {
  const gpus = machine && gpusRented(machine);
  return gpus
    ? {
        text: localize(text('{0} of {1}', gpus.rented, gpus.all)),
        sort: gpus.rented / gpus.all,
        share: gpus.rented / gpus.all,
      }
    : { text: '–' };
}

function personSection(report: EarningsReport, localize: Localize): Section {
  return {
    id: 'person',
    title: localize(text('Name and Address')),
    folded: false,
    table: {
      caption: localize(text('As the service reports them')),
      columns: [
        { label: localize(text('Field')), numeric: false },
        { label: localize(text('Value')), numeric: false },
      ],
      rows: Object.entries(report.person).map(([field, value]) => ({
        id: printable(field),
        cells: [textCell(field), textCell(value)],
      })),
    },
  };
}
