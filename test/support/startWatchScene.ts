import { fromDollars } from '../../src/model/money';
import type { MachineChecks } from '../../src/store/rentals/checkRuns';
import type { StartEvent } from '../../src/store/rentals/startEvent';
import type { StartWatches } from '../../src/store/rentals/startWatchPort';
import { createStartWatches } from '../../src/store/rentals/startWatches';
import { anOffer } from './builders';
import { computerScene, passUntil, type ComputerScene } from './computerScene';
import type { FakeComputer, FakeWindow } from './fakeWindows';
import { noChecks } from './machineChecks';

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

/** What watches the machines on their way in a window, and what it showed; with checks, a start ends with a login. */
export function watchStarts(
  { clock, log, storageDir }: FakeComputer,
  window: FakeWindow,
  checks?: MachineChecks,
): Pick<Watching, 'readiness' | 'events'> {
  const readiness = window.owned.add(
    createStartWatches({
      ...window,
      ...{ clock, log, storageDir },
      limits: () => ({ timeoutMs: 15 * 60_000, checksLogin: checks !== undefined }),
      checks: checks ?? noChecks,
    }),
  );
  const events: StartEvent[] = [];
  readiness.onDidHappen((event) => events.push(event));
  return { readiness, events };
}

/** Windows that watch machines on their way, on a service that does what a test sets. */
export function useStartWatches() {
  const scene = {} as Pick<ComputerScene, 'service' | 'computer'>;
  async function open(isFocused = true): Promise<Watching> {
    const window = await scene.computer.openSignedIn();
    const { fleet, focus } = window;
    focus.isFocused = isFocused;
    const watching = watchStarts(scene.computer, window);
    fleet.setInterest({ viewVisible: true, windowFocused: isFocused });
    await pass('the first list is there', () => fleet.state.kind === 'ready', 1);
    return { ...window, ...watching };
  }

  const pass = (what: string, holds: () => boolean, stepMs?: number) =>
    passUntil(scene.computer, what, holds, stepMs);
  const change = (actualStatus: string | null, more = {}) => {
    const { service } = scene;
    service.instances = service.instances.map((one) => ({ ...one, actualStatus, ...more }));
  };

  beforeEach(async () => {
    ({ service: scene.service, computer: scene.computer } = await computerScene({ offers: [anOffer()] }));
  });
  afterEach(() => scene.computer.dispose());
  return Object.assign(scene, { open, pass, change });
}
