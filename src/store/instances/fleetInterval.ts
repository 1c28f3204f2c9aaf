import { isChanging, stateOf, type InstanceFacts } from '../../model/instances/instanceState';
import { pollIntervalMs } from '../../model/instances/pollPlan';
import type { Loaded } from '../../shared/reading';
import type { FleetSnapshot } from './fleetStore';
import type { RememberedFacts } from './rememberedFacts';

/** A stop usually takes seconds; after this time the instance is polled like any other that changes. */
const freshStopMs = 30_000;

function isFreshStop({ lastRequest }: InstanceFacts, now: number): boolean {
  return lastRequest?.kind === 'stop' && Math.abs(now - lastRequest.at) < freshStopMs;
}

export interface FleetSituation {
  readonly state: Loaded<FleetSnapshot>;
  readonly isSignedIn: boolean;
  /** A rental waits for its outcome. */
  readonly isAwaited: boolean;
  readonly isLookedAt: boolean;
  readonly memory: RememberedFacts;
  readonly now: number;
}

/** Returns the milliseconds between two lists; undefined for never. */
export function fleetIntervalMs(situation: FleetSituation): number | undefined {
  const { state, isSignedIn, isAwaited, isLookedAt, memory, now } = situation;
  const instances = state.kind === 'ready' ? state.value.instances : [];
  const kinds = instances.map((one) => stateOf(one, memory.facts(one.id), now));
  return pollIntervalMs({
    isStopping: instances.some(
      ({ id }, index) => kinds[index] === 'stopping' && isFreshStop(memory.facts(id), now),
    ),
    isSignedIn,
    instances:
      state.kind === 'ready'
        ? { anyChanging: kinds.some(isChanging), anyBilling: kinds.length > 0 }
        : undefined,
    isDoubtful: state.kind === 'ready' && state.value.unconfirmed !== undefined,
    isAwaited: isAwaited || memory.hasOpenDestruction(now),
    isLookedAt,
  });
}
