import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ok, ServiceError, type SimResponse } from './route';

/**
 * Proves to a window that this is the simulator with its key, without sending the
 * key: the window proves first that it has it, so that no other caller learns
 * anything, and the port in both proofs keeps other programs from passing them on.
 */
export function answerGreeting(headers: IncomingHttpHeaders, key: string, port: number): SimResponse {
  const nonce = headers['x-demo-nonce'];
  const proof = (who: string) =>
    createHmac('sha256', key)
      .update(`${who} ${String(nonce)} ${port}`)
      .digest();
  const given = Buffer.from(String(headers['x-demo-proof']), 'hex');
  const expected = proof('window');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ServiceError(401, 'auth_error', 'Invalid proof');
  }
  return ok({ proof: proof('demo').toString('hex') });
}
