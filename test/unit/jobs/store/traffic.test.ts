import assert from 'node:assert/strict';
import { isOver } from '../../../../src/jobs/model/job';
import { jobCost } from '../../../../src/jobs/model/jobLimits';
import { fromDollars, toDollars } from '../../../../src/model/money';
import { anInstance } from '../../../support/builders';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { aJob, FakeMachine, openJobWindow } from '../../../support/jobWindows';

const minute = 60_000;
const id = 5001;

describe('Traffic that its host charges for', () => {
  let computer: FakeComputer;
  let machine: FakeMachine;
  let window: Awaited<ReturnType<typeof openJobWindow>>;
  beforeEach(async () => {
    const service = new FakeService();
    const instance = anInstance({ id, actualStatus: 'running', intendedStatus: 'running' });
    const prices = { inetDownPerGb: fromDollars(0.02), inetUpPerGb: fromDollars(0.05) };
    service.instances = [{ ...instance, ...prices }];
    machine = new FakeMachine();
    computer = await FakeComputer.make(service.client);
    window = await openJobWindow(computer, new FakeJobDisk(), machine);
  });
  afterEach(() => computer.dispose());

  it('counts toward the dollars of a job: what is sent, checkpoints and outputs', async () => {
    machine.movedBytes = 50e9;
    machine.checkpointThere = ['outputs/last.ckpt'];
    const fields = {
      limits: { hours: 6, costDollars: 6 },
      ...{ checkpoints: ['outputs/last.ckpt'], fetchMinutes: 10 },
    };
    const { id: job } = await window.jobs.order(aJob(id, fields), []);
    const row = () => window.row(job);
    const cost = () => toDollars(jobCost(row(), computer.clock.now()) ?? fromDollars(0));
    await computer.clock.advance(minute);
    // A dollar of six was spent to send the files, the machine costs $1.00/h, and it has two minutes to end the script.
    const sentFor = (row().state.limitSeconds ?? 0) / 3600;
    assert.ok(sentFor > 4.9 && sentFor < 5, String(sentFor));
    machine.movedBytes = 20e9;
    await computer.clock.advance(12 * minute);
    // Another dollar for the checkpoint: the machine is told that it has less time.
    const left = (machine.limitSeconds ?? 0) / 3600;
    assert.ok(left > 3.9 && left < 4, String(left));
    machine.movedBytes = 10e9;
    machine.ends({ code: 0, why: 'itself' });
    await computer.clock.advance(minute);
    assert.ok(isOver(row()));
    assert.ok(cost() > 2.7 && cost() < 2.8, String(cost()));
  });
});
