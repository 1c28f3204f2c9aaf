import { localize, t } from '../../editor/localize';
import { durationOfPastText, shortCost } from '../../editor/pastText';
import { momentText } from '../../editor/timeText';
import { instanceName } from '../../model/instances/instanceLabel';
import { checkText } from '../../model/rentals/machineVerdict';
import type { PastRental } from '../../model/rentals/pastRental';
import type { MachineProofs } from '../../store/rentals/machineProofs';
import { plainLabel } from '../../util/plainLabel';

export function nameOfPast({ instance }: PastRental): string {
  return plainLabel(instanceName(instance));
}

function gpuOf({ instance }: PastRental): string {
  return `${instance.gpuCount ?? 1}× ${plainLabel(instance.gpuName ?? '?')}`;
}

/** Returns the text beside the name: agent, GPU, cost, duration and end. */
export function descriptionOfPast(past: PastRental, now: number): string {
  return [
    past.agent === undefined ? '' : t('by agent'),
    gpuOf(past),
    shortCost(past) ?? '',
    durationOfPastText(past) ?? '',
    momentText(past.endedAt, now),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Returns the outcome of the last check of the machine. */
export function verdictOfPast(
  { instance }: PastRental,
  proofs: Pick<MachineProofs, 'find'>,
): string | undefined {
  const last = proofs.find(instance.id);
  return last && localize(checkText(instance, undefined, last.check));
}
