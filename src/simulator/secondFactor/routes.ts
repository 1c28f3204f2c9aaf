import { bearerOf, sessionCookie, sessionCookieName } from '../auth';
import { ok, route, ServiceError, type Route, type SimRequest, type SimResponse } from '../route';
import { userRecord } from '../users';
import type { World } from '../world';
import { finishAuthorization, startAuthorization } from './authorize';
import { SecondFactorBody } from './body';
import { refuse, type SecondFactorContext } from './context';
import { confirmNew, setUpTotp } from './enrol';
import { logIn, requestEmail, requestSms, resendSms } from './login';
import { regenerateBackupCodes, removeMethod, status, updateMethod } from './manage';
import { sessionSeconds, secondFactorAccount, type SecondFactorState } from './state';
import { randomTokens, type Tokens } from './tokens';

type Operation = (context: SecondFactorContext, body: SecondFactorBody) => Record<string, unknown>;

/**
 * All calls of tfa/* with their three callers: a key, a key beside the cookie of a web page, and nothing but
 * the `tfa_secret` of a challenge (docs/service/two-factor.md#callers).
 */
export function secondFactorRoutes(
  world: World,
  state: SecondFactorState,
  tokens: Tokens = randomTokens,
): Route[] {
  const contexts = new SecondFactorContexts(world, state, tokens);
  const keyed = (operation: Operation) => (request: SimRequest) =>
    finish(world, operation, contexts.ofCaller(request), request);
  const open = (operation: Operation) => (request: SimRequest) =>
    finish(world, operation, contexts.ofCallerOrSecret(request), request);
  const writes = { permission: 'user_write' } as const;
  const anyone = { ...writes, anonymous: true };
  return [
    route('POST /api/v0/tfa/', anyone, (request) => login(world, contexts, request)),
    route('POST /api/v0/tfa/email/', anyone, open(requestEmail)),
    route('POST /api/v0/tfa/sms/', anyone, open(requestSms)),
    route('POST /api/v0/tfa/sms/resend/', anyone, open(resendSms)),
    route('GET /api/v0/tfa/status/', { permission: 'user_read' }, keyed(status)),
    route('POST /api/v0/tfa/authorize-new-method/', writes, keyed(managed(startAuthorization))),
    route('PUT /api/v0/tfa/authorize-new-method/', writes, keyed(managed(finishAuthorization))),
    route('POST /api/v0/tfa/totp-setup/', writes, keyed(setUpTotp)),
    route('POST /api/v0/tfa/confirm-new/', writes, keyed(managed(confirmNew))),
    route('DELETE /api/v0/tfa/', writes, keyed(managed(removeMethod))),
    route('PUT /api/v0/tfa/update/', writes, keyed(managed(updateMethod))),
    route('PUT /api/v0/tfa/regen-backup-codes/', writes, keyed(managed(regenerateBackupCodes))),
  ];
}

/** Members of a team may use their second factor and not change it. */
function managed(operation: Operation): Operation {
  return (context, body) => {
    if (context.account.teamUser) {
      throw refuse('team_user_forbidden');
    }
    return operation(context, body);
  };
}

/** The count of failed attempts is kept, too. */
function finish(
  world: World,
  operation: Operation,
  context: SecondFactorContext,
  request: SimRequest,
): SimResponse {
  try {
    return ok(operation(context, new SecondFactorBody(request.body)));
  } finally {
    world.changed();
  }
}

function login(world: World, contexts: SecondFactorContexts, request: SimRequest): SimResponse {
  if (request.caller && contexts.hasCookieOf(request.caller.accountId, request)) {
    // The cookie of a logged-in page is the session already (docs/service/two-factor.md#callers).
    throw refuse('bad_request', 'You are already logged in.');
  }
  const context = contexts.ofCallerOrSecret(request);
  try {
    const { session, extra } = logIn(context, new SecondFactorBody(request.body));
    session.keyId = world.nextId('key', 1001);
    const permissions = request.caller && world.keys.byId(request.caller.keyId)?.permissions;
    if (permissions) {
      session.permissions = permissions;
    }
    const user = userRecord(world, context.state, session.accountId, session.keyId);
    return session.kind === 'bearer'
      ? ok({ ...user, ...extra, session_key: session.token })
      : {
          ...ok({ ...user, ...extra }),
          headers: {
            'Set-Cookie': `${sessionCookieName}=${session.token}; Path=/; Max-Age=${sessionSeconds}; HttpOnly; SameSite=Strict`,
          },
        };
  } finally {
    world.changed();
  }
}

/** Finds the account of a request about a second factor. */
class SecondFactorContexts {
  constructor(
    private readonly world: World,
    private readonly state: SecondFactorState,
    private readonly tokens: Tokens,
  ) {}

  ofCaller(request: SimRequest): SecondFactorContext {
    if (!request.caller) {
      throw refuse('auth_error');
    }
    return this.context(request.caller.accountId, false);
  }

  /** Without a key the `secret` in the body names the account, and nothing else may. */
  ofCallerOrSecret(request: SimRequest): SecondFactorContext {
    if (request.caller) {
      return this.context(request.caller.accountId, false);
    }
    if (bearerOf(request.headers) !== undefined) {
      throw new ServiceError(401, 'auth_error', 'Invalid user key');
    }
    const secret = new SecondFactorBody(request.body).text('secret');
    if (secret === undefined) {
      throw refuse('missing_auth_value');
    }
    const challenge = this.state.challenges.find((each) => each.secret === secret);
    if (!challenge) {
      throw refuse('challenge_not_found');
    }
    return this.context(challenge.accountId, true);
  }

  hasCookieOf(accountId: number, request: SimRequest): boolean {
    return hasCookieSession(this.state, accountId, request, this.world.now());
  }

  private context(accountId: number, loggedOut: boolean): SecondFactorContext {
    const account = this.world.account(accountId);
    return {
      state: this.state,
      account: secondFactorAccount(this.state, accountId),
      person: {
        id: account.id,
        email: account.email === '' ? undefined : account.email,
        emailVerified: account.emailVerifiedAt !== null,
        isAdmin: account.isAdmin,
      },
      now: this.world.now(),
      tokens: this.tokens,
      loggedOut,
    };
  }
}

export function hasCookieSession(
  state: SecondFactorState,
  accountId: number,
  request: SimRequest,
  now: number,
): boolean {
  const cookie = sessionCookie(request.headers);
  return state.sessions.some(
    (each) =>
      each.kind === 'cookie' && each.token === cookie && each.accountId === accountId && each.expiresAt > now,
  );
}
