import type { Micros } from '../../../model/money';
import { formatMoney, toDollars } from '../../../model/money';
import type { Text } from '../../../util/text';
import type { ReportView } from '../../../webview/report/protocol';

/**
 * Translates a `Text` into the language of the editor. It is a parameter so that views can be built without an
 * editor.
 */
export type Localize = (text: Text) => string;

type Cell = ReportView['sections'][number]['table']['rows'][number]['cells'][number];

/** Shown for a value that the service did not report. */
const unknownText = '–';

export function textCell(value: string | undefined): Cell {
  return { text: value === undefined || value === '' ? unknownText : printable(value) };
}

export function moneyCell(amount: Micros | undefined, digits?: number): Cell {
  return amount === undefined
    ? { text: unknownText }
    : { text: formatMoney(amount, digits), sort: toDollars(amount) };
}

/**
 * Formats an amount with up to four digits, as many as the service reports, and at least as many as other prices
 * have.
 */
export function exactMoneyCell(amount: Micros | undefined): Cell {
  const isExact = amount === undefined || amount < 1e6 || amount % 1e4 === 0;
  return isExact ? moneyCell(amount) : moneyCell(amount, amount % 1e3 === 0 ? 3 : 4);
}

export function numberCell(value: number | undefined, digits = 0): Cell {
  return value === undefined ? { text: unknownText } : { text: value.toFixed(digits), sort: value };
}

/** The time is in UTC, sorts as text, and is exact in a file. `at` is Unix time in ms. */
export function timeCell(at: number | undefined): Cell {
  const date = new Date(at ?? Number.NaN);
  return textCell(
    Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 19).replace('T', ' '),
  );
}

/** Cleans a name from outside: removes control characters and direction marks, and limits the length. */
export function printable(value: string): string {
  const clean = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return clean.length > 200 ? `${clean.slice(0, 199)}…` : clean;
}
