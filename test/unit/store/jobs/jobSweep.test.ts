import assert from 'node:assert/strict';
import { anOffer } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { aJob, CutConnection, FakeMachines, openJobWindow } from '../../../support/jobWindows';
import { rentalRequest } from '../../../support/rentalRequest';

const minute = 60_000;

describe('Jobs that share a machine that is rented for them', () => {
  let service: FakeService;
  let computer: FakeComputer;
  let machines: FakeMachines;
  let window: Awaited<ReturnType<typeof openJobWindow>>;
  let jobs: string[];

  beforeEach(async () => {
    service = new FakeService();
    service.offers = [anOffer(), anOffer({ id: 9003, machineId: 180 })];
    machines = new FakeMachines();
    computer = await FakeComputer.make(service.client);
    window = await openJobWindow(computer, new FakeJobDisk(), machines);
    jobs = [];
    const beforeSent = async ({ marker }: { readonly marker: string }) => {
      for (const success of ['destroy', 'destroy']) {
        const { spec, ...wanted } = aJob(undefined, {
          whenDone: { success },
          retries: { interrupted: 1 },
        });
        const ordered = { ...wanted, spec, ends: spec.rentedEnds, rental: { marker } };
        jobs.push((await window.jobs.order(ordered, ['train.py'])).id);
      }
    };
    const search = { filters: {}, rentalType: 'on-demand' as const, order: [] };
    await computer.clock.through(window.rentals.rent({ ...rentalRequest, search }, { beforeSent }));
    await getsReady(6001);
  });
  afterEach(() => computer.dispose());

  const pass = (ms: number) => computer.clock.advance(ms);
  const phases = () => jobs.map((job) => window.row(job).state.phase);
  const [first, second] = [() => jobs[0] ?? '', () => jobs[1] ?? ''];

  async function getsReady(id: number): Promise<void> {
    const marker = window.rentals.find(id)?.marker ?? '';
    await window.rentals.update(marker, {
      phase: { kind: 'ready', instanceId: id, at: computer.clock.now() },
    });
    service.instances = service.instances.map((one) => (one.id === id ? { ...one, uptimeMinutes: 9 } : one));
    await window.fleet.refresh();
    await pass(20_000);
  }

  it('are sent in turn, and the machine ends with the last of them', async () => {
    assert.deepEqual(phases(), ['running', 'waiting']);
    assert.deepEqual(machines.of(second()).orders.at(-1)?.after, [`${first()}01`]);
    machines.of(first()).ends({ code: 0, why: 'itself' });
    machines.of(second()).phase = 'running';
    await pass(5 * minute);
    assert.equal(service.count('instances.destroy'), 0);
    machines.of(second()).ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual(phases(), ['over', 'over']);
    assert.deepEqual([service.count('offers.rent'), service.count('instances.destroy')], [1, 1]);
  });

  it('go on together, on one other machine, where theirs is lost', async () => {
    for (const job of jobs) {
      machines.of(job).trouble = (_, when) => {
        if (when === 'before') throw new CutConnection();
      };
    }
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'exited' }));
    await window.fleet.refresh();
    await pass(20 * minute);
    assert.deepEqual(
      jobs.map((job) => window.row(job).state.machine?.instanceId),
      [6002, 6002],
    );
    assert.deepEqual([service.count('offers.rent'), service.count('instances.destroy')], [2, 1]);
  });

  it('keep the old machine while the outputs of one of them are only there', async () => {
    machines.of(first()).ends({ code: 0, why: 'itself' });
    machines.of(first()).trouble = (call, when) => {
      if (call === 'fetch' && when === 'before') throw new CutConnection();
    };
    await pass(minute);
    for (const job of jobs) {
      machines.of(job).trouble = (_, when) => {
        if (when === 'before') throw new CutConnection();
      };
    }
    machines.of(second()).phase = 'running';
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'exited' }));
    await window.fleet.refresh();
    await pass(30 * minute);
    assert.deepEqual([service.count('offers.rent'), service.count('instances.destroy')], [1, 0]);
    assert.equal(window.row(second()).state.trouble?.kind, 'notReplaced');
  });
});
