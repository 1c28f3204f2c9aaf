import { text } from '../util/text';
import { successAnswer } from '../wire/field';
import { NotSentError } from './errors';
import type { ApiRequest, CallOptions, Http, Repeat } from './http';

/** Method and path pattern, as the interface names an operation: `PUT /api/v0/asks/{offer_id}/`. */
type Route = `${ApiRequest['method']} /${string}`;
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
type Values = Readonly<Record<string, string | number>>;
/** One value for each `{name}` of the route, and no argument where it has none. */
type ValuesOf<Path extends string> = [NamesIn<Path>] extends [never]
  ? []
  : [Readonly<Record<NamesIn<Path>, string | number>>];

type Address = Pick<ApiRequest, 'method' | 'path' | 'route' | 'repeat'>;

/**
 * Addresses a call that only reads. Each value is percent-encoded as one segment of the path. A value that would change
 * the path (empty, `.` or `..`) throws `NotSentError`.
 */
export function read<const Path extends Route>(route: Path, ...[values]: ValuesOf<Path>): Address {
  return address(route, values, 'read');
}

/** The same for a call that changes something, which is sent once. */
export function write<const Path extends Route>(route: Path, ...[values]: ValuesOf<Path>): Address {
  return address(route, values, 'write');
}

function address(route: Route, values: Values | undefined, repeat: Repeat): Address {
  const [method, pattern = ''] = route.split(' ');
  return {
    // The type of the route allows no other value.
    method: method as ApiRequest['method'],
    path: pattern.replace(/\{(\w+)\}/g, (_, name: string) => segment(values?.[name])),
    route,
    repeat,
  };
}

function segment(value: string | number | undefined): string {
  const name = String(value);
  // `..` stays a parent folder for URL parsers even when its dots are percent-encoded.
  if (value === undefined || name === '' || name === '.' || name === '..') {
    throw new NotSentError(
      text('"{0}" is not a name that the service can look up. Enter another name.', name),
    );
  }
  return encodeURIComponent(name);
}

/** Sends a change once; its answer only confirms it. */
export async function sendWrite(http: Http, request: ApiRequest, options?: CallOptions): Promise<void> {
  await http.call(request, successAnswer, options);
}
