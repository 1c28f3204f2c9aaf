import { authenticate } from './auth';
import { RateLimitError, type RateLimits } from './limits';
import { ServiceError, type Route, type SimRequest, type SimResponse } from './route';
import type { World } from './world';

interface Compiled {
  readonly route: Route;
  readonly segments: readonly string[];
  /** Fixed parts first: `instances/command/{id}` before `instances/{id}/ssh`. */
  readonly fixedParts: number;
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a path, with or without its final slash, and turns what it throws into answers. */
export class Router {
  private readonly routes: readonly Compiled[];

  constructor(
    private readonly world: World,
    private readonly limits: RateLimits | undefined,
    routes: readonly Route[],
  ) {
    this.routes = routes
      .map((route) => {
        const segments = split(route.path);
        return { route, segments, fixedParts: segments.filter((part) => !part.startsWith('{')).length };
      })
      .sort((a, b) => b.fixedParts - a.fixedParts);
  }

  get all(): readonly Route[] {
    return this.routes.map((compiled) => compiled.route);
  }

  /** @throws ServiceError 404 for an unknown path, 405 for a known one with another method. */
  match(method: string, path: string): Match {
    const wanted = split(path);
    const allowed = new Set<string>();
    for (const { route, segments } of this.routes) {
      const params = matchSegments(segments, wanted);
      if (params) {
        if (route.method === method) {
          return { route, params };
        }
        allowed.add(route.method);
      }
    }
    if (allowed.size > 0) {
      throw new ServiceError(405, 'method_not_allowed', `Use ${[...allowed].join(' or ')} for ${path}.`);
    }
    throw new ServiceError(404, 'not_found', `There is no ${path}.`);
  }

  /** `request.params` and `request.caller` are filled in here. */
  async answer(match: Match, request: SimRequest): Promise<SimResponse> {
    const { route, params } = match;
    try {
      const caller = authenticate(this.world, route, { ...request, params });
      const complete: SimRequest = { ...request, params, ...(caller ? { caller } : {}) };
      this.limits?.check(route, complete);
      const answer = await route.handle(complete);
      if (caller) {
        this.world.ports.audit?.request(caller, route, complete);
      }
      return answer;
    } catch (error) {
      return errorResponse(error, (inner) => {
        this.world.report(inner);
      });
    }
  }
}

/** Returns the documented error body for anything that was thrown (docs/service/errors.md#body). */
export function errorResponse(error: unknown, report: (error: unknown) => void): SimResponse {
  if (error instanceof RateLimitError) {
    return { status: error.status, body: { detail: error.detail } };
  }
  if (error instanceof ServiceError) {
    return {
      status: error.status,
      body: {
        success: false,
        ...(error.code === undefined ? {} : { error: error.code }),
        msg: error.message,
        ...error.extra,
      },
    };
  }
  report(error);
  return { status: 500, body: { success: false, error: 'internal_error', msg: 'The simulator failed.' } };
}

function split(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function matchSegments(
  segments: readonly string[],
  wanted: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== wanted.length) {
    return undefined;
  }
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = wanted[index] ?? '';
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name !== undefined) {
      params[name] = decode(part);
    } else if (segment !== part) {
      return undefined;
    }
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ServiceError(400, 'invalid_request', 'The path is not well encoded.');
  }
}
