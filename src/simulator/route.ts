import type { IncomingHttpHeaders } from 'node:http';

/** See docs/service/authentication.md#permission-categories. */
export const permissions = [
  'instance_read',
  'instance_write',
  'user_read',
  'user_write',
  'billing_read',
  'billing_write',
  'machine_read',
  'machine_write',
  'misc',
  'team_read',
  'team_write',
] as const;
export type Permission = (typeof permissions)[number];

/** Who calls, once the bearer or the session was recognised. */
export interface Caller {
  readonly accountId: number;
  readonly keyId: number;
  /** The restricted key of one instance may only start, stop and destroy it. */
  readonly onlyInstance?: number;
}

export interface SimRequest {
  readonly method: string;
  readonly path: string;
  /** From `{name}` parts of the route's path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; `undefined` for an empty body. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /**
   * Present unless the route is `anonymous`. An anonymous route has it when the
   * request carried a valid key, and decides itself what a missing or wrong one means.
   */
  readonly caller?: Caller;
  readonly remoteAddress: string;
}

export interface SimResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, with this content type, instead of JSON. */
  readonly raw?: { readonly type: string; readonly text: string };
}

/** One operation; each resource file exports a function `xRoutes(world): Route[]`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its final slash as documented; the router also accepts the other form. */
  readonly path: string;
  readonly permission?: Permission;
  /**
   * The name in constraints of a scoped key, for example `api.instance.request_logs`
   * (docs/service/authentication.md#constraints).
   */
  readonly endpoint?: string;
  /** The least time between two calls with one key (docs/service/limits.md#request-rates). */
  readonly everySeconds?: number;
  /** Calls that are allowed at once before that time applies; 1 unless given. */
  readonly burst?: number;
  /**
   * Counts each concrete path alone, as the service does when one instance is read
   * (docs/service/limits.md#request-rates).
   */
  readonly limitPerPath?: boolean;
  /** Served without a key; the handler checks for itself. */
  readonly anonymous?: boolean;
  /**
   * Open to the key of the one instance that the path's `{id}` names
   * (docs/service/authentication.md#instance-key).
   */
  readonly instanceKey?: boolean;
  /**
   * The status for a body that is not JSON, 400 by default; execute has 483
   * (docs/service/commands.md#execute).
   */
  readonly badJsonStatus?: number;
  handle(request: SimRequest): SimResponse | Promise<SimResponse>;
}

/** Thrown by handlers and validators; becomes the documented error body in one place. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    readonly code: string | undefined,
    message: string,
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'ServiceError';
  }
}

type Settings = Omit<Route, 'method' | 'path' | 'handle'>;

/** Makes a route of an operation as the interface names it: `PUT /api/v0/asks/{id}/`. */
export function route(
  operation: `${Route['method']} /${string}`,
  settings: Settings,
  handle: Route['handle'],
): Route {
  const [method, path = ''] = operation.split(' ');
  // The type of the operation allows no other value.
  return { ...settings, method: method as Route['method'], path, handle };
}

export function ok(body: unknown, status = 200): SimResponse {
  return { status, body };
}

/** The caller of a route that is not anonymous; the router has put it there. */
export function callerOf(request: SimRequest): Caller {
  if (!request.caller) {
    throw new ServiceError(403, 'auth_error', 'This action requires login.');
  }
  return request.caller;
}
