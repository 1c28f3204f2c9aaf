import { TOTP, Secret } from 'otpauth';
import type { TestSimulator } from './startSimulator';

/** An account that a test ordered, and what its owner would have in hand. */
export interface OrderedAccount {
  readonly accountId: number;
  readonly key: string;
  readonly email: string;
  readonly phone: string;
  readonly totpSecret: string;
  readonly backupCodes: readonly string[];
}

export type AccountKind = 'totp' | 'sms' | 'both' | 'legacy' | 'unverified' | 'admin' | 'team' | 'plain';

/** Orders an account; `accountId` equips one that exists, `demanded: false` lets its key work alone. */
export async function orderAccount(
  simulator: TestSimulator,
  kind: AccountKind,
  options: { readonly accountId?: number; readonly demanded?: boolean; readonly phone?: string } = {},
): Promise<OrderedAccount> {
  const { json } = await simulator.call('POST', '/__sim/tfa-accounts/', {
    kind,
    account_id: options.accountId,
    demanded: options.demanded,
    phone_number: options.phone,
  });
  return {
    accountId: json.account_id,
    key: json.key,
    email: json.email,
    phone: json.phone_number,
    totpSecret: json.totp_secret,
    backupCodes: json.backup_codes,
  };
}

/** What an authenticator app shows at the simulator's time, `stepsAhead` half minutes later. */
export function totpCode(simulator: TestSimulator, secret: string, stepsAhead = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: (simulator.world.now() + stepsAhead * 30) * 1000,
  });
}

type WithSimulator = Readonly<Record<'simulator', TestSimulator>>;

/** The codes that were sent, oldest first, as a person reads them on a telephone or in a mailbox. */
export async function sentCodes({ simulator }: WithSimulator, channel: 'sms' | 'email'): Promise<string[]> {
  const { json } = await simulator.call('GET', '/__sim/outbox/');
  const messages = json.messages as { readonly channel: string; readonly code: string }[];
  return messages.filter((each) => each.channel === channel).map(({ code }) => code);
}

/** How many second factors were accepted. */
export function logIns({ simulator }: WithSimulator): number {
  return simulator.received('POST', '/api/v0/tfa/').filter(({ status }) => status === 200).length;
}

/** The code of the newest message, as a person reads it on a telephone or in a mailbox. */
export async function lastCode(simulator: TestSimulator, channel?: 'sms' | 'email'): Promise<string> {
  const { json } = await simulator.call('GET', '/__sim/outbox/');
  const messages = json.messages as { channel: string; code: string }[];
  return messages.findLast((each) => channel === undefined || each.channel === channel)?.code ?? '';
}

/** Six digits that are not these. */
export function otherThan(code: string): string {
  return code === '000000' ? '111111' : '000000';
}
