import assert from 'node:assert/strict';
import { addBrokenRecord } from '../../support/brokenRecord';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

interface Deployment {
  readonly id: number;
  readonly name: string;
  readonly endpoint_state: string;
}

const anyMachine = '/api/v0/machines/*';
const machine = /^#\d+/;

describe('hosting and serverless', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const hosting = () => window.view('hosting');
  const sent = (method: string, path: RegExp) => computer().simulator.received(method, path);
  const bids = () => sent('PUT', /^\/api\/v0\/machines\/\d+\/minbid\/$/);
  const plans = () => sent('PUT', /^\/api\/v0\/machines\/\d+\/dnotify$/);

  before(async () => {
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  afterEach(() => {
    computer().simulator.faults.clear();
    window.clearToasts();
  });

  async function bid(price: string): Promise<void> {
    await hosting().menu(machine, 'Set Minimum Bid…');
    await window.quick.title(/Minimum Bid of Machine/);
    await window.quick.type(price);
  }

  async function plan(start: string, hours: string, category: string, reason: string): Promise<void> {
    await hosting().menu(machine, 'Schedule Maintenance…');
    for (const [title, typed] of [
      [/Start/, start],
      [/Duration/, hours],
    ] as const) {
      await window.quick.title(title);
      await window.quick.type(typed);
    }
    await window.quick.title(/Kind/);
    await window.quick.pick(category);
    await window.quick.title(/Reason/);
    await window.quick.type(reason);
  }

  async function activeDeployment(): Promise<Deployment> {
    const { json } = await computer().simulator.call('GET', '/api/v0/deployments/');
    const [active] = (json.deployments as Deployment[]).filter((each) => each.endpoint_state === 'active');
    assert.ok(active, 'a deployment is active');
    return active;
  }

  it('shows each machine of an account that hosts, with its price and what is rented', async () => {
    const { json } = await computer().simulator.call('GET', '/api/v0/machines/');
    const machines = json.machines as readonly { readonly id: number }[];
    assert.ok(machines.length > 0);
    await hosting().row(machine);
    const texts = await hosting().texts();
    assert.deepEqual(
      texts.map((text) => /^#(\d+)/.exec(text)?.[1]),
      machines.map(({ id }) => String(id)),
    );
    for (const text of texts) {
      assert.match(text, /\d× .* \$\d+\.\d+\/h · \d of \d rented$/);
    }
    assert.match(await hosting().tooltip(machine), /Minimum bid\*\*: \\\$\d+\\\.\d+ an hour per GPU/);
  });

  it('sets a minimum bid and shows what the service accepted', async () => {
    await hosting().menu(machine, 'Set Minimum Bid…');
    await window.quick.title(/Minimum Bid of Machine/);
    await window.quick.type('abc', { enter: false });
    await window.quick.message('Enter dollars an hour');
    await window.quick.enter();
    assert.deepEqual(bids(), []);
    await window.quick.type('0.21');
    await window.toast(/accepts bids from \$0\.210 an hour/);
    assert.deepEqual(
      bids().map(({ body }) => body),
      [{ price: 0.21 }],
    );
  });

  it('sends nothing when the box is left', async () => {
    const before = bids().length;
    await hosting().menu(machine, 'Set Minimum Bid…');
    await window.quick.title(/Minimum Bid of Machine/);
    window.quick.escape();
    await computer().rest();
    assert.equal(bids().length, before);
    assert.deepEqual(window.toasts(), []);
  });

  for (const [status, error, sentence] of [
    [403, 'not_authorized', /Because of not_authorized\./],
    [404, 'not_found', /does not know what was asked for/],
    [422, 'invalid_args', /Because of invalid_args\./],
  ] as const) {
    it(`shows the reason when the service refuses a bid with ${status}, and sends it once`, async () => {
      const { simulator } = computer();
      const before = bids().length;
      simulator.fail({
        kind: 'error',
        method: 'PUT',
        path: anyMachine,
        status,
        error,
        msg: `Because of ${error}.`,
      });
      await bid('0.3');
      assert.equal((await window.toast(sentence)).kind, 'error');
      assert.equal(bids().length, before + 1);
    });
  }

  for (const [how, fault] of [
    ['lost', { kind: 'dropAfter' }],
    ['a page of HTML', { kind: 'html500', after: true }],
    ['cut off', { kind: 'cutOff' }],
  ] as const) {
    it(`reports that it is unconfirmed whether a bid was set when the answer is ${how}, and does not repeat it`, async () => {
      const before = bids().length;
      computer().simulator.fail({ ...fault, method: 'PUT', path: anyMachine });
      await bid('0.31');
      await window.toast(/the minimum bid of machine #\d+ may have changed/);
      assert.equal(bids().length, before + 1);
    });
  }

  it('waits as long as the rate limit asks and then sends the bid again', async () => {
    const { simulator, clock } = computer();
    const before = bids().length;
    const since = clock.elapsed();
    simulator.fail({ kind: 'rateLimit', method: 'PUT', path: anyMachine, threshold: 15 });
    await bid('0.25');
    await window.toast(/accepts bids from \$0\.250 an hour/);
    assert.equal(bids().length, before + 2);
    assert.ok(clock.elapsed() - since >= 15_000);
  });

  it('schedules maintenance in UTC on the path without a final slash', async () => {
    await hosting().menu(machine, 'Schedule Maintenance…');
    await window.quick.title(/Start/);
    await window.quick.type('2020-01-01 10:00', { enter: false });
    await window.quick.message('past');
    window.quick.escape();
    await plan('2031-05-06 07:30', '1.5', 'Power', 'New power supply');
    assert.match((await window.dialog()).detail ?? '', /UTC/);
    assert.deepEqual(plans(), []);
    await window.dialogButton('Schedule and Notify');
    await window.toast(/is scheduled\. Renters notified: \d+/);
    assert.deepEqual(
      plans().map(({ body }) => body),
      [
        {
          sdate: new Date(2031, 4, 6, 7, 30).toISOString(),
          duration: 1.5,
          maintenance_reason: 'New power supply',
          maintenance_category: 'power',
        },
      ],
    );
  });

  it('notifies no renter when the question is declined', async () => {
    const before = plans().length;
    await plan('2031-05-06 07:30', '2', 'Disk', 'New disk');
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.equal(plans().length, before);
  });

  it('explains why a maintenance window was refused', async () => {
    const before = plans().length;
    computer().simulator.fail({
      kind: 'error',
      method: 'PUT',
      path: anyMachine,
      status: 422,
      error: 'invalid_args',
      msg: 'Because it overlaps.',
    });
    await plan('2031-05-06 07:30', '2', 'Disk', 'New disk');
    await window.dialogButton('Schedule and Notify');
    await window.toast(/Because it overlaps/);
    assert.equal(plans().length, before + 1);
  });

  it('warns that renters may have been notified when the answer is lost', async () => {
    const before = plans().length;
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: anyMachine });
    await plan('2031-05-06 07:30', '2', 'Disk', 'New disk');
    await window.dialogButton('Schedule and Notify');
    await window.toast(/the maintenance .* and its renters notified/);
    assert.equal(plans().length, before + 1);
  });

  it('stops and starts a deployment, saying that it is kept', async () => {
    const active = await activeDeployment();
    window.run('Stop Deployment…');
    await window.quick.pick(active.name);
    await window.dialog('kept, not deleted');
    assert.deepEqual(sent('POST', /\/deployment\//), []);
    await window.dialogButton('Stop');
    await window.toast(/is now: stopped/);
    assert.equal(sent('POST', new RegExp(`^/api/v0/deployment/${active.id}/stop/$`)).length, 1);
    window.run('Start Deployment');
    await window.quick.pick(active.name);
    await window.dialog('cost money until you stop it');
    assert.deepEqual(sent('POST', /\/start\/$/), []);
    await window.dialogButton('Start');
    await window.toast(/is now: active/);
    assert.equal(sent('POST', new RegExp(`^/api/v0/deployment/${active.id}/start/$`)).length, 1);
  });

  it('does not call a deployment stopped if the service only answered yes', async () => {
    const active = await activeDeployment();
    for (const body of [{ success: true }, { success: true, endpoint_state: 'active' }]) {
      computer().simulator.fail({
        kind: 'answer',
        method: 'POST',
        path: '/api/v0/deployment/*',
        status: 200,
        body,
      });
      window.run('Stop Deployment…');
      await window.quick.pick(active.name);
      await window.dialogButton('Stop');
      await window.toast(/accepted the request, but the endpoint of .* may still be running and cost money/);
      assert.ok(!window.toasts().some((said) => /is now/.test(said)));
      window.clearToasts();
    }
  });

  it('reports when a deployment is gone, and asks once', async () => {
    const before = sent('POST', /\/stop\/$/).length;
    const active = await activeDeployment();
    computer().simulator.fail({
      kind: 'error',
      method: 'POST',
      path: '/api/v0/deployment/*',
      status: 404,
      error: 'not_found',
      msg: 'Deployment not found',
    });
    window.run('Stop Deployment…');
    await window.quick.pick(active.name);
    await window.dialogButton('Stop');
    await window.toast(/does not know what was asked for/);
    assert.equal(sent('POST', /\/stop\/$/).length, before + 1);
  });

  it('names machines and deployments that could not be read, beside those that could', async () => {
    const { simulator } = computer();
    const account = window.view('account').show();
    await addBrokenRecord(simulator, '/api/v0/machines/', 'machines');
    await addBrokenRecord(simulator, '/api/v0/deployments/', 'deployments');
    await addBrokenRecord(simulator, '/api/v0/auth/apikeys/', 'apikeys');
    window.run('Refresh');
    await hosting().row('Could not be read: 1');
    await hosting().row(machine);
    await account.expand('API Keys');
    await account.row('Could not be read: 1');
    await account.row(/^API Keys ?≥ \d+/);
    await account.expand('Serverless Deployments');
    await account.row('Could not be read: 1');
    simulator.faults.clear();
    await hosting().titleAction('Refresh');
    await hosting().noRow('could not be read');
  });

  it('keeps the list of machines beside the reason when it can’t be read, and drops the reason later', async () => {
    computer().simulator.fail({
      kind: 'error',
      method: 'GET',
      path: '/api/v0/machines/',
      times: 0,
      status: 403,
      error: 'not_authorized',
      msg: 'No.',
    });
    await hosting().titleAction('Refresh');
    await hosting().row('Could not refresh');
    await hosting().row(machine);
    computer().simulator.faults.clear();
    await hosting().click('Could not refresh');
    await hosting().noRow('Could not refresh');
    await hosting().row(machine);
  });
});

describe('hosting of an account that rents out nothing', () => {
  const computer = useComputer();

  it('shows that if a command of hosts is run all the same', async () => {
    computer().simulator.fail({
      kind: 'answer',
      method: 'GET',
      path: '/api/v0/machines/',
      status: 200,
      body: { machines: [] },
      times: 0,
    });
    const window = await computer().openSignedIn();
    window.start('gpuRental.machine.setMinimumBid');
    await window.toast('This account has no machines to rent out');
    assert.equal(window.screen.commands.keys['gpuRental.hosting'], false);
    assert.throws(() => {
      window.run('Set Minimum Bid…');
    }, /does not offer/);
  });
});

describe('hosting that is to be shown in any case', () => {
  const computer = useComputer({ settings: { 'gpuRental.hosting.show': 'always' } });

  it('has its view for an account without machines, once that is signed in', async () => {
    const body = { machines: [] };
    const none = { method: 'GET', path: '/api/v0/machines/', status: 200, body, times: 0 };
    computer().simulator.fail({ kind: 'answer', ...none });
    const window = await computer().openWindow();
    assert.notEqual(window.screen.commands.keys['gpuRental.hosting'], true);
    await window.signIn();
    await computer().until('the view', () => window.screen.commands.keys['gpuRental.hosting'] === true);
  });
});
