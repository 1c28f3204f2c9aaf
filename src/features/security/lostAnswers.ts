import type { Client } from '../../api/client';
import { mayHaveTakenEffect, NotFoundError, RefusedError } from '../../api/errors';
import type { CallOptions } from '../../api/http';
import type {
  ConfirmedSecondFactorMethod,
  NewSecondFactorMethod,
  RemovedSecondFactorMethod,
  SecondFactorMethod,
  SecondFactorProof,
  SecondFactorStatus,
} from '../../model/accounts/secondFactor';

/**
 * Returns a function that confirms a new method. After a lost answer it reads whether the method exists, because the
 * service would refuse a second try as a duplicate. The backup codes in the lost answer are gone.
 */
export function confirmer(
  client: Client,
  before: Pick<SecondFactorStatus, 'methods'>,
): (method: NewSecondFactorMethod, options: CallOptions) => Promise<ConfirmedSecondFactorMethod> {
  return sure(
    (method: NewSecondFactorMethod, options: CallOptions) => client.secondFactor.confirmNew(method, options),
    async () => {
      const { methods } = await client.secondFactor.status();
      return methods.some(({ id }) => !before.methods.some((known) => known.id === id)) ? {} : undefined;
    },
  );
}

/**
 * Returns a function that removes a method or the older form. After a lost answer it reads whether the method is
 * gone.
 */
export function remover(
  client: Client,
  target: SecondFactorMethod | undefined,
): (proof: SecondFactorProof, options: CallOptions) => Promise<RemovedSecondFactorMethod> {
  return sure(
    (proof: SecondFactorProof, options: CallOptions) =>
      client.secondFactor.remove(target?.id, proof, options),
    async () => {
      const { enabled, methods, skipped } = await client.secondFactor.status();
      if (!enabled) {
        return {};
      }
      // The record that could not be read may be the removed method.
      return !target || skipped > 0 || methods.some(({ id }) => id === target.id)
        ? undefined
        : { remaining: methods.length };
    },
  );
}

/**
 * Returns a function that authorizes new methods. After a lost answer it reads whether methods can be added: a second try
 * would be refused, and a backup code works only once.
 */
export function authorizer(
  client: Client,
  send: (code: string, options: CallOptions) => Promise<unknown>,
): (code: string, options: CallOptions) => Promise<true> {
  return sure(
    async (code: string, options: CallOptions) => {
      await send(code, options);
      return true as const;
    },
    async () => ((await client.secondFactor.status()).newMethodAuthorized ? true : undefined),
  );
}

/**
 * Sends the request, and reads the result if the answer is lost or if a retry is refused because the first try
 * worked.
 */
function sure<In, Out>(
  send: (input: In, options: CallOptions) => Promise<Out>,
  readBack: () => Promise<Out | undefined>,
): (input: In, options: CallOptions) => Promise<Out> {
  let mayBeDone = false;
  return async (input, options) => {
    try {
      return await send(input, options);
    } catch (error) {
      mayBeDone ||= mayHaveTakenEffect(error);
      const isRefused = error instanceof RefusedError || error instanceof NotFoundError;
      const mayHaveHappened = mayHaveTakenEffect(error) || (mayBeDone && isRefused);
      const done = mayHaveHappened ? await readBack().catch(() => undefined) : undefined;
      if (done !== undefined) {
        return done;
      }
      throw error;
    }
  };
}
