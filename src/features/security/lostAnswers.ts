import type { Client } from '../../api/client';
import { mayHaveTakenEffect, NotFoundError, RefusedError } from '../../api/errors';
import type { CallOptions } from '../../api/http';
import type {
  ConfirmedTfaMethod,
  NewTfaMethod,
  RemovedTfaMethod,
  TfaMethod,
  TfaProof,
  TfaStatus,
} from '../../model/accounts/tfa';

/**
 * Confirms a new method. Where an answer was lost it looks whether the method is there, for a second try
 * would be refused as a duplicate; the backup codes that came with it are lost then.
 */
export function confirmer(
  client: Client,
  before: Pick<TfaStatus, 'methods'>,
): (method: NewTfaMethod, options: CallOptions) => Promise<ConfirmedTfaMethod> {
  return sure(
    (method: NewTfaMethod, options: CallOptions) => client.tfa.confirmNew(method, options),
    async () => {
      const { methods } = await client.tfa.status();
      return methods.some(({ id }) => !before.methods.some((known) => known.id === id)) ? {} : undefined;
    },
  );
}

/** Removes a method, or the older form; where an answer was lost it looks whether it is gone. */
export function remover(
  client: Client,
  target: TfaMethod | undefined,
): (proof: TfaProof, options: CallOptions) => Promise<RemovedTfaMethod> {
  return sure(
    (proof: TfaProof, options: CallOptions) => client.tfa.remove(target?.id, proof, options),
    async () => {
      const { enabled, methods, skipped } = await client.tfa.status();
      if (!enabled) {
        return {};
      }
      // One that could not be read may be the one.
      return !target || skipped > 0 || methods.some(({ id }) => id === target.id)
        ? undefined
        : { remaining: methods.length };
    },
  );
}

/** Sends, and looks where an answer was lost; also when a later try is refused because the first took effect. */
function sure<In, Out>(
  send: (input: In, options: CallOptions) => Promise<Out>,
  look: () => Promise<Out | undefined>,
): (input: In, options: CallOptions) => Promise<Out> {
  let mayBeDone = false;
  return async (input, options) => {
    try {
      return await send(input, options);
    } catch (error) {
      mayBeDone ||= mayHaveTakenEffect(error);
      const isRefused = error instanceof RefusedError || error instanceof NotFoundError;
      const isWorthALook = mayHaveTakenEffect(error) || (mayBeDone && isRefused);
      const done = isWorthALook ? await look().catch(() => undefined) : undefined;
      if (done !== undefined) {
        return done;
      }
      throw error;
    }
  };
}
