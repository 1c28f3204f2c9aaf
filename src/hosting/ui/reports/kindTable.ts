import type { Micros } from '../../../model/money';
import { text } from '../../../util/text';
import type { ReportView } from '../../../webview/report/protocol';
import { moneyCell, type Localize } from './cells';

type Section = ReportView['sections'][number];
type Table = Section['table'];

interface KindRow {
  readonly id: string;
  readonly name: Table['rows'][number]['cells'][number];
  /** One amount per kind. */
  readonly amounts: readonly (Micros | undefined)[];
  /** Undefined if the service reports no amount. */
  readonly total: Micros | undefined;
}

/** Returns a table of dollars with a column for the subject of each row, one per kind and one for the total. */
export function kindTable(
  caption: string,
  rowsAreOf: string,
  kinds: readonly string[],
  rows: readonly KindRow[],
  localize: Localize,
): Table {
  return {
    caption,
    columns: [
      { label: rowsAreOf, numeric: false },
      ...kinds.map((label) => ({ label, numeric: true })),
      { label: localize(text('Total')), numeric: true },
    ],
    rows: rows.map(({ id, name, amounts, total }) => ({
      id,
      cells: [name, ...amounts.map((amount) => moneyCell(amount, 2)), moneyCell(total, 2)],
    })),
  };
}

/** Returns a section with stacked columns for each day above a folded table. A section without rows has no chart. */
export function daysSection(
  title: string,
  {
    categories,
    series,
  }: Pick<Extract<Section['chart'], { kind: 'stackedColumns' }>, 'categories' | 'series'>,
  table: Table,
  localize: Localize,
): Section {
  const chart = { kind: 'stackedColumns' as const, unit: localize(text('dollars')), categories, series };
  return { id: 'days', title, folded: true, ...(table.rows.length === 0 ? {} : { chart }), table };
}
