import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** An agent may call tools and nothing else: it hears no window and is none. */
export type HubRole = 'leader' | 'member' | 'agent';

export function makeNonce(): string {
  return randomBytes(16).toString('hex');
}

/** Shows that the token is known, without telling it; what proves one role proves no other. */
export function prove(token: string, role: HubRole, nonce: string): string {
  return createHmac('sha256', token).update(`${role}\n${nonce}`).digest('hex');
}

export function isProof(token: string, role: HubRole, nonce: string, given: string): boolean {
  const expected = Buffer.from(prove(token, role, nonce));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
