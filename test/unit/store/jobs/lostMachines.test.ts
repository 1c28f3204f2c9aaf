import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAtWork } from '../../../../src/model/jobs/job';
import { phaseText } from '../../../../src/model/jobs/jobWords';
import { canReleaseMachine } from '../../../../src/model/jobs/outOfReach';
import { formatText } from '../../../../src/util/text';
import { anOffer } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { aJob, CutConnection, FakeMachine, openJobWindow } from '../../../support/jobWindows';
import { rentalRequest } from '../../../support/rentalRequest';

const minute = 60_000;
const first = 6001;

describe('A lost machine of jobs', () => {
  let service: FakeService;
  let computer: FakeComputer;
  let machine: FakeMachine;
  let window: Awaited<ReturnType<typeof openJobWindow>>;
  let outputsTo = '';
  let marker = '';

  beforeEach(async () => {
    service = new FakeService();
    service.offers = [anOffer()];
    machine = new FakeMachine();
    outputsTo = mkdtempSync(join(tmpdir(), 'gr-lost-'));
    computer = await FakeComputer.make(service.client);
    window = await openJobWindow(computer, new FakeJobDisk(), machine);
  });
  afterEach(async () => {
    rmSync(outputsTo, { recursive: true, force: true });
    await computer.dispose();
  });

  const pass = (ms: number) => computer.clock.advance(ms);
  const count = () => [service.count('offers.rent'), service.count('instances.destroy')];
  const list = async () => {
    await window.fleet.refresh();
    await pass(0);
  };
  const order = async () => {
    const { spec, ...wanted } = aJob(undefined, { retries: { machineLost: 1 } });
    const ends = spec.rentedEnds;
    return window.jobs.order({ ...wanted, spec, outputsTo, ends, rental: { marker } }, ['train.py']);
  };

  /** A job that runs on a machine that was rented for it; returns its id. */
  async function run(): Promise<string> {
    let job = '';
    const beforeSent = async (rental: { readonly marker: string }) => {
      marker = rental.marker;
      job = (await order()).id;
    };
    const search = { filters: {}, rentalType: 'on-demand' as const, order: [] };
    await computer.clock.through(window.rentals.rent({ ...rentalRequest, search }, { beforeSent }));
    const ready = { kind: 'ready' as const, instanceId: first, at: computer.clock.now() };
    await window.rentals.update(marker, { phase: ready });
    service.instances = service.instances.map((one) => ({ ...one, uptimeMinutes: 9 }));
    await list();
    await pass(5_000);
    assert.equal(window.row(job).state.phase, 'running');
    return job;
  }

  async function goesOffline(): Promise<void> {
    machine.trouble = (_, when) => {
      if (when === 'before') throw new CutConnection();
    };
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
