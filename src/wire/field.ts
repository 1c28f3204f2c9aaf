import * as z from 'zod';

/**
 * Field parsers that tolerate the known variations of the service: numbers as text, text
 * with a final newline, nulls, missing fields (docs/service/README.md#tolerant-reading).
 * An unreadable value becomes `undefined`, which callers show as unknown, never as zero.
 */
const asNumber = (value: unknown): number | undefined => {
  if (typeof value === 'string' && value.trim() !== '') {
    const parsed = Number(value);
    return Number.isFinite(parsed) ? parsed : undefined;
  }
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

const looseNumber = z.transform(asNumber).optional();

export const looseString = z
  .transform((value) =>
    typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : undefined,
  )
  .optional();

/** Text kept byte for byte, for fields that the user edits. */
const rawString = z.transform((value) => (typeof value === 'string' ? value : undefined)).optional();

const looseBoolean = z
  .transform((value) => {
    if (typeof value === 'boolean') {
      return value;
    }
    if (value === 1 || value === 'true' || value === '1') {
      return true;
    }
    if (value === 0 || value === 'false' || value === '0') {
      return false;
    }
    return undefined;
  })
  .optional();

/** The same parser for each of these fields. */
function each<Schema extends z.ZodType>(schema: Schema) {
  return <const Name extends string>(...names: readonly Name[]) =>
    // `fromEntries` forgets the names that it was given.
    Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}
export const numbers = each(looseNumber);
export const texts = each(looseString);
export const rawTexts = each(rawString);
export const flags = each(looseBoolean);

/** The readable members of a list; `undefined` if there is none. */
export function looseMembers<T>(member: z.ZodType<T>) {
  return z
    .array(z.unknown())
    .transform((values) => values.flatMap((value) => readMember(member, value)))
    .optional()
    .catch(undefined);
}

function readMember<T>(member: z.ZodType<T>, value: unknown): readonly T[] {
  const read = member.safeParse(value);
  return read.success ? [read.data] : [];
}

/** Seconds or a text, as different records have it. */
export const looseTime = z.union([z.number(), z.string()]).nullish().catch(undefined);

/** An id: a whole number above zero, as a number or as text. */
export const id = z.preprocess(asNumber, z.number().int().positive());

/** Why a value does not fit, for the log: places and types, no values. */
export function schemaProblem(error: z.ZodError): string {
  return z.prettifyError(error);
}

/**
 * The answer to a write of which only the success matters. `success` may be missing
 * if a call succeeded (docs/service/README.md#tolerant-reading), and `success:
 * false` was handled before. An unreadable flag promises nothing, so it is refused.
 */
export const successAnswer = z.looseObject({
  success: z
    .unknown()
    .refine((flag) => flag === undefined || flag === null || looseBoolean.parse(flag) === true, 'no success')
    .optional(),
  msg: looseString,
});

const anyList = z.array(z.unknown());

/** A page of a list. Every list may name a next one (docs/service/limits.md#pages). */
export interface WirePage {
  readonly rows: readonly unknown[];
  /** The token of the next page: absent on the last one, null if it can't be sent. */
  readonly next?: string | null | undefined;
  /** How many different rows the whole list has, if the service states it. */
  readonly total?: number | undefined;
  /** How many rows this page has, or the whole list. */
  readonly found?: number | undefined;
}

export function nextOf(token: unknown): WirePage['next'] {
  if (token === undefined || token === null || token === '' || token === false) {
    return undefined;
  }
  return typeof token === 'string' || typeof token === 'number' ? String(token) : null;
}

/** The list that an answer has under this name. */
export function listUnder(name: string) {
  return z
    .looseObject({ [name]: anyList })
    .transform((answer): WirePage => ({ rows: answer[name] ?? [], next: nextOf(answer['next_token']) }));
}

/** The same for a list that may also be bare, or under another of these names. */
export function looseList(...names: readonly string[]) {
  return z.union([anyList.transform((rows): WirePage => ({ rows })), ...names.map(listUnder)]);
}
