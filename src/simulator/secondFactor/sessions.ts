import { ServiceError } from '../route';
import type { World } from '../world';
import { hasCookieSession } from './routes';
import { emptySecondFactorState, type SecondFactorState } from './state';

/**
 * Makes sessions of the second factor count as callers, and accounts that demand
 * one refuse a key alone everywhere except on users/current and tfa/*.
 */
export function registerSecondFactor(world: World): SecondFactorState {
  const state = world.section<SecondFactorState>('tfa', emptySecondFactorState);
  world.ports.sessions = {
    find(value, from) {
      const session = state.sessions.find((each) => each.kind === from && each.token === value);
      return (
        session && {
          accountId: session.accountId,
          keyId: session.keyId,
          ...(session.permissions && { permissions: session.permissions }),
          expired: session.expiresAt <= world.now(),
        }
      );
    },
  };
  world.guards.push((caller, route, request) => {
    if (
      !state.accounts[caller.accountId]?.demanded ||
      caller.onlyInstance !== undefined ||
      route.path === '/api/v0/users/current/' ||
      route.path.startsWith('/api/v0/tfa/') ||
      route.path.startsWith('/__sim/') ||
      state.sessions.some((each) => each.keyId === caller.keyId) ||
      hasCookieSession(state, caller.accountId, request, world.now())
    ) {
      return;
    }
    throw new ServiceError(403, 'auth_error', 'This account requires two-factor authentication.');
  });
  return state;
}
