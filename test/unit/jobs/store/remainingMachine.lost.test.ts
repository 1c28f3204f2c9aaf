import assert from 'node:assert/strict';
import { isAtWork } from '../../../../src/jobs/model/job';
import { phaseText } from '../../../../src/jobs/model/jobText';
import { canReleaseMachine } from '../../../../src/jobs/model/outOfReach';
import { formatText } from '../../../../src/util/text';
import { anOffer } from '../../../support/builders';
import { becomesReady, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aRentedJob, FakeMachine } from '../../../support/jobWindows';
import { anySearch, rentalRequest } from '../../../support/rentalRequest';
import { useFolder } from '../../../support/useFolder';

const minute = 60_000;
const first = 6001;

describe('A lost machine of jobs', () => {
  let { service, computer, machine, window, pass } = {} as JobWindowScene;
  let outputsTo = '';
  let marker = '';

  beforeEach(async () => {
    ({ service, computer, machine, window, pass } = await jobWindowScene(new FakeMachine(), {
      offers: [anOffer()],
    }));
  });
  afterEach(() => computer.dispose());
  useFolder((made) => void (outputsTo = made));

  const count = () => [service.count('offers.rent'), service.count('instances.destroy')];
  const list = async () => {
    await window.fleet.refresh();
    await pass(0);
  };
  const order = () => {
    const job = aRentedJob({ marker }, { retries: { machineLost: 1 } });
    return window.jobs.order({ ...job, outputsTo, workspace: outputsTo }, ['train.py']);
  };

  /** A job that runs on a machine that was rented for it; returns its id. */
  async function run(): Promise<string> {
    let job = '';
    const beforeSent = async (rental: { readonly marker: string }) => {
      marker = rental.marker;
      job = (await order()).id;
    };
    await computer.clock.through(
      window.rentals.rent({ ...rentalRequest, search: anySearch }, { beforeSent }),
    );
    await becomesReady({ service, computer, window }, first);
    assert.equal(window.row(job).state.phase, 'running');
    return job;
  }

  async function goesOffline(): Promise<void> {
    machine.cut((_, when) => when === 'before');
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'offline' }));
    await list();
  }

  it('can be released where its job is stopped while no replacement is found', async () => {
    const job = await run();
    service.offers = [];
    await goesOffline();
    await pass(40 * minute);
    assert.deepEqual([window.row(job).state.trouble?.kind, ...count()], ['notReplaced', 1, 0]);
    await window.jobs.stop(job);
    await pass(10 * minute);
    assert.equal(window.row(job).state.trouble?.kind, 'unreachable');
    assert.equal(formatText(phaseText(window.row(job))), 'machine unreachable, retrying');
    assert.ok(canReleaseMachine(window.row(job)) && isAtWork(window.row(job)));
    await window.jobs.endMachine(job, 'destroy');
    await pass(10 * minute);
    assert.deepEqual([window.row(job).state.outcome, ...count()], ['destroyed', 1, 1]);
  });

  it('is spared for jobs of another computer that another job here has seen there', async () => {
    const job = await run();
    machine.there = [{ id: 'feedfacefeedface01', name: 'eval', isAtWork: false }];
    await pass(15 * minute);
    service.offers = [anOffer({ id: 9003, machineId: 180 })];
    await goesOffline();
    const other = (await order()).id;
    await pass(120 * minute);
    assert.deepEqual(count(), [1, 0]);
    for (const id of [job, other]) {
      const { trouble } = window.row(id).state;
      assert.equal(trouble?.kind, 'notReplaced');
      assert.match(formatText(trouble.why ?? ''), /eval of another computer/);
    }
  });
});
