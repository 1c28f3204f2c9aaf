import { fromDollars } from '../../src/model/money';
import { FailedMachines } from '../../src/store/rentals/failedMachines';
import {
  replaceInstance,
  type ReplaceOptions,
  type ReplaceResult,
} from '../../src/store/rentals/replacement';
import { anOffer } from './builders';
import { windowScene, type WindowScene } from './computerScene';
import { noBudget } from './fakeWindows';
import { anySearch } from './rentalRequest';

/** A machine that was rented and failed, and offers that could take its place. */
export function useFailedMachine() {
  const scene = {} as WindowScene & { machines: FailedMachines };

  beforeEach(async () => {
    Object.assign(
      scene,
      await windowScene({
        offers: [
          anOffer(),
          anOffer({ id: 9002, machineId: 179, totalPerHour: fromDollars(0.41) }),
          anOffer({ id: 9003, machineId: 180, totalPerHour: fromDollars(0.39) }),
          anOffer({ id: 9004, machineId: 181, totalPerHour: fromDollars(0.4) }),
        ],
      }),
    );
    scene.machines = new FailedMachines(scene.computer.storageDir, () => 'account', scene.computer.log);
    await scene.window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch', diskGb: 20, label: 'training', env: { TOKEN: 'secret' } },
      search: anySearch,
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    become('exited');
  });
  afterEach(() => scene.computer.dispose());

  const become = (actualStatus: string | null, more = {}) => {
    const { service } = scene;
    service.instances = service.instances.map((one) => ({ ...one, actualStatus, ...more }));
  };

  async function replace(
    options: Partial<ReplaceOptions> = {},
    own = scene.window,
    instanceId = 6001,
  ): Promise<ReplaceResult> {
    const { clock } = scene.computer;
    const deps = { ...own, budget: noBudget, failedMachines: scene.machines, clock, log: scene.computer.log };
    return clock.through(replaceInstance(deps, instanceId, { dataLossAccepted: false, ...options }));
  }

  return Object.assign(scene, { become, replace });
}
