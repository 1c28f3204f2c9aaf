import { setImmediate as otherWork } from 'node:timers/promises';
import type * as z from 'zod';
import { schemaProblem } from '../wire/field';
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
    if (index > 0 && index % slice === 0) {
      await otherWork();
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      items.push(toModel(parsed.data, value));
    } else {
      http.log.warn(`${route}: record ${index} was left out: ${schemaProblem(parsed.error)}`);
    }
  }
  if (items.length === 0 && values.length > 0 && !isPart) {
    throw new NotUnderstoodError({ route, status: 200 });
  }
  return { items, skipped: values.length - items.length };
}

/** Asks for a list that comes in one answer, and reads its records. */
export async function readList<W, T>(
  http: Http,
  request: ApiRequest,
  answer: z.ZodType<readonly unknown[]>,
  schema: z.ZodType<W>,
  toModel: (wire: W, source: unknown) => T,
  options?: CallOptions,
): Promise<Listing<T>> {
  const values = await http.call(request, answer, options);
  return readRecords(values, schema, toModel, { http, route: request.route });
}
