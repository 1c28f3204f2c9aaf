import type { Instance } from './instance';
import { stateOf, type InstanceFacts, type InstanceStateKind } from './instanceState';

/** Why a window that is connected to an instance does not work any more. */
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
 * What became of the machine of a window. `instance` is undefined where a complete list does not hold it any more.
 * States between two others say nothing yet.
 */
export function windowTroubleOf(
  instance: Instance | undefined,
  facts: InstanceFacts,
  now: number,
): StateTrouble | 'destroyed' | undefined {
  return instance === undefined ? 'destroyed' : troubles[stateOf(instance, facts, now)];
}
