import type { Instance } from './instance';
import { billingOf, stateOf, type InstanceFacts, type InstanceStateKind } from './instanceState';

/** Why a window that is connected to an instance stopped working. */
export type WindowTrouble = 'stopped' | 'destroyed' | 'outbid' | 'exited' | 'unknown' | 'offline' | 'moved';

type StateTrouble = Exclude<WindowTrouble, 'destroyed' | 'moved'>;

const troubles: Readonly<Partial<Record<InstanceStateKind, StateTrouble>>> = {
  stopped: 'stopped',
  outbid: 'outbid',
  exited: 'exited',
  gaveUp: 'exited',
  unknown: 'unknown',
  offline: 'offline',
};

/**
 * Returns what happened to the machine of a window. `instance` is undefined if a complete list lacks it. Returns
 * nothing while the instance changes from one state to another.
 */
export function windowTroubleOf(
  instance: Instance | undefined,
  facts: InstanceFacts,
  now: number,
): StateTrouble | 'destroyed' | undefined {
  if (instance === undefined) {
    return 'destroyed';
  }
  const kind = stateOf(instance, facts, now);
  // Beside a contract that runs, a container may report its end and still work.
  return kind === 'exited' && billingOf(instance, kind) === 'running' ? undefined : troubles[kind];
}
