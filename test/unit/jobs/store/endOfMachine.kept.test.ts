import assert from 'node:assert/strict';
import { anOffer } from '../../../support/builders';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { aJob, FakeMachine, FakeMachines, openJobWindow } from '../../../support/jobWindows';
import { rentalRequest } from '../../../support/rentalRequest';

const minute = 60_000;
const rentedId = 6001;

describe('A machine that a job rented and keeps', () => {
  let computer: FakeComputer;
  beforeEach(async () => {
    const service = new FakeService();
    service.offers = [anOffer()];
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  it('still stops by itself while a later job runs there, whose end decides', async () => {
    const guard = new FakeMachine();
    const machines = Object.assign(new FakeMachines(), { guard: guard.guard });
    const window = await openJobWindow(computer, new FakeJobDisk(), machines);
    const pass = (ms: number) => computer.clock.advance(ms);
    const { spec, ...wanted } = aJob(undefined, { whenDone: { success: 'keep' } });
    let first = '';
    const beforeSent = async ({ marker }: { readonly marker: string }) => {
      const order = { ...wanted, spec, ends: spec.rentedEnds, rental: { marker } };
      first = (await window.jobs.order(order, [])).id;
    };
    await computer.clock.through(window.rentals.rent(rentalRequest, { beforeSent }));
    await window.rentals.update(window.rentals.find(rentedId)?.marker ?? '', {
      phase: { kind: 'ready', instanceId: rentedId, at: computer.clock.now() },
    });
    await pass(5_000);
    const later = (await window.jobs.order(aJob(rentedId), [])).id;
    await pass(minute);
    machines.of(first).ends({ code: 0, why: 'itself' });
    machines.of(later).phase = 'running';
    await pass(10 * minute);
    const phases = [first, later].map((job) => window.row(job).state.phase);
    assert.deepEqual(phases, ['releasing', 'running']);
    assert.notEqual(guard.guardSeconds, undefined);
    machines.of(later).ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    const outcomes = [first, later].map((job) => window.row(job).state.outcome);
    assert.deepEqual([...outcomes, guard.guardSeconds], ['kept', 'kept', undefined]);
  });
});
