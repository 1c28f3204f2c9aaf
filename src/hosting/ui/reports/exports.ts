import { toDollars, type Micros } from '../../../model/money';
import type { ReportView } from '../../../webview/report/protocol';

type Table = ReportView['sections'][number]['table'];

/**
 * Returns the table as CSV (RFC 4180). It is for spreadsheets, as JSON is for programs: the byte order mark keeps Excel
 * from reading José as JosÃ©, and a leading quote keeps spreadsheets from running a cell as a formula.
 */
export function toCsv(table: Table): string {
  const lines = [
    table.columns.map(({ label }, index) => (isMoney(table, index) ? `${label} ($)` : label)),
    ...table.rows.map((row) =>
      row.cells.map((cell) => (typeof cell.sort === 'number' ? String(cell.sort) : cell.text)),
    ),
  ];
  return '\ufeff' + lines.map((line) => line.map(csvField).join(',')).join('\r\n') + '\r\n';
}

/** Amounts are written without a dollar sign, so the name of the column must carry the unit. */
function isMoney({ rows }: Table, column: number): boolean {
  return rows.some(({ cells }) => {
    const cell = cells[column];
    return typeof cell?.sort === 'number' && /^[-−]?\$/.test(cell.text);
  });
}

function csvField(value: string): string {
  const isNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value);
  const safe = !isNumber && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the table in Markdown, with special characters escaped. */
export function toMarkdown(title: string, table: Table): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/[\\|`*_[\]<>]/g, '\\$&').replace(/\s+/g, ' ')).join(' | ')} |`;
  return [
    `### ${title}`,
    '',
    line(table.columns.map((column) => column.label)),
    `| ${table.columns.map((column) => (column.numeric ? '---:' : '---')).join(' | ')} |`,
    ...table.rows.map((row) => line(row.cells.map((cell) => cell.text))),
    '',
  ].join('\n');
}

/** Returns the data with the named amounts converted to dollars and renamed: `gpu` becomes `gpuDollars`. */
export function withDollarNames(data: object, amounts: readonly string[]): object {
  const entries = Object.entries(data).map(([name, value]: [string, unknown]) =>
    typeof value === 'number' && amounts.includes(name)
      ? [`${name}Dollars`, toDollars(value as Micros)]
      : [name, inDollars(value, amounts)],
  );
  return Object.fromEntries(entries) as object;
}

function inDollars(value: unknown, amounts: readonly string[]): unknown {
  if (Array.isArray(value)) {
    return value.map((one: unknown) => inDollars(one, amounts));
  }
  return typeof value === 'object' && value !== null ? withDollarNames(value, amounts) : value;
}
