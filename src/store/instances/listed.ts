import type { Instance } from '../../model/instances/instance';
import type { Fleet, FleetSnapshot } from '../ports';

/**
 * The instances as last read. Where nothing is known yet, or nothing good, they are read now, and it rejects with
 * the reason when that fails: an error is not "none". `whileReading` may show that it takes a while, or end it.
 */
export async function listedInstances(
  fleet: Pick<Fleet, 'state' | 'refresh'>,
  whileReading: (work: Promise<void>) => Promise<void> = (work) => work,
): Promise<readonly Instance[]> {
  const before = fleet.state;
  if (before.kind !== 'ready' || (before.error !== undefined && before.value.instances.length === 0)) {
    await whileReading(fleet.refresh());
  }
  const { state } = fleet;
  if (state.kind === 'failed') {
    throw state.error;
  }
  return state.kind === 'ready' ? state.value.instances : [];
}

/** Whether what is missing from a list is gone. */
export function isComplete(snapshot: FleetSnapshot): boolean {
  return snapshot.missing === undefined && snapshot.skipped === 0;
}
