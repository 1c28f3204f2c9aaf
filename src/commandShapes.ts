import * as z from 'zod';
import type { PermissionCategory } from './model/accounts/apiKey';
import type { UriParts } from './model/templates/templateUri';

/** A row of the table of commands, see `commandSpecs.ts`. */
export interface Spec<Call extends (...args: never) => unknown> {
  /** The folder of `src/features`, or the wing, that handles the command. */
  readonly feature: string;
  /** Shapes of the arguments that menus, links and other extensions pass; handlers receive the parsed values. */
  readonly args?: readonly z.ZodType[];
  /**
   * The permissions that the command needs (docs/service/authentication.md#permission-categories). Without them, the
   * command explains what is missing instead of failing. By default, every key that can sign in is enough.
   */
  readonly needs?: readonly PermissionCategory[];
  /** Only a type: the arguments of the command and, unless it fails, its result. */
  readonly call?: Call;
}

/** The types of the arguments; callers can omit optional ones at the end. */
type Values<Args> = Args extends readonly [infer First extends z.ZodType, ...infer Rest]
  ? undefined extends z.output<First>
    ? [first?: z.output<First>, ...rest: Values<Rest>]
    : [first: z.output<First>, ...rest: Values<Rest>]
  : [];

export function spec<const Args extends readonly z.ZodType[] = [], Result extends z.ZodType = z.ZodUnknown>(
  feature: string,
  rest: {
    readonly args?: Args;
    readonly needs?: readonly PermissionCategory[];
    readonly result?: Result;
  } = {},
): Spec<(...args: Values<Args>) => z.output<Result>> {
  return { feature, ...rest };
}

/** Only our own code can call such a command, so the compiler checks its arguments. */
export function ownSpec<Call extends (...args: never) => unknown = () => unknown>(
  feature: string,
  needs: readonly PermissionCategory[] = [],
): Spec<Call> {
  return { feature, needs };
}

export function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null;
}

function hasFirst(shape: z.ZodRawShape, given: unknown): boolean {
  const [key = ''] = Object.keys(shape);
  return isObject(given) && key in given;
}

/**
 * Returns the shape of plain data with these fields. An object without the first field is another kind of row and reads
 * as `undefined`.
 */
export function named<const Shape extends z.ZodRawShape>(shape: Shape) {
  const own = (given: unknown) => (hasFirst(shape, given) ? given : undefined);
  return z.preprocess(own, z.object(shape).readonly().optional());
}

/** Returns the shape of the selected rows of a tree, without rows of another kind. */
export function severalNamed<const Shape extends z.ZodRawShape>(shape: Shape) {
  const own = (given: unknown) =>
    Array.isArray(given) ? given.filter((row) => hasFirst(shape, row)) : undefined;
  return z.preprocess(own, z.array(z.object(shape).readonly()).readonly().optional());
}

interface Uri extends UriParts {
  toString(): string;
}

/** Returns true for the URI of a document, which menus of documents pass. */
export function isUri(given: unknown): given is Uri {
  return (
    isObject(given) &&
    ['scheme', 'authority', 'path'].every(
      (part) => typeof (given as Readonly<Record<string, unknown>>)[part] === 'string',
    )
  );
}

export function pathOfFile(given: unknown): string | undefined {
  const path =
    isUri(given) && given.scheme === 'file' ? (given as { readonly fsPath?: unknown }).fsPath : undefined;
  return typeof path === 'string' ? path : undefined;
}
