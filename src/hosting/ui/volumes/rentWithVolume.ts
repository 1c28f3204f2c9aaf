import type { VolumeTarget } from '../../../commandArguments';
import { allRows, runCommand } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import { withCancellableProgress } from '../../../editor/progress';
import { defaultQuery } from '../../../model/offers/savedSearches';
import { usualMountPath } from '../../../model/rentals/rentPlan';
import type { Services } from '../../../services';
import { LastRental } from '../../../store/rentals/lastRental';
import { orCancelled } from '../../../util/cancellation';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import { chooseVolumes, readAnew } from './chooseVolumes';

/** Searches the offers of a volume's machine and links the volume to the instance rented there. */
export async function rentWithVolume(
  deps: Pick<Services, 'fleet' | 'volumes' | 'globalState'>,
  target: VolumeTarget | undefined,
): Promise<void> {
  const all = await withCancellableProgress(t('Reading the volumes…'), (signal) =>
    orCancelled(readAnew(deps), signal),
  );
  const [volume] = await chooseVolumes(deps, all, allRows(target), t('Rent with which volume?'));
  if (!volume) {
    return;
  }
  const { id, machineId } = volume;
  if (machineId === undefined) {
    throw new UserError(
      text("The service does not report this volume's machine, so its offers can't be searched."),
    );
  }
  await runCommand('gpuRental.searchFor', {
    title: t('Search Offers on Machine {0}', machineId),
    // A volume stays on its machine, so no other filter of the search applies.
    query: {
      ...defaultQuery,
      diskGb: new LastRental(deps.globalState).diskGb ?? defaultQuery.diskGb,
      filters: { rentable: true, machine: { oneOf: [String(machineId)] } },
    },
    // The user may change the filters and pick an offer of another machine.
    choices: { volume: { kind: 'link', volumeId: id, machineId, mountPath: usualMountPath } },
  });
}
