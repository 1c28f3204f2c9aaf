import type { SecondFactorBody } from './body';
import {
  assertEmailVerified,
  findChallenge,
  openChallenge,
  recentSms,
  sendEmail,
  sendSms,
  smsTarget,
  type SmsTarget,
} from './challenges';
import { refuse, type SecondFactorContext } from './context';
import {
  backupCodesRemaining,
  sessionSeconds,
  secondFactorStatus,
  type Challenge,
  type Session,
} from './state';
import { verify } from './verify';

/** POST tfa: a right second factor makes a session, as bearer for a key, as cookie for a browser. */
export function logIn(
  context: SecondFactorContext,
  body: SecondFactorBody,
): { readonly session: Session; readonly extra: Record<string, unknown> } {
  const { account, person, state, now } = context;
  const before = secondFactorStatus(account);
  if (before === 'disabled') {
    throw refuse('2fa_login_failed');
  }
  const admin = body.flag('admin') ?? false;
  if (admin && !person.isAdmin) {
    throw refuse('auth_error', 'This account cannot open an admin session.');
  }
  const proof = verify(context, body);
  const session: Session = {
    token: context.tokens.token(),
    keyId: 0,
    accountId: account.accountId,
    kind: context.loggedOut ? 'cookie' : 'bearer',
    admin,
    expiresAt: now + sessionSeconds,
  };
  state.sessions = [...state.sessions.filter((each) => each.expiresAt + sessionSeconds > now), session];
  const left = backupCodesRemaining(account);
  return {
    session,
    extra: {
      // Present only after a backup code, and only while at least one is left
      // (docs/service/two-factor.md#log-in).
      ...(proof.by === 'backup' && left > 0 && { backup_codes_remaining: left }),
      ...(before === 'legacy' && { legacy_tfa_user: true }),
    },
  };
}

/** POST email: with a key and no secret each call makes a fresh challenge. */
export function requestEmail(context: SecondFactorContext, body: SecondFactorBody): Record<string, unknown> {
  assertEmailVerified(context);
  const challenge = namedChallenge(context, body) ?? openChallenge(context, 'email');
  sendEmail(context, challenge);
  followPending(context, challenge.secret, challenge);
  return { success: true, msg: '2FA code sent to your email address.', secret: challenge.secret };
}

/** POST sms: refused while an earlier code to the number still counts; that one is sent again by `resend`. */
export function requestSms(context: SecondFactorContext, body: SecondFactorBody): Record<string, unknown> {
  assertEmailVerified(context, true);
  const target = wantedTarget(context, body);
  if (recentSms(context, target.phone)) {
    throw refuse('tfa_challenge_exists');
  }
  const challenge = namedChallenge(context, body) ?? openChallenge(context, 'sms');
  sendSms(context, challenge, target);
  return { msg: '2FA Sent', secret: challenge.secret };
}

/** POST sms/resend: a new code; with a key and no secret also a new secret, which replaces the older one. */
export function resendSms(context: SecondFactorContext, body: SecondFactorBody): Record<string, unknown> {
  assertEmailVerified(context, true);
  const named = namedChallenge(context, body);
  const target = named ? originalTarget(context, named, body) : wantedTarget(context, body);
  const challenge = named ?? recentSms(context, target.phone);
  if (!challenge) {
    throw refuse(hasSmsChallenge(context) ? 'phone_number_mismatch' : 'no_challenge_found');
  }
  const old = challenge.secret;
  sendSms(context, challenge, target);
  if (!named) {
    challenge.secret = context.tokens.token();
  }
  followPending(context, old, challenge);
  return { msg: 'A 6-digit code has been sent to your phone', secret: challenge.secret };
}

/** An authorization that waits for this challenge waits for its newest code. */
function followPending({ account }: SecondFactorContext, oldSecret: string, challenge: Challenge): void {
  if (account.pending?.secret === oldSecret) {
    account.pending.secret = challenge.secret;
    account.pending.expiresAt = challenge.expiresAt;
  }
}

function namedChallenge(context: SecondFactorContext, body: SecondFactorBody): Challenge | undefined {
  const secret = body.text('secret');
  return secret === undefined ? undefined : findChallenge(context, secret);
}

function wantedTarget(context: SecondFactorContext, body: SecondFactorBody): SmsTarget {
  const methodId = body.integer('tfa_method_id');
  const phone = body.phone();
  return smsTarget(context, {
    ...(methodId !== undefined && { methodId }),
    ...(phone !== undefined && { phone }),
  });
}

function originalTarget(
  context: SecondFactorContext,
  challenge: Challenge,
  body: SecondFactorBody,
): SmsTarget {
  if (challenge.channel !== 'sms' || challenge.phone === undefined) {
    throw refuse('no_challenge_found');
  }
  const phone = body.phone();
  const methodId = body.integer('tfa_method_id') ?? challenge.methodId;
  const target = smsTarget(context, methodId === undefined ? { phone: challenge.phone } : { methodId });
  if ((phone ?? target.phone) !== challenge.phone || target.phone !== challenge.phone) {
    throw refuse('phone_number_mismatch');
  }
  return target;
}

function hasSmsChallenge(context: SecondFactorContext): boolean {
  return context.state.challenges.some(
    (each) =>
      each.accountId === context.account.accountId && each.channel === 'sms' && each.expiresAt > context.now,
  );
}
