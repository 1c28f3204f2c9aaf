import type { Services } from '../../services';
import type { Loaded } from '../../shared/reading';
import type { FleetSnapshot } from '../../store/instances/fleetStore';

/**
 * Returns the number of instances; `undefined` if the list could not be read, because an error is not an empty list.
 */
export function instanceCount(state: Loaded<FleetSnapshot>): number | undefined {
  const count = state.kind === 'ready' ? state.value.instances.length : undefined;
  return count === 0 && state.kind === 'ready' && state.error !== undefined ? undefined : count;
}

export function hasOpenRental({ rentals }: Pick<Services, 'rentals'>): boolean {
  return rentals.rentals.some(({ phase }) => phase.kind === 'sent' || phase.kind === 'notKnown');
}
