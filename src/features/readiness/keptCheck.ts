import type { ReadyEvent } from '../../store/rentals/startEvent';
import type { ReadinessDeps } from './deps';

/** Adds the result of the check to an event that another window found, and closed before it was shown. */
export async function withKeptCheck(
  { machineProofs, rentals }: Pick<ReadinessDeps, 'machineProofs' | 'rentals'>,
  event: ReadyEvent,
): Promise<ReadyEvent> {
  const phase = rentals.find(event.instanceId)?.phase;
  if (event.check || phase?.kind !== 'ready') {
    return event;
  }
  await machineProofs.ready;
  const kept = machineProofs.find(event.instanceId);
  return kept && kept.at >= phase.at ? { ...event, check: kept.check } : event;
}
