import type { InstanceStateKind } from '../instances/instanceState';

/** Why a job goes on elsewhere; each has its count in `retries`. */
export type LossCause = 'interrupted' | 'machineLost';

/** A host that is away for less than this may come back with all that ran. */
const awayMs = 30 * 60_000;
/** The service says that nothing runs there; a bid may win again. */
const pausedMs = 5 * 60_000;

/** What became of a machine that has not answered for so long, and that is meant to run. */
export function lossOf(kind: InstanceStateKind, silentMs: number): LossCause | undefined {
  if (kind === 'exited' || kind === 'outbid') {
    return silentMs >= pausedMs ? 'interrupted' : undefined;
  }
  const isAway = kind === 'offline' || kind === 'unknown';
  return isAway && silentMs >= awayMs ? 'machineLost' : undefined;
}
