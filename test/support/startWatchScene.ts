import { createStartWatches } from '../../src/store/rentals/startWatches';
import type { StartEvent } from '../../src/store/rentals/startEvent';
import type { StartWatches } from '../../src/store/rentals/startWatchPort';
import { fromDollars } from '../../src/model/money';
import { silentLog } from '../../src/util/log';
import { anOffer } from './builders';
import { FakeService } from './fakeService';
import { FakeComputer, type FakeWindow } from './fakeWindows';
import { noChecks } from './machineChecks';
import { until } from './until';

export const watchedRequest = {
  offer: anOffer(),
  config: { image: 'pytorch/pytorch' },
  rentalType: 'on-demand' as const,
  priceLimit: fromDollars(0.4),
};

export interface Watching extends FakeWindow {
  readonly readiness: StartWatches;
  readonly events: StartEvent[];
}

/** Windows that watch machines on their way, on a service that does what a test says. */
export function useStartWatches() {
  let service: FakeService;
  let computer: FakeComputer;

  async function open(isFocused = true): Promise<Watching> {
    const window = await computer.openSignedIn();
    const { fleet, focus } = window;
    focus.isFocused = isFocused;
    const readiness = window.owned.add(
      createStartWatches({
        ...window,
        clock: computer.clock,
        log: silentLog,
        storageDir: computer.storageDir,
        limits: () => ({ timeoutMs: 15 * 60_000, checksLogin: false }),
        checks: noChecks,
      }),
    );
    const events: StartEvent[] = [];
    readiness.onDidHappen((event) => events.push(event));
    fleet.setInterest({ viewVisible: true, windowFocused: isFocused });
    await pass('the first list is there', () => fleet.state.kind === 'ready', 1);
    return { ...window, readiness, events };
  }

  /** Lets time pass until something holds; files are written between the steps. */
  const pass = (what: string, holds: () => boolean, stepMs = 5000) =>
    until(
      what,
      async () => {
        await computer.clock.advance(stepMs);
        return holds();
      },
      { everyMs: 2 },
    );
  const change = (actualStatus: string | null, more = {}) => {
    service.instances = service.instances.map((one) => ({ ...one, actualStatus, ...more }));
  };

  beforeEach(async () => {
    service = new FakeService();
    service.offers = [anOffer()];
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  return {
    open,
    pass,
    change,
    get service() {
      return service;
    },
    get computer() {
      return computer;
    },
  };
}
