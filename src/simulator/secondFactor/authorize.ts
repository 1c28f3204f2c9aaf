import type { SecondFactorBody } from './body';
import {
  assertEmailVerified,
  findChallenge,
  methodById,
  onlyMethod,
  openChallenge,
  sendEmail,
  sendSms,
  smsTarget,
} from './challenges';
import { refuse, type SecondFactorContext } from './context';
import { authorizationSeconds, challengeSeconds } from './state';
import { checkChallenge, checkTotp, useBackupCode } from './verify';

/** POST authorize-new-method: a backup code authorizes at once, everything else starts a second step. */
export function startAuthorization(
  context: SecondFactorContext,
  body: SecondFactorBody,
): Record<string, unknown> {
  const { account } = context;
  const backupCode = body.text('backup_code');
  if (backupCode !== undefined) {
    useBackupCode(context, backupCode);
    authorize(context);
    return { success: true, msg: 'Authorization successful.' };
  }
  const wantedId = body.integer('tfa_method_id');
  const method = wantedId === undefined ? undefined : methodById(account, wantedId);
  // An account without methods always gets the code by e-mail
  // (docs/service/two-factor.md#authorize-a-new-method).
  const factor = account.methods.length === 0 ? 'email' : (body.factor() ?? method?.method);
  if (factor === undefined) {
    throw refuse('missing_params', 'tfa_method or tfa_method_id is required.');
  }
  if (method && method.method !== factor) {
    throw refuse('invalid_tfa_method', `2FA method ${method.id} is not of type ${factor}.`);
  }
  const expiresAt = context.now + challengeSeconds;
  if (factor === 'totp') {
    const chosen = method ?? onlyMethod(account, 'totp');
    account.pending = { secret: context.tokens.token(), factor, methodId: chosen.id, expiresAt };
    return { success: true, secret: account.pending.secret };
  }
  assertEmailVerified(context);
  const target =
    factor === 'sms'
      ? smsTarget(context, { methodId: (method ?? onlyMethod(account, 'sms')).id })
      : undefined;
  const challenge = openChallenge(context, factor);
  if (target) {
    sendSms(context, challenge, target);
  } else {
    sendEmail(context, challenge);
  }
  account.pending = {
    secret: challenge.secret,
    factor,
    expiresAt,
    ...(target?.method && { methodId: target.method.id }),
  };
  return { success: true, secret: challenge.secret };
}

/** PUT authorize-new-method: the code of the first step opens the 30-minute window. */
export function finishAuthorization(
  context: SecondFactorContext,
  body: SecondFactorBody,
): Record<string, unknown> {
  const { account, now } = context;
  const code = body.code();
  const secret = body.text('secret');
  if (code === undefined || secret === undefined) {
    throw refuse('missing_params', 'code and secret are required.');
  }
  const { pending } = account;
  if (pending?.secret !== secret) {
    throw refuse('no_pending_authorization');
  }
  if (pending.expiresAt <= now) {
    throw refuse('2fa_expired');
  }
  const method = pending.methodId === undefined ? undefined : methodById(account, pending.methodId);
  if (method && pending.factor === 'totp') {
    checkTotp(context, method, code);
  } else {
    checkChallenge(context, findChallenge(context, secret), code, method ?? account.emailAttempts);
    if (method) {
      method.last_used = now;
    }
  }
  authorize(context);
  return { success: true, msg: 'Authorization successful.' };
}

function authorize({ account, now }: SecondFactorContext): void {
  delete account.pending;
  account.authorizedUntil = now + authorizationSeconds;
}
