import assert from 'node:assert/strict';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const machine = /^#\d+/;

describe('the machines of a host', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const hosting = () => window.view('hosting');

  before(async () => {
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  const simulator = () => computer().simulator;

  async function schedule(kind: string, reason: string, inHours: number): Promise<void> {
    const at = new Date(computer().clock.now() + inHours * 3_600_000);
    const two = (value: number) => String(value).padStart(2, '0');
    const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    await hosting().menu(machine, 'Schedule Maintenance…');
    await window.quick.title(/Start/);
    await window.quick.type(`${day} ${two(at.getHours())}:00`);
    await window.quick.title(/Duration/);
    await window.quick.type('0.5');
    await window.quick.title(/Kind/);
    await window.quick.pick(kind);
    await window.quick.title(/Reason/);
    await window.quick.type(reason);
    await window.dialogButton('Schedule and Notify');
    await window.toast(/is scheduled/);
    window.clearToasts();
  }

  async function bid(price: string): Promise<void> {
    await hosting().menu(machine, 'Set Minimum Bid…');
    await window.quick.title(/Minimum Bid of Machine/);
    await window.quick.type(price);
  }

  it('warns if the list still shows another minimum bid', async () => {
    await bid('0.21');
    await window.toast(/accepts bids from \$0\.210 an hour/);
    const { json } = await computer().simulator.call('GET', '/api/v0/machines/');
    computer().simulator.fail({
      kind: 'answer',
      method: 'GET',
      path: '/api/v0/machines/',
      status: 200,
      body: json,
    });
    await bid('0.37');
    const { buttons } = await window.toast(
      /^The service accepted a minimum bid of \$0\.370\/h for machine #\d+, but the list still shows \$0\.210\/h\.$/,
    );
    assert.deepEqual(buttons, ['Refresh']);
  });

  it('lists the maintenance that is scheduled below its machine, until it is over', async () => {
    await schedule('GPU', 'New fans', 2);
    await hosting().row(/^Maintenance: .*until .* · GPU · New fans$/);
    // A second one, of which the service loses the answer to the first try to cancel it.
    await schedule('Power', 'New cables', 5);
    simulator().fail({ kind: 'dropAfter', method: 'DELETE', path: '/api/v0/machines/maintenances' });
    await hosting().menu(/New cables/, 'Cancel Maintenance…');
    const question = await window.dialog(/Cancel the maintenance of machine #\d+/);
    assert.match(question.detail ?? '', /Only the window from/);
    question.press('Cancel Maintenance');
    await window.toast(/may have been canceled/);
    await hosting().noRow('New cables');
    await hosting().row(/New fans/);
    await schedule('Disk', 'New disk', 7);
    await hosting().menu(/New disk/, 'Cancel Maintenance…');
    (await window.dialog(/Cancel the maintenance/)).close();
    await computer().rest();
    await hosting().row(/New disk/);
    await hosting().menu(/New disk/, 'Cancel Maintenance…');
    await window.dialogButton('Cancel Maintenance');
    await window.toast(/^The maintenance of machine #\d+ is canceled\.$/);
    await hosting().noRow('New disk');
    await hosting().row(/New fans/);
    await computer().pass(3 * 3_600_000);
    await hosting().titleAction('Refresh');
    await hosting().noRow('New fans');
  });

  it('show that their maintenance could not be read, and read it again', async () => {
    simulator().fail({ kind: 'html500', method: 'GET', path: '/api/v0/machines/maintenances', times: 0 });
    await hosting().titleAction('Refresh');
    await hosting().row(/Could not refresh/);
    await hosting().row(machine);
    simulator().faults.clear();
    await hosting().titleAction('Refresh');
    await hosting().noRow(/Could not refresh/);
  });
});

describe('hosting that is to be shown in any case, while it is read', () => {
  const computer = useComputer({ settings: { 'gpuRental.hosting.show': 'always' } });

  it('does not report that there are no machines while it reads them', async () => {
    const { simulator } = computer();
    simulator.faults.clear();
    simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v0/machines/' });
    const window = await computer().openSignedIn();
    let rows: readonly unknown[] | undefined;
    void window
      .view('hosting')
      .rows()
      .then((read) => {
        rows = read;
      });
    await computer().pass(5000);
    assert.equal(rows, undefined, 'no empty list is shown');
    simulator.faults.clear();
    const read = await computer().until('the machines', () => rows);
    assert.ok(read.length > 0);
  });
});

describe('hosting whose lists were read long ago', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  async function statesAge() {
    const hosting = window.view('hosting');
    const account = window.view('account');
    assert.match(hosting.tree.message ?? '', /^Shown as of \d+:\d+ \S+\.$/);
    await account.row(/^Serverless Deployments as of /);
    await hosting.titleAction('Refresh');
    await computer().until('the age to go', () => hosting.tree.message === '');
    await account.row(/^Serverless Deployments$/);
  }

  it('shows how old they are', async () => {
    window = await computer().openSignedIn();
    const hosting = window.view('hosting').show();
    const account = window.view('account').show();
    await hosting.row(/^#\d+/);
    await account.row(/^Serverless Deployments$/);
    assert.equal(hosting.tree.message ?? '', '');
    await computer().pass(3 * 3_600_000);
    await statesAge();
  });

  it('shows it after the clock was set back', async () => {
    computer().clock.jump(-3 * 3_600_000);
    await computer().pass(61_000);
    await statesAge();
  });
});

describe('hosting of machines in trouble', () => {
  const computer = useComputer();

  it('marks a machine that is not offered or not reachable, and reads its facts aloud', async () => {
    const { json } = await computer().simulator.call('GET', '/api/v0/machines/');
    const machines = json.machines as readonly Record<string, unknown>[];
    const [first, ...others] = machines;
    computer().simulator.fail({
      kind: 'answer',
      method: 'GET',
      path: '/api/v0/machines/',
      status: 200,
      body: { machines: [{ ...first, listed: false, timeout: 7260 }, ...others] },
      times: 0,
    });
    const window = await computer().openSignedIn();
    const { text, item } = await window.view('hosting').row(new RegExp(`^#${String(first?.['id'])} `));
    assert.match(text, /unreachable for 2 h 1 min · not offered · \d of \d rented$/);
    assert.doesNotMatch(text, /\$/);
    assert.match(item.accessibilityInformation?.label ?? '', /Reliability: \d.*, Offered until: /);
  });
});
