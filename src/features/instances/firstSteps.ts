import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'contextKeys' | 'fleet' | 'presence' | 'rentals'>;

const steps = ['gpuRental.done.rent', 'gpuRental.done.connect', 'gpuRental.done.stop'] as const;

/**
 * Ticks the steps of the walkthrough when they are done, whether by a message, a row, a terminal or in another window.
 */
export function tellFirstSteps({ contextKeys, fleet, presence, rentals }: Deps): Disposable {
  const store = new DisposableStore();
  const look = () => {
    const { state } = fleet;
    const instances = state.kind === 'ready' ? state.value.instances : [];
    const done: Readonly<Record<(typeof steps)[number], boolean>> = {
      'gpuRental.done.rent': rentals.rentals.some(({ phase }) => 'instanceId' in phase),
      'gpuRental.done.connect': presence.isAnyUsed,
      'gpuRental.done.stop': instances.some(({ id }) => {
        const request = fleet.facts(id).lastRequest;
        return request?.isAccepted === true && (request.kind === 'stop' || request.kind === 'destroy');
      }),
    };
    // A completed step stays ticked, for example _Stop_ after the instance started again.
    for (const key of steps) {
      if (done[key]) {
        contextKeys.set(key, true);
      }
    }
  };
  store.add(fleet.onDidChange(look));
  store.add(presence.onDidChange(look));
  store.add(rentals.onDidChange(look));
  look();
  return store;
}
