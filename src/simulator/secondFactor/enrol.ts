import { assertOpen, failedAttempt, succeeded } from './attempts';
import type { SecondFactorBody } from './body';
import { dropChallenge, findChallenge, isLegacy } from './challenges';
import { refuse, type SecondFactorContext } from './context';
import { authorizationSeconds, backupCodeCount, noAttempts, type SecondFactorMethod } from './state';
import { matchTotp, provisioningUri } from './totp';
import { checkChallenge } from './verify';

/**
 * POST totp-setup: needs no authorization and adds nothing by itself
 * (docs/service/two-factor.md#set-up-totp).
 */
export function setUpTotp(context: SecondFactorContext): Record<string, unknown> {
  const { account, now, person } = context;
  const secret = context.tokens.totpSecret();
  account.issuedTotpSecrets = [
    ...account.issuedTotpSecrets.filter((each) => each.expiresAt > now).slice(-4),
    { secret, expiresAt: now + authorizationSeconds },
  ];
  return { secret, provisioning_uri: provisioningUri(secret, person.email ?? `user ${person.id}`) };
}

/** POST confirm-new: adds a method; the first one brings the backup codes, shown this once. */
export function confirmNew(context: SecondFactorContext, body: SecondFactorBody): Record<string, unknown> {
  const { account, now, state } = context;
  const type = body.factor();
  const code = body.code();
  const secret = body.text('secret');
  const label = body.label();
  if (type === undefined || code === undefined || secret === undefined) {
    throw refuse('missing_params', 'tfa_method, code and secret are required.');
  }
  if (type === 'email') {
    throw refuse('invalid_tfa_method', 'Email cannot be stored as a 2FA method.');
  }
  if (isLegacy(account)) {
    throw refuse('untracked_2fa_found');
  }
  if (account.authorizedUntil <= now) {
    throw refuse('authorization_required');
  }
  const proven =
    type === 'sms' ? confirmedPhone(context, body, code, secret) : confirmedTotp(context, code, secret);
  const first = account.methods.length === 0;
  account.methods.push({
    id: state.nextMethodId,
    user_id: account.accountId,
    method: type,
    label: label ?? (type === 'sms' ? 'Phone' : 'Authenticator app'),
    is_primary: first,
    created_at: now,
    last_used: null,
    ...noAttempts(),
    ...proven,
  });
  state.nextMethodId += 1;
  return {
    success: true,
    msg: `${type === 'sms' ? 'SMS' : 'TOTP'} 2FA method added successfully.`,
    ...(first && { backup_codes: freshBackupCodes(context) }),
  };
}

function confirmedPhone(
  context: SecondFactorContext,
  body: SecondFactorBody,
  code: string,
  secret: string,
): Partial<SecondFactorMethod> {
  const phone = body.phone();
  if (phone === undefined) {
    throw refuse('missing_phone_number');
  }
  const challenge = findChallenge(context, secret);
  if (challenge.channel !== 'sms') {
    throw refuse('challenge_not_found');
  }
  if (challenge.phone !== phone) {
    throw refuse('phone_number_mismatch');
  }
  if (context.account.methods.some((each) => each.phone === phone)) {
    dropChallenge(context, challenge);
    throw refuse('duplicate_tfa_method');
  }
  checkChallenge(context, challenge, code, context.account.enrolAttempts);
  return { phone };
}

function confirmedTotp(
  context: SecondFactorContext,
  code: string,
  secret: string,
): Partial<SecondFactorMethod> {
  const { account, now } = context;
  if (account.methods.some((each) => each.totpSecret === secret)) {
    throw refuse('duplicate_tfa_method');
  }
  const issued = account.issuedTotpSecrets.find((each) => each.secret === secret);
  if (!issued) {
    throw refuse('challenge_not_found');
  }
  if (issued.expiresAt <= now) {
    throw refuse('2fa_expired');
  }
  assertOpen(account.enrolAttempts, now);
  const step = matchTotp(secret, code, now);
  if (step === undefined) {
    throw failedAttempt(account.enrolAttempts, now);
  }
  succeeded(account.enrolAttempts);
  account.issuedTotpSecrets = account.issuedTotpSecrets.filter((each) => each !== issued);
  return { totpSecret: secret, lastStep: step };
}

/** Makes every older backup code void. */
export function freshBackupCodes(context: SecondFactorContext): string[] {
  const codes = Array.from({ length: backupCodeCount }, () => context.tokens.backupCode());
  context.account.backupCodes = codes.map((code) => ({ code, used: false }));
  return codes;
}
