import type { Charge } from '../../../model/accounts/charge';
import { withoutMarker } from '../../../model/instances/instanceLabel';
import { add, formatMoney, sumMoney, toDollars, zero, type Micros } from '../../../model/money';
import { text, type Text } from '../../../util/text';
import type { ReportView } from '../../../webview/report/protocol';
import { moneyCell, printable, textCell, type Localize } from './cells';
import { daysOfAxis } from './days';
import { dayName } from './earningsView';
import { daysSection, kindTable } from './kindTable';

type View = Pick<ReportView, 'tiles' | 'sections'>;
const secondsPerDay = 86_400;

interface Spent {
  readonly charges: readonly Charge[];
  /** Ids of the instances rented by agents. */
  readonly agentInstances: readonly number[];
}

/** Returns the charges by day, by instance or volume, and by kind. */
export function spendingView({ charges, agentInstances }: Spent, localize: Localize): View {
  const ofAgents = new Set(agentInstances.map((id) => `instance-${id}`));
  const isOfAgent = ({ source }: Charge) => source !== undefined && ofAgents.has(source);
  const byAgents = charges.filter(isOfAgent);
  const nameOf = (charge: Charge) =>
    isOfAgent(charge) ? `${sourceName(charge)} · ${localize(text('by agent'))}` : sourceName(charge);
  const kindsOf = (charge: Charge) =>
    partsOf(charge).map(([kind, amount]) => [kindName(kind, localize), amount] as const);
  return {
    tiles: [
      { label: localize(text('Spent in this period')), value: sumText(charges) },
      ...(byAgents.length > 0 ? [{ label: localize(text('By agents')), value: sumText(byAgents) }] : []),
    ],
    sections: [
      byDay(charges, localize),
      byKey(
        charges.map((charge) => [nameOf(charge), charge.amount]),
        localize,
        'sources',
      ),
      byKey(
        charges.map((charge) => [labelOf(charge, localize), charge.amount]),
        localize,
        'labels',
      ),
      byKey(charges.flatMap(kindsOf), localize, 'kinds'),
    ],
  };
}

function sumText(charges: readonly Charge[]): string {
  return formatMoney(sumMoney(charges.map(({ amount }) => amount)), 2);
}

function byDay(charges: readonly Charge[], localize: Localize): View['sections'][number] {
  const kinds = [...new Set(charges.flatMap((charge) => partsOf(charge).map(([kind]) => kind)))].sort(
    (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  );
  const days = new Map<number, Map<string, Micros>>();
  for (const charge of charges) {
    const seconds = charge.start ?? charge.end;
    if (seconds === undefined) {
      continue;
    }
    const day = Math.floor(seconds / secondsPerDay);
    const sums = days.get(day) ?? new Map<string, Micros>();
    for (const [kind, amount] of partsOf(charge)) {
      sums.set(kind, add(sums.get(kind) ?? zero, amount));
    }
    days.set(day, sums);
  }
  const rows = [...days.entries()].sort(([a], [b]) => a - b);
  const drawn = daysOfAxis(rows.map(([day]) => day));
  const names = kinds.map((kind) => kindName(kind, localize));
  const series = kinds.map((kind) => ({
    name: kindName(kind, localize),
    values: drawn.map((day) => toDollars(days.get(day)?.get(kind) ?? zero)),
  }));
  const tableRows = rows.map(([day, sums]) => ({
    id: String(day),
    name: textCell(dayName(day)),
    amounts: kinds.map((kind) => sums.get(kind)),
    total: sumMoney(sums.values()),
  }));
  return daysSection(
    localize(text('Spending by Day')),
    { categories: drawn.map(dayName), series },
    kindTable(
      localize(text('Spending by day (UTC), in dollars')),
      localize(text('Day')),
      names,
      tableRows,
      localize,
    ),
    localize,
  );
}

const groupings: Readonly<
  Record<
    'sources' | 'labels' | 'kinds',
    { readonly title: Text; readonly column: Text; readonly caption?: Text }
  >
> = {
  sources: { title: text('Spending by Instance and Volume'), column: text('For') },
  labels: {
    title: text('Spending by Label'),
    column: text('Label'),
    caption: text(
      'In dollars, most expensive first. The service does not record which person of a team spent it; labels can name them.',
    ),
  },
  kinds: { title: text('Spending by Kind'), column: text('Kind') },
};

function byKey(
  parts: readonly (readonly [name: string, amount: Micros])[],
  localize: Localize,
  by: 'sources' | 'labels' | 'kinds',
): View['sections'][number] {
  const sums = new Map<string, Micros>();
  for (const [name, amount] of parts) {
    sums.set(name, add(sums.get(name) ?? zero, amount));
  }
  const rows = [...sums.entries()].sort(([, a], [, b]) => b - a);
  const { title, column, caption = text('In dollars, most expensive first') } = groupings[by];
  return {
    id: by,
    title: localize(title),
    folded: false,
    table: {
      caption: localize(caption),
      columns: [
        { label: localize(column), numeric: false },
        { label: localize(text('Total')), numeric: true },
      ],
      rows: rows.map(([name, amount]) => ({ id: name, cells: [textCell(name), moneyCell(amount, 2)] })),
    },
  };
}

/** The order of the kinds in the earnings report, so that the same kind has the same color in both. */
const order = ['gpu', 'disk', 'bwu', 'bwd'];

function rank(kind: string): number {
  const place = order.indexOf(kind);
  return place < 0 ? order.length : place;
}

/** Returns the items of a charge. A charge without items is one part of its own type. */
function partsOf(charge: Charge): readonly (readonly [kind: string, amount: Micros])[] {
  return charge.items.length === 0
    ? [[charge.type, charge.amount]]
    : charge.items.map((item) => [item.type, item.amount] as const);
}

function sourceName(charge: Charge): string {
  return printable(
    [charge.source ?? charge.description ?? charge.type, charge.label].filter(Boolean).join(' · '),
  );
}

/** The label without our mark, which differs for each rental. */
function labelOf({ label = '' }: Charge, localize: Localize): string {
  return printable(withoutMarker(label)) || localize(text('no label'));
}

function kindName(kind: string, localize: Localize): string {
  switch (kind) {
    case 'gpu':
      return localize(text('GPU'));
    case 'disk':
      return localize(text('Disk'));
    case 'bwd':
      return localize(text('Download'));
    case 'bwu':
      return localize(text('Upload'));
    // A charge without items has the kind of what it is for.
    case 'instance':
      return localize(text('Instance'));
    case 'volume':
      return localize(text('Volume'));
    default:
      return printable(kind) || localize(text('Other'));
  }
}
