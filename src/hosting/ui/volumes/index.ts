import type { VolumeTarget } from '../../../commandSpecs';
import { allRows, runCommand } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import { inView, withCancellableProgress } from '../../../editor/progress';
import { defaultQuery } from '../../../model/offers/savedSearches';
import { usualMountPath } from '../../../model/rentals/rentPlan';
import type { Services } from '../../../services';
import { LastRental } from '../../../store/rentals/lastRental';
import { orCancelled } from '../../../util/cancellation';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import { chooseVolumes, readAnew } from './chooseVolumes';
import { cloneVolume, createVolume } from './createVolume';
import { deleteVolumes } from './deleteVolumes';
import { VolumeGroup } from './volumeGroup';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'budget'
  | 'clock'
  | 'fleet'
  | 'volumes'
  | 'globalState'
  | 'trees'
  | 'instanceGroups'
  | 'commands'
  | 'report'
  | 'log'
>;

/**
 * Registers the volumes, which outlive instances: their group below the instances, and the commands that create,
 * clone and delete them.
 */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const group = store.add(new VolumeGroup(deps));
  store.add(deps.instanceGroups.addGroup(group));
  store.add(
    deps.commands.register('gpuRental.refreshVolumes', () =>
      inView('gpuRental.instances', () => group.refresh()),
    ),
  );
  store.add(deps.commands.register('gpuRental.volume.rent', (target) => rentWithVolume(deps, target)));
  store.add(deps.commands.register('gpuRental.volume.create', () => createVolume(deps)));
  store.add(deps.commands.register('gpuRental.volume.clone', (target) => cloneVolume(deps, target)));
  store.add(
    deps.commands.register('gpuRental.volume.delete', (target, selected) =>
      deleteVolumes(deps, allRows(target, selected)),
    ),
  );
  return store;
}

/** Searches the offers of a volume's machine and links the volume to the instance rented there. */
async function rentWithVolume(
  deps: Pick<Services, 'fleet' | 'volumes' | 'globalState'>,
  target: VolumeTarget | undefined,
): Promise<void> {
  const all = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    orCancelled(readAnew(deps), signal),
  );
  const [volume] = await chooseVolumes(deps, all, allRows(target), 'gpuRental.volume.rent');
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
