import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** An agent may only call tools: it receives no messages of windows and does not count as one. */
export type HubRole = 'leader' | 'member' | 'agent';

export function makeNonce(): string {
  return randomBytes(16).toString('hex');
}

/** Proves knowledge of the token without revealing it; a proof for one role is invalid for another. */
export function prove(token: string, role: HubRole, nonce: string): string {
  return createHmac('sha256', token).update(`${role}\n${nonce}`).digest('hex');
}

export function isProof(token: string, role: HubRole, nonce: string, given: string): boolean {
  const expected = Buffer.from(prove(token, role, nonce));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
