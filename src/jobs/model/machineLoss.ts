import type { InstanceStateKind } from '../../model/instances/instanceState';

/** Why a job continues on another machine; each cause has its own count in `retries`. */
export type LossCause = 'interrupted' | 'machineLost';

/** A host that is unreachable for less than this may come back with everything still running (ms). */
const awayMs = 30 * 60_000;
/** After this time without running, a machine counts as interrupted (ms); until then a bid may win again. */
const pausedMs = 5 * 60_000;

/** Returns why a job leaves a machine that should run but is silent for `silentMs`; `undefined` if it stays. */
export function lossOf(kind: InstanceStateKind, silentMs: number): LossCause | undefined {
  if (kind === 'exited' || kind === 'outbid') {
    return silentMs >= pausedMs ? 'interrupted' : undefined;
  }
  const isAway = kind === 'offline' || kind === 'unknown';
  return isAway && silentMs >= awayMs ? 'machineLost' : undefined;
}
