import assert from 'node:assert/strict';
import { anOffer } from '../../../support/builders';
import { becomesReady, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aRentedJob, CutConnection, FakeMachines } from '../../../support/jobWindows';
import { anySearch, rentalRequest } from '../../../support/rentalRequest';

const minute = 60_000;

describe('Jobs that share a machine that is rented for them', () => {
  let { service, computer, machine: machines, window, pass } = {} as JobWindowScene<FakeMachines>;
  let jobs: string[];

  beforeEach(async () => {
    ({
      service,
      computer,
      machine: machines,
      window,
      pass,
    } = await jobWindowScene(new FakeMachines(), {
      offers: [anOffer(), anOffer({ id: 9003, machineId: 180 })],
    }));
    jobs = [];
    const beforeSent = async ({ marker }: { readonly marker: string }) => {
      for (const success of ['destroy', 'destroy']) {
        const ordered = aRentedJob({ marker }, { whenDone: { success }, retries: { interrupted: 1 } });
        jobs.push((await window.jobs.order(ordered, ['train.py'])).id);
      }
    };
    await computer.clock.through(
      window.rentals.rent({ ...rentalRequest, search: anySearch }, { beforeSent }),
    );
    await becomesReady({ service, computer, window }, 6001);
    await pass(15_000);
  });
  afterEach(() => computer.dispose());

  const phases = () => jobs.map((job) => window.row(job).state.phase);
  const [first, second] = [() => jobs[0] ?? '', () => jobs[1] ?? ''];

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
        if (when === 'before') {
          throw new CutConnection();
        }
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
      if (call === 'fetch' && when === 'before') {
        throw new CutConnection();
      }
    };
    await pass(minute);
    for (const job of jobs) {
      machines.of(job).trouble = (_, when) => {
        if (when === 'before') {
          throw new CutConnection();
        }
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
