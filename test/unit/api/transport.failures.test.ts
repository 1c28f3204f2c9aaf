import assert from 'node:assert/strict';
import { toFailure, TransportFailure } from '../../../src/api/transport';

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });
const kindOf = (error: unknown, signal = new AbortController().signal) => toFailure(error, signal).kind;

describe('toFailure', () => {
  const cases: readonly (readonly [name: string, error: unknown, kind: string])[] = [
    ['an unknown name', coded('ENOTFOUND'), 'notReachable'],
    ['a refused connection', coded('ECONNREFUSED', { syscall: 'connect' }), 'notReachable'],
    ['no route while connecting', coded('EHOSTUNREACH', { syscall: 'connect' }), 'notReachable'],
    ['a time-out while connecting', coded('ETIMEDOUT', { syscall: 'connect' }), 'notReachable'],
    ['a slow connection', coded('UND_ERR_CONNECT_TIMEOUT'), 'notReachable'],
    ['no route on an open connection', coded('EHOSTUNREACH', { syscall: 'read' }), 'lost'],
    ['a time-out on an open connection', coded('ETIMEDOUT', { syscall: 'read' }), 'timedOut'],
    ['no headers in time', coded('UND_ERR_HEADERS_TIMEOUT'), 'timedOut'],
    ['no body in time', coded('UND_ERR_BODY_TIMEOUT'), 'timedOut'],
    ['a reset', coded('ECONNRESET', { syscall: 'read' }), 'lost'],
    ['a self-signed certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'certificate'],
    ['a certificate for another name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'certificate'],
    ['too large an answer', coded('UND_ERR_RES_EXCEEDED_MAX_SIZE'), 'tooLarge'],
    ['a proxy that refuses', new Error('Proxy response (407) !== 200 when HTTP Tunneling'), 'proxy'],
    ['a cause inside', new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'notReachable'],
    [
      'several addresses tried at once',
      new TypeError('fetch failed', {
        cause: new AggregateError([coded('ECONNREFUSED', { syscall: 'connect' })]),
      }),
      'notReachable',
    ],
    ['a text', 'broken', 'lost'],
    ['nothing', undefined, 'lost'],
  ];
  for (const [name, error, kind] of cases) {
    it(`reads ${name} as ${kind}`, () => {
      assert.equal(kindOf(error), kind);
    });
  }

  it('names what was aborted so, for any error', () => {
    assert.equal(kindOf(coded('ECONNRESET'), AbortSignal.abort()), 'aborted');
  });

  it('keeps a failure that is one already', () => {
    const failure = new TransportFailure('tooLarge', undefined);
    assert.equal(toFailure(failure, AbortSignal.abort()), failure);
  });

  it('ends on causes that go in a circle', () => {
    const error = new Error('a');
    error.cause = error;
    assert.equal(kindOf(error), 'lost');
  });
});
