import assert from 'node:assert/strict';
import { ForbiddenError, RefusedError } from '../../src/api/errors';
import type { EarningsReport } from '../../src/api/records/earnings';
import { useClients } from '../support/apiClient';
import { describeFailures } from '../support/failureMatrix';
import { useSimulators, type TestSimulator } from '../support/startSimulator';

const prepare = (simulator: TestSimulator) => Promise.resolve(simulator.world.accounts[0]?.id ?? 0);
const today = (simulator: TestSimulator) => Math.floor(simulator.world.now() / 86_400);

describeFailures({
  name: 'earnings.report',
  method: 'GET',
  path: '/api/v0/users/{user_id}/machine-earnings/',
  repeat: 'read',
  prepare,
  call: (client, id, options) => client.earnings.report(id, { lastDays: 7 }, options),
  succeeds: (result, simulator, id) => {
    const report = result as EarningsReport;
    assert.equal(report.perDay.length, 7);
    assert.equal(report.perDay.at(-1)?.day, today(simulator));
    assert.ok(report.perMachine.length >= 2);
    const sum = report.perDay.reduce((total, day) => total + (day.gpu ?? 0), 0);
    assert.ok(sum > 0 && Math.abs(sum - (report.summary.gpu ?? 0)) < 5000, 'days add up to the summary');
    assert.equal(report.person['email'], 'ada@example.com');
    const sent = simulator.received('GET').at(-1);
    assert.equal(sent?.path, `/api/v0/users/${id}/machine-earnings/`);
    assert.deepEqual(sent.query, { last_days: '7' });
  },
  refusals: [{ status: 400, msg: 'Wrong day.', error: RefusedError, message: /Wrong day/, nextStep: 'none' }],
});

describe('earnings', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('are reported for a span of days and one machine', async () => {
    const { simulator, client } = await clients.start();
    const id = await prepare(simulator);
    const endDay = today(simulator) - 2;
    const all = await client.earnings.report(id, { startDay: endDay - 3, endDay });
    assert.deepEqual(
      all.perDay.map((day) => day.day),
      [endDay - 3, endDay - 2, endDay - 1, endDay],
    );
    const machineId = all.perMachine[0]?.machineId ?? 0;
    const one = await client.earnings.report(id, { startDay: endDay - 3, endDay, machineId });
    assert.deepEqual(one.perMachine, [all.perMachine[0]]);
    assert.deepEqual(simulator.received('GET').at(-1)?.query, {
      sday: String(endDay - 3),
      eday: String(endDay),
      machid: String(machineId),
    });
    const again = await client.earnings.report(id, { startDay: endDay - 3, endDay });
    assert.deepEqual(again, all, 'the past does not change');
  });

  it('belong to their account', async () => {
    const { simulator, client } = await clients.start();
    await assert.rejects(client.earnings.report(1, {}), ForbiddenError);
    await assert.rejects(
      client.earnings.report(await prepare(simulator), { startDay: 20, endDay: 10 }),
      RefusedError,
    );
  });

  it('accept the shapes of the public command-line client', async () => {
    const simulator = await simulators.start();
    const end = today(simulator);
    const query = `owner=me&sday=${end - 2}.0&eday=${end}.0&machid=null`;
    const answer = await simulator.call('GET', `/api/v0/users/me/machine-earnings?${query}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.json.per_day.length, 3);
    const wrong = await simulator.call('GET', '/api/v0/users/current/machine-earnings/?sday=x');
    assert.deepEqual(wrong.json, { success: false, msg: 'sday must be a number of days.' });
  });

  it('are shown as unknown where the report lacks them', async () => {
    const { simulator, client } = await clients.start();
    simulator.fail({
      kind: 'answer',
      path: '/api/v0/users/*',
      body: { per_day: [{ day: 1 }, { day: 'x' }] },
    });
    assert.deepEqual(await client.earnings.report(await prepare(simulator), {}), {
      summary: {},
      perMachine: [],
      perDay: [{ day: 1 }],
      person: {},
      skipped: 1,
    });
  });
});
