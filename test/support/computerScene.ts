import { FakeService } from './fakeService';
import { FakeComputer } from './fakeWindows';
import { until } from './until';

/** What a service has at first. */
export type ServiceStart = Partial<Pick<FakeService, 'instances' | 'offers'>>;

/** A computer and the service that its windows talk to. */
export async function computerScene({ instances = [], offers = [] }: ServiceStart = {}) {
  const service = new FakeService();
  service.instances = [...instances];
  service.offers = [...offers];
  const computer = await FakeComputer.make(service.client);
  const pass = (ms: number) => computer.clock.advance(ms);
  const through = <T>(work: Promise<T>, stepMs?: number) => computer.clock.through(work, stepMs);
  return { service, computer, pass, through };
}
export type ComputerScene = Awaited<ReturnType<typeof computerScene>>;

/** The same with a window in which the user is signed in. */
export async function windowScene(start?: ServiceStart) {
  const scene = await computerScene(start);
  return { ...scene, window: await scene.computer.openSignedIn() };
}
export type WindowScene = Awaited<ReturnType<typeof windowScene>>;

/** Lets time pass until something holds; files are written between the steps. */
export function passUntil(
  { clock }: Pick<FakeComputer, 'clock'>,
  what: string,
  holds: () => boolean,
  stepMs = 5000,
): Promise<true> {
  return until(
    what,
    async () => {
      await clock.advance(stepMs);
      return holds();
    },
    { everyMs: 2 },
  );
}
