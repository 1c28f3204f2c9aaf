import type { Instance } from '../../model/instances/instance';
import { intentOf } from '../../model/instances/instanceState';
import { actAs, type Actor } from '../../util/acting';
import { waitSince } from '../../util/clock';
import type { ActingAccount } from '../accounts/accounts';
import { destroyAndVerify, checkAtMs, type DestructionDeps } from './destruction';
import { readPresence } from './ends';
import { sendPower } from './power';

/** What became of it. `notConfirmed`: the request left, and the instance is unchanged or can't be read. */
export type CarriedOut = 'stopped' | 'destroyed' | 'gone' | 'notConfirmed';

interface Order {
  readonly instanceId: number;
  readonly action: 'stop' | 'destroy';
}

/**
 * Stops or destroys an instance and reads it back. It reads first, because the machine or another window may have
 * acted. Rejects with `CancelledError` if the request is no longer wanted right before it would leave.
 */
export async function carryOut(
  deps: DestructionDeps,
  account: ActingAccount,
  order: Order,
  {
    by,
    ...sending
  }: {
    /** What decides it, unless that is the caller's command. */
    readonly by?: Actor['kind'];
    readonly signal: AbortSignal;
    readonly isStillWanted: () => Promise<boolean>;
  },
): Promise<CarriedOut> {
  const run = () => carryOutNow(deps, account, order, sending);
  return by === undefined ? run() : actAs({ kind: by }, run);
}

async function carryOutNow(
  deps: DestructionDeps,
  account: ActingAccount,
  { instanceId, action }: Order,
  { signal, isStillWanted }: { readonly signal: AbortSignal; readonly isStillWanted: () => Promise<boolean> },
): Promise<CarriedOut> {
  const before = await readPresence(account.client, instanceId, signal);
  if (before.kind !== 'there') {
    return before.kind === 'doubtful' ? 'notConfirmed' : action === 'destroy' ? 'destroyed' : 'gone';
  }
  return action === 'destroy'
    ? destroyAndVerify(deps, account, instanceId, signal, { isStillWanted })
    : stop(deps, account, before.instance, signal, isStillWanted);
}

async function stop(
  deps: DestructionDeps,
  account: ActingAccount,
  instance: Instance,
  signal: AbortSignal,
  isStillWanted: () => Promise<boolean>,
): Promise<CarriedOut> {
  const { fleet, clock } = deps;
  const sent = isStopped(instance)
    ? undefined
    : await sendPower(deps, account, instance.id, 'stop', { isStillWanted });
  const since = clock.elapsed();
  for (const atMs of checkAtMs) {
    await waitSince(clock, since, atMs, signal);
    const now = await readPresence(account.client, instance.id, signal);
    if (now.kind === 'ended' || (now.kind === 'there' && isStopped(now.instance))) {
      if (sent?.answer === 'lost') {
        sent.turnedOut('done');
      }
      void fleet.refresh().catch(() => undefined);
      return now.kind === 'there' ? 'stopped' : 'gone';
    }
  }
  return 'notConfirmed';
}

/** Returns whether the service intends it to be stopped, even if the container still reports another state. */
function isStopped(instance: Instance): boolean {
  const isStill = instance.actualStatus === 'exited' || instance.actualStatus === 'stopped';
  return instance.intendedStatus === 'stopped' || (isStill && intentOf(instance) === 'stopped');
}
