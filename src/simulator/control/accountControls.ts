import { BodyReader } from '../body';
import { callerOf, ok, route, ServiceError, type Route } from '../route';
import { openChallenge } from '../secondFactor/challenges';
import {
  noAttempts,
  secondFactorAccount,
  type SecondFactorAccount,
  type SecondFactorState,
} from '../secondFactor/state';
import { randomTokens } from '../secondFactor/tokens';
import type { Account } from '../state';
import type { World } from '../world';
import { onlyByFullKey } from './controlRoutes';

/** Accounts that tests and the demo may order. */
const kinds = ['totp', 'sms', 'both', 'legacy', 'unverified', 'admin', 'team', 'plain'] as const;

/** Routes for tests that control accounts and the second factor; the service has none of them. */
export function accountControlRoutes(world: World, secondFactor: SecondFactorState): Route[] {
  return onlyByFullKey(world, [
    route('POST /__sim/tfa-accounts/', {}, (request) =>
      ok(orderAccount(world, secondFactor, BodyReader.of(request.body))),
    ),
    route('GET /__sim/outbox/', {}, (request) => {
      const account = request.query.get('account_id');
      return ok({
        messages: secondFactor.outbox.filter(
          (each) => account === null || each.accountId === Number(account),
        ),
      });
    }),
    // The first step of a page's login checks a password. The interface description has no call for it.
    route('POST /__sim/tfa-login/', {}, (request) => {
      const id = BodyReader.of(request.body).integer('account_id') ?? callerOf(request).accountId;
      const account = world.account(id);
      const challenge = openChallenge(
        {
          state: secondFactor,
          account: secondFactorAccount(secondFactor, account.id),
          person: { id, email: account.email, emailVerified: true, isAdmin: account.isAdmin },
          now: world.now(),
          tokens: randomTokens,
          loggedOut: true,
        },
        'login',
      );
      world.changed();
      return ok({ success: true, tfa_secret: challenge.secret });
    }),
    route('POST /__sim/expire-sessions/', {}, () => {
      secondFactor.sessions.forEach((session) => {
        session.expiresAt = Math.min(session.expiresAt, world.now());
      });
      world.changed();
      return ok({ success: true });
    }),
    route('PUT /__sim/account/', {}, (request) => {
      const body = BodyReader.of(request.body);
      const account = world.account(body.integer('account_id') ?? callerOf(request).accountId);
      const verified = body.flag('email_verified');
      if (verified !== undefined) {
        account.emailVerifiedAt = verified ? world.now() : null;
      }
      account.isAdmin = body.flag('is_admin') ?? account.isAdmin;
      const record = secondFactorAccount(secondFactor, account.id);
      record.demanded = body.flag('demands_tfa') ?? record.demanded;
      record.teamUser = body.flag('team_user') ?? record.teamUser;
      world.changed();
      return ok({ success: true, account });
    }),
  ]);
}

function newAccount(world: World, kind: (typeof kinds)[number], email: string | undefined): Account {
  return world.addAccount({
    ...(email === undefined ? {} : { email }),
    ...(kind === 'unverified' ? { emailVerifiedAt: null } : {}),
    ...(kind === 'admin' ? { isAdmin: true, emailVerifiedAt: null } : {}),
  });
}

/** Makes an account with a full key, and everything a test needs to act as its owner. */
function orderAccount(
  world: World,
  secondFactor: SecondFactorState,
  body: BodyReader,
): Record<string, unknown> {
  const kind = kinds.find((known) => known === (body.text('kind') ?? 'totp'));
  if (!kind) {
    throw new ServiceError(400, 'invalid_args', `kind must be one of ${kinds.join(', ')}.`);
  }
  const given = body.integer('account_id');
  const account = given === undefined ? newAccount(world, kind, body.text('email')) : world.account(given);
  const record = secondFactorAccount(secondFactor, account.id);
  record.teamUser = kind === 'team';
  const phone = body.text('phone_number') ?? '+14155550142';
  const totpSecret = randomTokens.totpSecret();
  if (kind === 'legacy') {
    record.legacyPhone = phone;
  }
  if (kind === 'totp' || kind === 'both' || kind === 'team' || kind === 'admin') {
    addMethod(world, secondFactor, record, { method: 'totp', label: 'Authenticator', totpSecret });
  }
  if (kind === 'sms' || kind === 'both' || kind === 'admin') {
    addMethod(world, secondFactor, record, { method: 'sms', label: 'Phone', phone });
  }
  const backupCodes = record.methods.length > 0 ? makeBackupCodes(record) : [];
  record.demanded = body.flag('demanded') ?? (record.methods.length > 0 || kind === 'legacy');
  const { value, record: key } = world.keys.create({ accountId: account.id, name: 'Full access' });
  world.changed();
  return {
    success: true,
    account_id: account.id,
    key: value,
    key_id: key.id,
    email: account.email,
    phone_number: phone,
    totp_secret: totpSecret,
    backup_codes: backupCodes,
  };
}

function addMethod(
  world: World,
  secondFactor: SecondFactorState,
  account: SecondFactorAccount,
  method: { method: 'sms' | 'totp'; label: string; phone?: string; totpSecret?: string },
): void {
  account.methods.push({
    id: secondFactor.nextMethodId,
    user_id: account.accountId,
    is_primary: account.methods.length === 0,
    created_at: world.now(),
    last_used: null,
    ...noAttempts(),
    ...method,
  });
  secondFactor.nextMethodId += 1;
}

function makeBackupCodes(account: SecondFactorAccount): string[] {
  const codes = Array.from({ length: 10 }, () => randomTokens.backupCode());
  account.backupCodes = codes.map((code) => ({ code, used: false }));
  return codes;
}
