import { refuse, type SecondFactorContext } from './context';
import {
  challengeSeconds,
  secondFactorStatus,
  type Challenge,
  type SecondFactorAccount,
  type SecondFactorMethod,
} from './state';

const hour = 3600;
/** Not documented: text messages an account may have sent in an hour. */
const smsPerHour = 10;
/** Not documented: text messages to one number without a key in an hour. */
const loggedOutSmsPerHour = 5;

/** Numbers that fail in one way each, so that every refusal of the carrier can be tested. */
const failingNumbers = {
  '+15005550001': 'twilio_error',
  '+15005550002': 'sms_blocked_number',
  '+15005550003': 'sms_fraud_detected',
  '+15005550004': 'twilio_rate_limited',
  '+15005550005': 'challenge_creation_failed',
  '+15005550006': 'service_unavailable',
} as const;

/** The caller's challenge by its secret; another account's does not exist. */
export function findChallenge(context: SecondFactorContext, secret: string): Challenge {
  const challenge = context.state.challenges.find(
    (each) => each.secret === secret && each.accountId === context.account.accountId,
  );
  if (!challenge) {
    throw refuse('challenge_not_found');
  }
  if (challenge.expiresAt <= context.now) {
    throw refuse('2fa_expired');
  }
  return challenge;
}

export function dropChallenge(context: SecondFactorContext, challenge: Challenge): void {
  context.state.challenges = context.state.challenges.filter((each) => each !== challenge);
}

/**
 * A challenge without a code, as a correct password makes; the logged-out flow begins with its secret.
 * Old ones are removed here, an hour after they ended, so that "expired" differs from "unknown".
 */
export function openChallenge(context: SecondFactorContext, channel: Challenge['channel']): Challenge {
  const challenge: Challenge = {
    secret: context.tokens.token(),
    accountId: context.account.accountId,
    channel,
    expiresAt: context.now + challengeSeconds,
    loggedOut: context.loggedOut,
  };
  context.state.challenges = [
    ...context.state.challenges.filter((each) => each.expiresAt + hour > context.now),
    challenge,
  ];
  return challenge;
}

/** Which number, and which method it belongs to; the account's only number is found without being named. */
export interface SmsTarget {
  readonly phone: string;
  readonly method?: SecondFactorMethod;
}

export function smsTarget(
  context: SecondFactorContext,
  wanted: { methodId?: number; phone?: string },
): SmsTarget {
  const { account } = context;
  if (wanted.methodId !== undefined) {
    return targetOf(methodById(account, wanted.methodId, 'sms'));
  }
  const own = account.methods.filter((method) => method.method === 'sms');
  if (wanted.phone !== undefined) {
    const method = own.find((each) => each.phone === wanted.phone);
    if (!method && context.loggedOut && wanted.phone !== account.legacyPhone) {
      // Without a key, no caller may have the service send messages to a stranger.
      throw refuse('phone_number_mismatch', 'This is not a phone number of the account.');
    }
    return method ? targetOf(method) : { phone: wanted.phone };
  }
  const method = own.find((each) => each.is_primary) ?? own[0];
  if (method) {
    return targetOf(method);
  }
  const phone = account.legacyPhone ?? account.phone;
  if (phone === undefined) {
    throw refuse('missing_phone_number');
  }
  return { phone };
}

function targetOf(method: SecondFactorMethod): SmsTarget {
  if (method.phone === undefined) {
    throw refuse('missing_phone_number');
  }
  return { phone: method.phone, method };
}

export function methodById(
  account: SecondFactorAccount,
  id: number,
  type?: SecondFactorMethod['method'],
): SecondFactorMethod {
  const method = account.methods.find((each) => each.id === id);
  if (!method) {
    throw refuse('not_found');
  }
  if (type !== undefined && method.method !== type) {
    throw refuse('invalid_tfa_method', `2FA method ${id} is not of type ${type}.`);
  }
  return method;
}

/** The account's only method of a type, which needs no id. */
export function onlyMethod(
  account: SecondFactorAccount,
  type: SecondFactorMethod['method'],
): SecondFactorMethod {
  const [method, another] = account.methods.filter((each) => each.method === type);
  if (!method) {
    throw refuse('tfa_method_not_configured');
  }
  if (another) {
    throw refuse('missing_params', `tfa_method_id is required: there are several ${type} methods.`);
  }
  return method;
}

/** An unfinished text-message challenge to this number that has not run out. */
export function recentSms(context: SecondFactorContext, phone: string): Challenge | undefined {
  return context.state.challenges.findLast(
    (each) =>
      each.accountId === context.account.accountId &&
      each.channel === 'sms' &&
      each.phone === phone &&
      each.expiresAt > context.now,
  );
}

/** Sends six digits by text message and makes `challenge` wait for them. */
export function sendSms(context: SecondFactorContext, challenge: Challenge, target: SmsTarget): void {
  assertMaySend(context, target.phone);
  delete challenge.methodId;
  challenge.channel = 'sms';
  challenge.phone = target.phone;
  if (target.method) {
    challenge.methodId = target.method.id;
  }
  context.account.smsSentAt.push(context.now);
  sendCode(context, challenge, 'sms', target.phone);
}

function assertMaySend(context: SecondFactorContext, phone: string): void {
  const failure = Object.entries(failingNumbers).find(([number]) => number === phone);
  if (failure) {
    throw refuse(failure[1]);
  }
  const { account, state, now } = context;
  account.smsSentAt = account.smsSentAt.filter((time) => time > now - hour);
  if (account.smsSentAt.length >= smsPerHour) {
    throw refuse('sms_rate_limited');
  }
  const toNumber = state.outbox.filter((each) => each.to === phone && each.sentAt > now - hour);
  if (context.loggedOut && toNumber.length >= loggedOutSmsPerHour) {
    throw refuse('preauth_phone_cap');
  }
}

/** Sends six digits by e-mail and makes `challenge` wait for them. */
export function sendEmail(context: SecondFactorContext, challenge: Challenge): void {
  const to = context.person.email;
  if (to === undefined) {
    throw refuse('missing_email');
  }
  delete challenge.methodId;
  delete challenge.phone;
  challenge.channel = 'email';
  sendCode(context, challenge, 'email', to);
}

function sendCode(
  context: SecondFactorContext,
  challenge: Challenge,
  channel: 'sms' | 'email',
  to: string,
): void {
  const code = context.tokens.code();
  challenge.code = code;
  challenge.expiresAt = context.now + challengeSeconds;
  context.state.outbox = [
    ...context.state.outbox.slice(-99),
    {
      accountId: context.account.accountId,
      channel,
      to,
      code,
      text: `Your verification code is ${code}. It expires in ten minutes.`,
      sentAt: context.now,
    },
  ];
}

/**
 * Throws unless the e-mail address is verified. Administrators are exempt where an SMS code is sent or sent
 * again, and nowhere else (docs/service/two-factor.md#prerequisites).
 */
export function assertEmailVerified(context: SecondFactorContext, exemptAdmin = false): void {
  if (!context.person.emailVerified && !(exemptAdmin && context.person.isAdmin)) {
    throw refuse('email_not_verified');
  }
}

export function isLegacy(account: SecondFactorAccount): boolean {
  return secondFactorStatus(account) === 'legacy';
}
