import { ForbiddenError, UnauthorizedError } from '../../api/errors';
import type { CallOptions } from '../../api/http';
import type { AuditEntry, AuditSenders } from '../../model/accounts/auditEntry';
import type { Account } from './accounts';

/** The audit log of an account, with what names the senders. */
export interface ServiceAuditLog extends AuditSenders {
  /** Latest first; entries without a time are last. */
  readonly entries: readonly AuditEntry[];
  readonly skipped: number;
}

/** Reads the audit log and the API keys of the account. */
export async function readAuditLog(
  { client, user }: Pick<Account, 'client' | 'user'>,
  options?: CallOptions,
): Promise<ServiceAuditLog> {
  const { items, skipped } = await client.auditLog.list(options);
  return {
    entries: [...items].sort((a, b) => (b.at ?? 0) - (a.at ?? 0)),
    skipped,
    keyInUse: user.keyId,
    keys: await keysOf(client, options),
  };
}

async function keysOf(
  client: Account['client'],
  options: CallOptions | undefined,
): Promise<ServiceAuditLog['keys']> {
  try {
    return (await client.apiKeys.list(options)).items;
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof UnauthorizedError) {
      return undefined;
    }
    throw error;
  }
}
