import { setImmediate as otherWork } from 'node:timers/promises';
import type * as z from 'zod';
import { schemaProblem, type WirePage } from '../wire/field';
import type { Listing } from './client';
import { NotUnderstoodError } from './errors';
import type { ApiRequest, CallOptions, Http } from './http';

/** Records read before other work of the editor gets its turn: well below 50 ms even on a slow computer. */
const slice = 100;

/**
 * Reads each record alone; `source` is the record as it was sent. A broken record is left out and logged without hiding
 * the others, and a list of nothing but broken records is an error (docs/rules.md#an-error-is-not-an-empty-list), unless it
 * is a part of an answer that is of use without it.
 */
export async function readRecords<W, T>(
  values: readonly unknown[],
  schema: z.ZodType<W>,
  toModel: (wire: W, source: unknown) => T,
  { http, route, isPart }: { readonly http: Http; readonly route: string; readonly isPart?: true },
): Promise<Listing<T>> {
  const items: T[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      items.push(toModel(parsed.data, value));
    } else {
      http.log.warn(`${route}: record ${index} was left out: ${schemaProblem(parsed.error)}`);
    }
    // Also after the last slice, so that the reactions to a list are a task of their own.
    if (index % slice === slice - 1) {
      await otherWork();
    }
  }
  if (items.length === 0 && values.length > 0 && !isPart) {
    throw new NotUnderstoodError({ route, status: 200 });
  }
  return { items, skipped: values.length - items.length };
}

/** Enough for every account; a list that has still more counts as partial. */
const mostPages = 400;

/** The rows that were read, and the least number of rows that were not, because a page could not be requested. */
interface ReadPages<T> extends Listing<T> {
  readonly missing: number;
}

/**
 * Reads a list to its end. A repeated token, one that can't be sent, a count that
 * the rows don't reach, or more pages than any account has make it partial. A row
 * with the id of an earlier one replaces that one: lists change while they are read.
 */
export async function readPages<W, T>(
  http: Http,
  request: ApiRequest,
  page: z.ZodType<WirePage>,
  schema: z.ZodType<W>,
  toModel: (wire: W, source: unknown) => T,
  options?: CallOptions,
): Promise<ReadPages<T>> {
  const context = { http, route: request.route, isPart: true } as const;
  const items = new Map<unknown, T>();
  const seen = new Set<string>();
  let [rows, skipped, total, found] = [0, 0, 0, 0];
  let next: WirePage['next'];
  let query = request.query;
  for (;;) {
    const answer = await http.call({ ...request, ...(query && { query }) }, page, options);
    const read = await readRecords(answer.rows, schema, toModel, context);
    for (const item of read.items) {
      items.set(idOf(item) ?? item, item);
    }
    rows += answer.rows.length;
    skipped += read.skipped;
    total = Math.max(total, answer.total ?? 0);
    found = Math.max(found, answer.found ?? 0);
    next = answer.next;
    if (typeof next !== 'string' || seen.has(next) || seen.size >= mostPages - 1) {
      break;
    }
    seen.add(next);
    query = { ...request.query, after_token: next };
  }
  if (items.size === 0 && rows > 0) {
    throw new NotUnderstoodError({ route: request.route, status: 200 });
  }
  const missing = Math.max(total - items.size - skipped, found - rows, next === undefined ? 0 : 1, 0);
  if (missing > 0) {
    http.log.warn(`${request.route}: the list is partial, at least ${missing} of its rows were not read`);
  }
  return { items: [...items.values()], skipped, missing };
}

function idOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
}

/** Requests a list and reads its records. Rows that could not be requested count as skipped. */
export async function readList<W, T>(...of: Parameters<typeof readPages<W, T>>): Promise<Listing<T>> {
  const { items, skipped, missing } = await readPages(...of);
  return { items, skipped: skipped + missing };
}

/** Requests the best matches: one answer, which has as many rows as were requested. */
export async function readSearch<W, T>(
  http: Http,
  request: ApiRequest,
  page: z.ZodType<WirePage>,
  schema: z.ZodType<W>,
  toModel: (wire: W, source: unknown) => T,
  options?: CallOptions,
): Promise<Listing<T>> {
  const { rows } = await http.call(request, page, options);
  return readRecords(rows, schema, toModel, { http, route: request.route });
}
