import { fromDollars } from '../../src/model/money';
import { FailedMachines } from '../../src/store/rentals/failedMachines';
import {
  replaceInstance,
  type ReplaceOptions,
  type ReplaceResult,
} from '../../src/store/rentals/replacement';
import { silentLog } from '../../src/util/log';
import { anOffer } from './builders';
import { FakeService } from './fakeService';
import { FakeComputer, noBudget, type FakeWindow } from './fakeWindows';

export const anySearch = { filters: {}, rentalType: 'on-demand' as const, order: [] };

/** A machine that was rented and failed, and offers that could take its place. */
export function useFailedMachine() {
  let service: FakeService;
  let computer: FakeComputer;
  let window: FakeWindow;
  let machines: FailedMachines;

  beforeEach(async () => {
    service = new FakeService();
    service.offers = [
      anOffer(),
      anOffer({ id: 9002, machineId: 179, totalPerHour: fromDollars(0.41) }),
      anOffer({ id: 9003, machineId: 180, totalPerHour: fromDollars(0.39) }),
      anOffer({ id: 9004, machineId: 181, totalPerHour: fromDollars(0.4) }),
    ];
    computer = await FakeComputer.make(service.client);
    window = await computer.openSignedIn();
    machines = new FailedMachines(computer.storageDir, () => 'account', silentLog);
    await window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch', diskGb: 20, label: 'training', env: { TOKEN: 'secret' } },
      search: anySearch,
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    become('exited');
  });
  afterEach(() => computer.dispose());

  const become = (actualStatus: string | null, more = {}) => {
    service.instances = service.instances.map((one) => ({ ...one, actualStatus, ...more }));
  };

  async function replace(
    options: Partial<ReplaceOptions> = {},
    own = window,
    instanceId = 6001,
  ): Promise<ReplaceResult> {
    const { clock } = computer;
    const deps = { ...own, budget: noBudget, failedMachines: machines, clock, log: silentLog };
    return computer.clock.through(replaceInstance(deps, instanceId, { dataLossAccepted: false, ...options }));
  }

  return {
    become,
    replace,
    get service() {
      return service;
    },
    get computer() {
      return computer;
    },
    get window() {
      return window;
    },
    get machines() {
      return machines;
    },
  };
}
