import { anInstance } from './builders';
import { computerScene, type ComputerScene, type ServiceStart } from './computerScene';
import { FakeJobDisk } from './fakeJobDisk';
import { aJob, openJobWindow, type FakeMachine } from './jobWindows';

type Machine = Parameters<typeof openJobWindow>[2];

export interface JobsScene<M = FakeMachine> extends ComputerScene {
  readonly disk: FakeJobDisk;
  readonly machine: M;
  readonly open: () => ReturnType<typeof openJobWindow>;
}
export interface JobWindowScene<M = FakeMachine> extends JobsScene<M> {
  readonly window: Awaited<ReturnType<typeof openJobWindow>>;
}

/** A computer that carries out jobs on this machine; the service has instance 5001, which runs. */
export async function jobsScene<M extends Machine>(
  machine: M,
  start: ServiceStart = { instances: [anInstance()] },
): Promise<JobsScene<M>> {
  const scene = await computerScene(start);
  const disk = new FakeJobDisk();
  return { ...scene, disk, machine, open: () => openJobWindow(scene.computer, disk, machine) };
}

/** The same with one window that is open. */
export async function jobWindowScene<M extends Machine>(
  machine: M,
  start?: ServiceStart,
): Promise<JobWindowScene<M>> {
  const scene = await jobsScene(machine, start);
  return { ...scene, window: await scene.open() };
}

/** The rental of an instance is ready, and the list says so for some minutes. */
export async function becomesReady(
  { service, computer, window }: Pick<JobWindowScene, 'service' | 'computer' | 'window'>,
  instanceId: number,
): Promise<void> {
  const { clock } = computer;
  const marker = window.rentals.find(instanceId)?.marker ?? '';
  await window.rentals.update(marker, { phase: { kind: 'ready', instanceId, at: clock.now() } });
  service.instances = service.instances.map((one) =>
    one.id === instanceId ? { ...one, uptimeMinutes: 9 } : one,
  );
  await window.fleet.refresh();
  await clock.advance(5_000);
}

/** Orders a job for instance 5001 and lets it begin; returns its id. */
export async function beginJob(
  { clock }: ComputerScene['computer'],
  { jobs }: JobWindowScene['window'],
  fields?: Parameters<typeof aJob>[1],
): Promise<string> {
  const { id } = await jobs.order(aJob(5001, fields), []);
  await clock.advance(0);
  return id;
}
