import type { IncomingHttpHeaders } from 'node:http';
import { isObject, toNumber } from './body';
import {
  permissions,
  ServiceError,
  type Caller,
  type Permission,
  type Route,
  type SimRequest,
} from './route';
import type { KeyPermissions } from './state';
import type { World } from './world';

interface Identity extends Caller {
  readonly permissions?: KeyPermissions;
}

type Unrecognised = 'none' | 'wrong' | 'expired';

/**
 * Identifies the caller and checks permission. Sends 401 for a wrong or expired key and 403 for a key that
 * lacks a permission or is missing, where the public service sometimes answers 404
 * (docs/service/authentication.md#refused-keys). An anonymous route gets the caller when there is one and is
 * never refused here.
 */
export function authenticate(world: World, route: Route, request: SimRequest): Caller | undefined {
  const found = identify(world, request);
  if (typeof found === 'string') {
    if (route.anonymous) {
      return undefined;
    }
    throw refusals[found]();
  }
  if (!route.anonymous || route.permission) {
    checkAllowed(found, route, request);
  }
  const caller: Caller = {
    accountId: found.accountId,
    keyId: found.keyId,
    ...(found.onlyInstance === undefined ? {} : { onlyInstance: found.onlyInstance }),
  };
  world.guards.forEach((guard) => {
    guard(caller, route, request);
  });
  return caller;
}

const refusals: Record<Unrecognised, () => ServiceError> = {
  none: () => new ServiceError(403, 'auth_error', 'This action requires login.'),
  wrong: () => new ServiceError(401, 'auth_error', 'Invalid user key'),
  expired: () => new ServiceError(401, 'auth_error', 'Session expired. Please log in again.'),
};

function identify(world: World, request: SimRequest): Identity | Unrecognised {
  const bearer = bearerOf(request.headers);
  const cookie = sessionCookie(request.headers);
  if (bearer === undefined && cookie === undefined) {
    return 'none';
  }
  const key = bearer === undefined ? undefined : world.keys.find(bearer);
  if (key) {
    if (key.ipWhitelist && !key.ipWhitelist.includes(plainAddress(request.remoteAddress))) {
      throw new ServiceError(403, 'not_authorized', 'This key may not be used from this IP address.');
    }
    return {
      accountId: key.accountId,
      keyId: key.id,
      ...(key.permissions ? { permissions: key.permissions } : {}),
      ...(key.onlyInstance === undefined ? {} : { onlyInstance: key.onlyInstance }),
    };
  }
  const session =
    bearer === undefined
      ? world.ports.sessions?.find(cookie ?? '', 'cookie')
      : world.ports.sessions?.find(bearer, 'bearer');
  return session ? (session.expired ? 'expired' : session) : 'wrong';
}

export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

/** The cookie that a logged-out web page gets from tfa/ (docs/service/authentication.md#sessions). */
export const sessionCookieName = 'session';

export function sessionCookie(headers: IncomingHttpHeaders): string | undefined {
  const parts = (headers.cookie ?? '').split(';').map((part) => part.trim());
  const found = parts.find((part) => part.startsWith(`${sessionCookieName}=`));
  return found?.slice(sessionCookieName.length + 1);
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:/, '');
}

function checkAllowed(identity: Identity, route: Route, request: SimRequest): void {
  if (identity.onlyInstance !== undefined) {
    if (!route.instanceKey || Number(request.params['id']) !== identity.onlyInstance) {
      throw new ServiceError(
        403,
        'not_authorized',
        'The key of an instance can only read, start, stop and destroy that instance.',
      );
    }
    return;
  }
  if (!identity.permissions || !route.permission) {
    return;
  }
  if (!mayUse(identity.permissions, route.permission, route.endpoint, request)) {
    throw new ServiceError(403, 'not_authorized', `This key lacks the permission ${route.permission}.`);
  }
}

function mayUse(
  granted: KeyPermissions,
  needed: Permission,
  endpoint: string | undefined,
  request: SimRequest,
): boolean {
  const api = granted['api'];
  if (!isObject(api)) {
    // The flat form of the create-key request (docs/service/authentication.md#key-permissions).
    const writes = needed.endsWith('_write');
    return writes ? granted['write'] === true : granted['read'] === true || granted['write'] === true;
  }
  const category = api[needed];
  if (category === true || (isObject(category) && Object.keys(category).length === 0)) {
    return true;
  }
  if (!isObject(category) || endpoint === undefined) {
    return false;
  }
  const narrowed = category[endpoint];
  return isObject(narrowed) && meetsConstraints(narrowed['constraints'], request);
}

/**
 * Checks `{"id":{"eq":1227}}` against the path's parameters, then the body's fields
 * (docs/service/authentication.md#constraints).
 */
function meetsConstraints(constraints: unknown, request: SimRequest): boolean {
  if (constraints === undefined || constraints === null) {
    return true;
  }
  if (!isObject(constraints)) {
    return false;
  }
  return Object.entries(constraints).every(([field, operators]) => {
    const value = request.params[field] ?? (isObject(request.body) ? request.body[field] : undefined);
    return (
      isObject(operators) &&
      Object.entries(operators).every(([operator, wanted]) => holds(operator, value, wanted))
    );
  });
}

function holds(operator: string, value: unknown, wanted: unknown): boolean {
  const left = toNumber(value);
  const right = toNumber(wanted);
  if (operator === 'eq') {
    return left !== undefined && right !== undefined ? left === right : value === wanted;
  }
  if (left === undefined || right === undefined) {
    return false;
  }
  return operator === 'lte' ? left <= right : operator === 'gte' ? left >= right : false;
}

/** Returns whether a value is a valid permission set, for the validator of new keys. */
export function isPermissionSet(value: unknown): value is KeyPermissions {
  if (!isObject(value)) {
    return false;
  }
  const api = value['api'];
  if (api === undefined) {
    const flags = Object.entries(value);
    return (
      flags.length > 0 &&
      flags.every(([name, flag]) => (name === 'read' || name === 'write') && typeof flag === 'boolean')
    );
  }
  return (
    isObject(api) &&
    Object.keys(api).length > 0 &&
    Object.entries(api).every(
      ([name, inner]) => permissions.some((known) => known === name) && isObject(inner),
    )
  );
}
