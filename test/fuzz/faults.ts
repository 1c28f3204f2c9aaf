import type { FaultOrder } from '../../src/simulator/faults';
import type { Dice } from './dice';

type Weighted<T> = readonly (readonly [weight: number, what: T])[];

const calls: Weighted<Pick<FaultOrder, 'method' | 'path'>> = [
  [4, { method: 'PUT', path: '/api/v0/asks/{id}/' }],
  [4, { method: 'GET', path: '/api/v1/instances/' }],
  [2, { method: 'GET', path: '/api/v0/instances/{id}/' }],
  [3, { method: 'DELETE', path: '/api/v0/instances/{id}/' }],
  [3, { method: 'PUT', path: '/api/v0/instances/{id}/' }],
  [1, { method: 'POST', path: '/api/v0/bundles/' }],
];

const kinds: Weighted<Omit<FaultOrder, 'method' | 'path'>> = [
  [2, { kind: 'delay' }],
  [1, { kind: 'stall' }],
  [2, { kind: 'dropBefore' }],
  [4, { kind: 'dropAfter' }],
  [2, { kind: 'html500' }],
  [3, { kind: 'html500', after: true }],
  [2, { kind: 'cutOff' }],
  [2, { kind: 'wrongTypes' }],
  [1, { kind: 'rateLimit', threshold: 5 }],
  [1, { kind: 'rateLimit', threshold: 5, after: true }],
  [1, { kind: 'rateLimitText' }],
  [1, { kind: 'error', status: 409, error: 'conflict', msg: 'Try another.' }],
  [1, { kind: 'error', status: 409, error: 'conflict', msg: 'Try another.', after: true }],
  [1, { kind: 'error', status: 401, error: 'auth_error', msg: 'Invalid key.', after: true }],
  [1, { kind: 'error', status: 503, msg: 'API requests too frequent endpoint threshold=2.0' }],
];

/** Answers that lie. Two of them could agree about an end, which the product is then right to believe. */
const lies = [
  { method: 'GET', path: '/api/v1/instances/', status: 200, body: { instances: [], instances_found: 0 } },
  { method: 'GET', path: '/api/v0/instances/{id}/', status: 404, body: { msg: 'page not found' } },
  { method: 'DELETE', path: '/api/v0/instances/{id}/', status: 404, body: { error: 'no_such_instance' } },
  { method: 'DELETE', path: '/api/v0/instances/{id}/', status: 200, body: { success: true } },
] as const;

/** A fault that reports only a failure: for one request, for some, or until it is taken back. */
export function anyFault(dice: Dice): FaultOrder {
  return {
    ...dice.weighted(calls),
    ...dice.weighted(kinds),
    delayMs: dice.pick([1000, 12_000, 25_000]) ?? 0,
    times: dice.weighted([
      [6, 1],
      [3, 3],
      [1, 0],
    ]),
    skip: dice.weighted([
      [3, 0],
      [1, 1],
    ]),
  };
}

export function anyLie(dice: Dice): FaultOrder | undefined {
  const lie = dice.pick(lies);
  return lie && { kind: 'answer', ...lie, skip: dice.between(0, 3) };
}
