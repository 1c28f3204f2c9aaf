import * as z from 'zod';

/**
 * Field parsers that tolerate what the service is known to vary: numbers as text, text with a final newline,
 * nulls, missing fields (docs/service/README.md#tolerant-reading). A value that cannot be understood becomes
 * `undefined`, which callers show as unknown, never as zero.
 */
const asNumber = (value: unknown): unknown => {
  if (typeof value === 'string' && value.trim() !== '') {
    const parsed = Number(value);
    return Number.isFinite(parsed) ? parsed : undefined;
  }
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

export const looseNumber = z.preprocess(asNumber, z.number().optional()).optional();

export const looseString = z
  .preprocess(
    (value) =>
      typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : undefined,
    z.string().optional(),
  )
  .optional();

/** Text kept byte for byte, for fields that the user edits. */
export const rawString = z
  .preprocess((value) => (typeof value === 'string' ? value : undefined), z.string().optional())
  .optional();

export const looseBoolean = z
  .preprocess((value) => {
    if (typeof value === 'boolean') return value;
    if (value === 1 || value === 'true' || value === '1') return true;
    if (value === 0 || value === 'false' || value === '0') return false;
    return undefined;
  }, z.boolean().optional())
  .optional();

/** An id: a whole number above zero, as a number or as text. */
export const id = z.preprocess(asNumber, z.number().int().positive());

/** Records that parse, and how many did not: one broken record never hides the others. */
export interface Records<T> {
  readonly records: readonly T[];
  /** Each as it was sent. */
  readonly sources: readonly unknown[];
  readonly skipped: readonly { readonly index: number; readonly reason: string }[];
}

/** Why a value does not fit, for the log: places and types, no values. */
export function schemaProblem(error: z.ZodError): string {
  return z.prettifyError(error);
}

/** Parses each element alone. */
export function parseRecords<T>(schema: z.ZodType<T>, values: readonly unknown[]): Records<T> {
  const records: T[] = [];
  const sources: unknown[] = [];
  const skipped: { index: number; reason: string }[] = [];
  values.forEach((value, index) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      records.push(parsed.data);
      sources.push(value);
    } else {
      skipped.push({ index, reason: schemaProblem(parsed.error) });
    }
  });
  return { records, sources, skipped };
}

/**
 * The answer to a write of which only the success matters. `success` may be missing where a call succeeded
 * (docs/service/README.md#tolerant-reading), and `success: false` was handled before. A flag that cannot be
 * understood promises nothing, so it is refused.
 */
export const successAnswer = z.looseObject({
  success: z
    .unknown()
    .refine((flag) => flag === undefined || flag === null || looseBoolean.parse(flag) === true, 'no success')
    .optional(),
  msg: looseString,
});

const anyList = z.array(z.unknown());

/** A list of the service: bare, or in an object under one of these names. */
export function listUnder(...names: readonly string[]) {
  return z.union([anyList, ...names.map((name) => z.looseObject({ [name]: anyList }))]);
}
