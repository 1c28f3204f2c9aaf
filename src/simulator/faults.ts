import { isObject, toNumber } from './body';
import { tooFrequent } from './limits';
import { ServiceError, type SimResponse } from './route';
import { errorResponse } from './router';

/** The faults that can be ordered for the next matching requests. */
const faultKinds = [
  /** Answers `delayMs` late. */
  'delay',
  /** Never answers, also once the request took effect (`after`); the connection stays open. */
  'stall',
  /** The connection is lost and nothing happened. */
  'dropBefore',
  /** The connection is lost after the request took effect. */
  'dropAfter',
  /** An error body with `status`, `error` and `msg`. */
  'error',
  /** 429 with the documented `detail` and `threshold`. */
  'rateLimit',
  /** 429 in plain text, without a threshold. */
  'rateLimitText',
  /** 500 with a page of HTML. */
  'html500',
  /** The first half of the real answer under the length of the whole. */
  'cutOff',
  /** The real answer with every value of another type. */
  'wrongTypes',
  /** `status` and `body` as given. */
  'answer',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FaultOrder {
  readonly kind: FaultKind;
  /** Any method unless given. */
  readonly method?: string;
  /** `/api/v0/asks/{id}/` for any offer, `/api/v0/asks/12/` for one, `*` at the end for all below. */
  readonly path: string;
  /** How many requests it hits; 1 unless given, 0 for all until it is removed. */
  readonly times?: number;
  /** How many matching requests pass first. */
  readonly skip?: number;
  readonly delayMs?: number;
  readonly status?: number;
  readonly error?: string;
  readonly msg?: string;
  readonly body?: unknown;
  readonly threshold?: number;
  /** The answer lies: the request took effect. Without it nothing happened. */
  readonly after?: boolean;
}

export interface Fault extends FaultOrder {
  readonly id: number;
  /** Requests it has hit. */
  readonly hits: number;
}

interface Standing {
  readonly id: number;
  readonly order: FaultOrder;
  hits: number;
  toSkip: number;
}

/** The ordered faults, in the order of their orders; not part of the kept state. */
export class Faults {
  private standing: Standing[] = [];
  private nextId = 1;

  add(order: FaultOrder): Fault {
    const item = { id: this.nextId, order, hits: 0, toSkip: order.skip ?? 0 };
    this.nextId += 1;
    this.standing.push(item);
    return toFault(item);
  }

  list(): readonly Fault[] {
    return this.standing.map(toFault);
  }

  clear(id?: number): void {
    this.standing = id === undefined ? [] : this.standing.filter((item) => item.id !== id);
  }

  /** The fault that hits this request, counted. A `delay` and another kind may be combined. */
  hits(method: string, path: string): readonly FaultOrder[] {
    const hit: FaultOrder[] = [];
    let hasOutcome = false;
    for (const item of this.standing) {
      const isDelay = item.order.kind === 'delay';
      if (!matches(item.order, method, path) || (hasOutcome && !isDelay)) {
        continue;
      }
      if (item.toSkip > 0) {
        item.toSkip -= 1;
        continue;
      }
      item.hits += 1;
      hasOutcome ||= !isDelay;
      hit.push(item.order);
    }
    this.standing = this.standing.filter(
      (item) => (item.order.times ?? 1) === 0 || item.hits < (item.order.times ?? 1),
    );
    return hit;
  }
}

function toFault(item: Standing): Fault {
  return { ...item.order, id: item.id, hits: item.hits };
}

function matches(order: FaultOrder, method: string, path: string): boolean {
  if (order.method !== undefined && order.method.toUpperCase() !== method) {
    return false;
  }
  const wanted = order.path.split('/').filter((part) => part !== '');
  const actual = path.split('/').filter((part) => part !== '');
  const open = wanted.at(-1) === '*';
  const fixed = open ? wanted.slice(0, -1) : wanted;
  return (
    (open ? actual.length >= fixed.length : actual.length === fixed.length) &&
    fixed.every((part, index) => part.startsWith('{') || part === actual[index])
  );
}

/** The answer of a fault in the place of the real one, or `undefined`. */
export function answerInstead(fault: FaultOrder): SimResponse | undefined {
  if (fault.kind === 'error') {
    const error = new ServiceError(fault.status ?? 500, fault.error, fault.msg ?? 'Ordered by a test.');
    return errorResponse(error, () => undefined);
  }
  if (fault.kind === 'rateLimit') {
    return errorResponse(tooFrequent(fault.threshold ?? 1), () => undefined);
  }
  if (fault.kind === 'rateLimitText') {
    return plain(429, 'text/plain', 'API requests too frequent');
  }
  if (fault.kind === 'html500') {
    return htmlPage(fault.status ?? 500);
  }
  return fault.kind === 'answer' ? { status: fault.status ?? 200, body: fault.body } : undefined;
}

function htmlPage(status: number): SimResponse {
  return plain(
    status,
    'text/html; charset=utf-8',
    '<!DOCTYPE html><html><head><title>Internal Server Error</title></head><body><h1>Server Error</h1></body></html>',
  );
}

function plain(status: number, type: string, text: string): SimResponse {
  return { status, body: undefined, raw: { type, text } };
}

/** Swaps the type of every value: numbers become objects, texts numbers, lists texts. */
export function withWrongTypes(value: unknown): unknown {
  if (Array.isArray(value)) {
    return 'list';
  }
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withWrongTypes(inner)]));
  }
  if (typeof value === 'number') {
    return { value };
  }
  if (typeof value === 'string') {
    return 7;
  }
  return typeof value === 'boolean' ? ['yes'] : 'null';
}

/** Reads an order from a request under `/__sim/`. */
export function readFaultOrder(body: unknown): FaultOrder {
  const kind = isObject(body) ? faultKinds.find((known) => known === body['kind']) : undefined;
  if (!isObject(body) || !kind || typeof body['path'] !== 'string') {
    throw new ServiceError(
      400,
      'invalid_args',
      `A fault needs a path and a kind of ${faultKinds.join(', ')}.`,
    );
  }
  const numbers = ['times', 'skip', 'delayMs', 'status', 'threshold'] as const;
  const texts = ['method', 'error', 'msg'] as const;
  return {
    kind,
    path: body['path'],
    ...Object.fromEntries(
      numbers.flatMap((name) => {
        const value = toNumber(body[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    ...Object.fromEntries(
      texts.flatMap((name) => (typeof body[name] === 'string' ? [[name, body[name]]] : [])),
    ),
    ...('body' in body ? { body: body['body'] } : {}),
    ...(body['after'] === true ? { after: true } : {}),
  };
}
