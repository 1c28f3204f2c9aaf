import { createHash } from 'node:crypto';
import { callerOf, ok, route, type Route } from './route';
import { secondFactorStatus, type SecondFactorState } from './secondFactor/state';
import type { World } from './world';

/** GET users/current (docs/service/users.md#current-user). */
export function userRoutes(world: World, secondFactor: SecondFactorState): Route[] {
  return [
    route(
      'GET /api/v0/users/current/',
      { permission: 'user_read', endpoint: 'api.users.current' },
      (request) => {
        const { accountId, keyId } = callerOf(request);
        return ok(userRecord(world, secondFactor, accountId, keyId));
      },
    ),
  ];
}

/** The user object of users/current and of a completed second factor; a key's value is never in it. */
export function userRecord(
  world: World,
  secondFactor: SecondFactorState,
  accountId: number,
  keyId: number,
): Record<string, unknown> {
  const account = world.account(accountId);
  const key = world.sshKeys.filter((each) => each.accountId === accountId).at(-1);
  const documented = {
    id: account.id,
    key_id: keyId,
    email: account.email,
    full_name: account.fullName,
    balance: account.balance,
    credit: Math.round(account.credit * 1e6) / 1e6,
    ssh_key: account.sshKey ?? key?.publicKey ?? null,
    sid: createHash('sha256').update(`sid ${world.seed} ${account.id} ${keyId}`).digest('hex').slice(0, 32),
    tfa_status: secondFactorStatus(secondFactor.accounts[account.id]),
    email_verified_at: account.emailVerifiedAt,
    is_admin: account.isAdmin,
  };
  if (world.options.minimalRecords) {
    return documented;
  }
  return {
    ...documented,
    username: account.username,
    fullname: account.fullName,
    email_verified: account.emailVerifiedAt !== null,
    balance_threshold: 5,
    balance_threshold_enabled: false,
    has_billing: true,
    has_payout: account.hostId !== undefined,
    can_pay: true,
    billing_creditonly: 1,
    got_signup_credit: false,
    password_resettable: true,
    last4: '4242',
  };
}
