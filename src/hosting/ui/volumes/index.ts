import { allRows } from '../../../editor/commands';
import { inView } from '../../../editor/progress';
import type { Services } from '../../../services';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { deleteVolumes } from './deleteVolumes';
import { rentWithVolume } from './rentWithVolume';
import { VolumeGroup } from './volumeGroup';

type Deps = Pick<
  Services,
  | 'accounts'
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
 * Registers the volumes, which outlive instances: their group below the instances, and the command that deletes them.
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
  store.add(
    deps.commands.register('gpuRental.volume.delete', (target, selected) =>
      deleteVolumes(deps, allRows(target, selected)),
    ),
  );
  return store;
}
