import { actionsFor, stateLabel, stateOf } from '../model/instances/instanceState';
import type { Services } from '../services';
import { TransferError } from '../ssh/transfer';
import type { Account } from '../store/accounts/accounts';
import { text } from '../util/text';

export type ReachDeps = Pick<Services, 'clock' | 'fleet' | 'machineChecks' | 'ssh'>;

/** Returns the alias of a running instance, after a first login where none was made. Asks nothing. */
export async function reachedAlias(
  { clock, fleet, machineChecks, ssh }: ReachDeps,
  account: Account,
  instanceId: number,
  signal: AbortSignal,
): Promise<string> {
  const alias = ssh.aliasOf(account, instanceId);
  const instance = fleet.find(instanceId);
  const facts = fleet.facts(instanceId);
  // The address of one that does not run may be another renter's.
  if (instance && !actionsFor(instance, facts, clock.now()).canConnect) {
    const state = stateLabel(instance, stateOf(instance, facts, clock.now()));
    throw new TransferError(text('The instance is not running: {0}', state));
  }
  if ((await ssh.entry(alias))?.isProved !== true) {
    await machineChecks.contact(instanceId, signal);
  }
  return alias;
}
