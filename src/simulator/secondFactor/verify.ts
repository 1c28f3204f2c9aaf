import { assertOpen, countFailure, failedAttempt, succeeded } from './attempts';
import type { SecondFactorBody } from './body';
import { dropChallenge, findChallenge, isLegacy, methodById } from './challenges';
import { refuse, type SecondFactorContext } from './context';
import type { Attempts, Challenge, Factor, SecondFactorMethod } from './state';
import { matchTotp } from './totp';

/** How a person proved the second factor; `method` is absent for e-mail, backup codes and legacy accounts. */
export interface Proof {
  readonly by: Factor | 'backup';
  readonly method?: SecondFactorMethod;
}

/**
 * Checks the second factor in a body: a backup code, or `tfa_method` (`sms` when left out), `code` and,
 * for SMS and e-mail, `secret`. A right code uses its challenge up.
 */
export function verify(context: SecondFactorContext, body: SecondFactorBody): Proof {
  const backupCode = body.text('backup_code');
  if (backupCode !== undefined) {
    useBackupCode(context, backupCode);
    return { by: 'backup' };
  }
  const factor = body.factor() ?? 'sms';
  const code = body.code();
  if (code === undefined) {
    throw refuse('missing_params', 'code is required.');
  }
  if (factor === 'totp') {
    const method = totpMethod(context, body.integer('tfa_method_id'));
    checkTotp(context, method, code);
    return { by: 'totp', method };
  }
  const secret = body.text('secret');
  if (secret === undefined) {
    throw refuse('missing_params', `secret is required for ${factor}.`);
  }
  const challenge = findChallenge(context, secret);
  const method = challengedMethod(context, challenge, factor, body.integer('tfa_method_id'));
  checkChallenge(context, challenge, code, method ?? context.account.emailAttempts);
  if (method) {
    method.last_used = context.now;
    return { by: factor, method };
  }
  return { by: factor };
}

/** Uses up a backup code; refused with 401 for a wrong form or value and for a used code. */
export function useBackupCode(context: SecondFactorContext, text: string): void {
  const { account, now } = context;
  assertOpen(account.backupAttempts, now);
  const found = account.backupCodes.find((each) => !each.used && each.code === text.toUpperCase());
  if (!found) {
    countFailure(account.backupAttempts, now);
    throw refuse('invalid_backup_code');
  }
  found.used = true;
  succeeded(account.backupAttempts);
}

function totpMethod(context: SecondFactorContext, id: number | undefined): SecondFactorMethod {
  if (id !== undefined) {
    return methodById(context.account, id, 'totp');
  }
  const [method, another] = context.account.methods.filter((each) => each.method === 'totp');
  if (!method) {
    throw refuse('tfa_method_not_configured');
  }
  if (another) {
    throw refuse('missing_params', 'tfa_method_id is required: there are several TOTP methods.');
  }
  return method;
}

export function checkTotp(context: SecondFactorContext, method: SecondFactorMethod, code: string): void {
  assertOpen(method, context.now);
  const step = matchTotp(method.totpSecret ?? '', code, context.now, method.lastStep);
  if (step === undefined) {
    throw failedAttempt(method, context.now);
  }
  method.lastStep = step;
  method.last_used = context.now;
  succeeded(method);
}

/**
 * A code sent to a number that is no method of the account proves nothing: such a challenge serves
 * confirm-new only. Legacy accounts have a number and no method.
 */
function challengedMethod(
  context: SecondFactorContext,
  challenge: Challenge,
  factor: 'sms' | 'email',
  methodId: number | undefined,
): SecondFactorMethod | undefined {
  if (challenge.channel !== factor || challenge.code === undefined) {
    throw refuse('challenge_not_found');
  }
  if (factor === 'email') {
    return undefined;
  }
  if (challenge.methodId === undefined) {
    if (isLegacy(context.account) && challenge.phone === context.account.legacyPhone) {
      return undefined;
    }
    throw refuse('tfa_method_not_configured');
  }
  if (methodId !== undefined && methodId !== challenge.methodId) {
    throw refuse('challenge_not_found', 'The code was sent for another 2FA method.');
  }
  return methodById(context.account, challenge.methodId, 'sms');
}

/** Wrong codes count against `attempts`; a right one ends the challenge. */
export function checkChallenge(
  context: SecondFactorContext,
  challenge: Challenge,
  code: string,
  attempts: Attempts,
): void {
  assertOpen(attempts, context.now);
  if (challenge.code !== code) {
    throw failedAttempt(attempts, context.now);
  }
  succeeded(attempts);
  dropChallenge(context, challenge);
}
