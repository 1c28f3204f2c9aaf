import type { Client } from '../../api/client';
import {
  NotReachableError,
  NotUnderstoodError,
  RefusedError,
  ServiceFailedError,
  TimedOutError,
} from '../../api/errors';
import type { CallOptions } from '../../api/http';
import type { ConfirmedTfaMethod, NewTfaMethod, TfaStatus } from '../../model/accounts/tfa';

/**
 * Confirms a new method. Where an answer was lost it looks whether the method is there, for a second try
 * would be refused as a duplicate; the backup codes that came with it are lost then.
 */
export function confirmer(
  client: Client,
  before: Pick<TfaStatus, 'methods'>,
): (method: NewTfaMethod, options: CallOptions) => Promise<ConfirmedTfaMethod> {
  let mayBeThere = false;
  const isThere = async () => {
    const { methods } = await client.tfa.status();
    return methods.some(({ id }) => !before.methods.some((known) => known.id === id));
  };
  return async (method, options) => {
    try {
      return await client.tfa.confirmNew(method, options);
    } catch (error) {
      mayBeThere ||= isLostAnswer(error);
      const isWorthALook = isLostAnswer(error) || (mayBeThere && error instanceof RefusedError);
      if (isWorthALook && (await isThere().catch(() => false))) {
        return {};
      }
      throw error;
    }
  };
}

function isLostAnswer(error: unknown): boolean {
  return (
    (error instanceof NotReachableError && error.requestLeft) ||
    error instanceof TimedOutError ||
    error instanceof ServiceFailedError ||
    error instanceof NotUnderstoodError
  );
}
