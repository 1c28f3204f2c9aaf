import { setImmediate as otherWork } from 'node:timers/promises';
import type * as z from 'zod';
import { parseRecords } from '../wire/field';
import type { Listing } from './client';
import { NotUnderstoodError } from './errors';
import type { ApiRequest, CallOptions, Http } from './http';

/**
 * Reads each record alone. A broken record is left out and logged without hiding the others, and a list of
 * nothing but broken records is an error (docs/rules.md#an-error-is-not-an-empty-list).
 */
export function readRecords<W, T>(
  values: readonly unknown[],
  schema: z.ZodType<W>,
  toModel: (wire: W) => T,
  context: { readonly http: Http; readonly route: string },
): Listing<T> {
  const { records, skipped } = parseRecords(schema, values);
  for (const { index, reason } of skipped) {
    context.http.log.warn(`${context.route}: record ${index} was left out: ${reason}`);
  }
  if (records.length === 0 && values.length > 0) {
    throw new NotUnderstoodError({ route: context.route, status: 200 });
  }
  return { items: records.map(toModel), skipped: skipped.length };
}

export interface ListRequest<W, T> extends Pick<ApiRequest, 'path' | 'query'> {
  /** What the whole answer looks like, and the names that its list may have in it. */
  readonly answer: z.ZodType<Parameters<typeof rowsOf>[0]>;
  readonly names: readonly string[];
  readonly record: z.ZodType<W>;
  readonly toModel: (wire: W) => T;
}

/** What asks for a list that comes in one answer. */
export function listReader<W, T>(
  http: Http,
  { path, query = {}, answer, names, record, toModel }: ListRequest<W, T>,
): (options?: CallOptions) => Promise<Listing<T>> {
  const route = `GET ${path}`;
  return async (options) => {
    const read = await http.call({ method: 'GET', path, query, route, repeat: 'read' }, answer, options);
    return readRecords(rowsOf(read, route, ...names), record, toModel, { http, route });
  };
}

/** A bare list, or the one that an object holds under the first of these names that is a list. */
function rowsOf(
  answer: readonly unknown[] | Readonly<Record<string, unknown>>,
  route: string,
  ...names: readonly string[]
): readonly unknown[] {
  if (isList(answer)) {
    return answer;
  }
  for (const name of names) {
    const rows = answer[name];
    if (isList(rows)) {
      return rows;
    }
  }
  throw new NotUnderstoodError({ route, status: 200 });
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Records read before other work of the editor gets its turn: well below 50 ms even on a slow computer. */
const slice = 100;

/** As `readRecords`, for lists of any length: other work goes on in between. `source` is the record as it was sent. */
export async function readManyRecords<W, T>(
  values: readonly unknown[],
  schema: z.ZodType<W>,
  toModel: (wire: W, source: unknown) => T,
  context: { readonly http: Http; readonly route: string },
): Promise<Listing<T>> {
  const items: T[] = [];
  let skipped = 0;
  for (let at = 0; at < values.length; at += slice) {
    const part = parseRecords(schema, values.slice(at, at + slice));
    for (const { index, reason } of part.skipped) {
      context.http.log.warn(`${context.route}: record ${at + index} was left out: ${reason}`);
    }
    skipped += part.skipped.length;
    items.push(...part.records.map((record, index) => toModel(record, part.sources[index])));
    if (at + slice < values.length) {
      await otherWork();
    }
  }
  if (items.length === 0 && values.length > 0) {
    throw new NotUnderstoodError({ route: context.route, status: 200 });
  }
  return { items, skipped };
}
