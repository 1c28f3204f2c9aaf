import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { registerKey } from '../support/feature/reachable';
import { confirmRental, rentalsOf, searchAndReview } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const hour = 3_600_000;

describe('an empty list that nothing has read for hours', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const instances = () => window.view('instances');
  const lists = () => computer().simulator.received('GET', /^\/api\/v\d\/instances\/$/).length;

  before(async () => {
    await registerKey(computer());
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ image: 'pytorch/pytorch:latest', maxPricePerHour: 0.5 }));
    window = await computer().openSignedIn();
    await instances().welcomeShows('No instances');
    instances().tree.setVisible(false);
    const before = lists();
    await computer().pass(8 * hour);
    assert.equal(lists(), before);
    await computer().rentRunning({
      label: 'trainer',
      image: 'pytorch/pytorch:latest',
      runtype: 'ssh_direct',
    });
    assert.equal(lists(), before);
  });

  it('leads to no second machine for a workspace', async () => {
    window.start('gpuRental.rentForWorkspace');
    await window.quick.title('An Instance for This Workspace Already Exists');
    await window.quick.row('Connect to trainer');
    window.quick.escape();
  });
});

for (const isOpen of [false, true]) {
  describe(`the price limit beside an empty list of hours ago, ${isOpen ? 'at an open' : 'before the'} confirmation`, () => {
    const computer = useComputer({ settings: { 'gpuRental.rent.limitPerHour': 0.16 } });
    let window: FeatureWindow;
    const review = () => searchAndReview(window, '1x 3090', /^1× RTX 3090/);

    before(async () => {
      await registerKey(computer());
      window = await computer().openSignedIn();
      await window.view('instances').welcomeShows('No instances');
      window.view('instances').tree.setVisible(false);
      if (isOpen) {
        await review();
        assert.match(window.quick.activeRow() ?? '', /^Rent for \$/);
      }
      await computer().pass(8 * hour);
      await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    });

    it('counts what was rented elsewhere', async () => {
      await (isOpen ? confirmRental(window) : review());
      await window.quick.row(/^All your instances would then cost up to \$/);
      assert.equal(window.quick.activeRow(), 'Over your price limit. Choose how to continue below.');
      window.quick.escape();
      assert.equal(rentalsOf(computer()).length, 1);
    });
  });
}

describe('the wait for the instances after the Enter that rents', () => {
  const computer = useComputer({ settings: { 'gpuRental.rent.limitPerHour': 5 } });
  let window: FeatureWindow;

  beforeEach(async () => {
    window = await computer().openSignedIn();
    await window.view('instances').welcomeShows('No instances');
    window.view('instances').tree.setVisible(false);
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    await computer().pass(8 * hour);
  });
  afterEach(() => {
    computer().simulator.faults.clear();
    window.quick.escape();
    window.close();
  });

  const isSeenAgain = () => window.quick.row(/^The price of some running instances is unknown/);

  it('rents nothing where the user cancels it', async () => {
    computer().simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v1/instances/', times: 0 });
    await confirmRental(window);
    await window.toastButton('Waiting for the service…', 'Cancel');
    await isSeenAgain();
    assert.equal(rentalsOf(computer()).length, 0);
  });

  it('rents nothing where the user cancels it, though the limit is exceeded by choice', async () => {
    window.quick.escape();
    computer().settings.set('gpuRental.rent.limitPerHour', 0.01);
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    await computer().pass(8 * hour);
    computer().simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v1/instances/', times: 0 });
    await window.quick.pick(/^Rent over the Limit/);
    await window.toastButton('Waiting for the service…', 'Cancel');
    await window.quick.row(/^Rent over the Limit/);
    assert.equal(rentalsOf(computer()).length, 0);
    computer().settings.set('gpuRental.rent.limitPerHour', 5);
  });

  it('shows again that the limit may be exceeded if they can’t be read', async () => {
    const path = '/api/v1/instances/';
    computer().simulator.fail({ kind: 'error', method: 'GET', path, status: 403, error: 'no', times: 0 });
    await confirmRental(window);
    await isSeenAgain();
    assert.equal(rentalsOf(computer()).length, 0);
  });
});

describe('the view of a list that nothing has read for some time', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const instances = () => window.view('instances');

  it('states the age of an empty list in a window without the focus', async () => {
    window = await computer().openSignedIn();
    await instances().welcomeShows('No instances');
    window.screen.focus(false);
    await computer().pass(8 * hour);
    assert.match(instances().tree.message ?? '', /^No instances as of 8 h ago\. Refresh the list\.$/);
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window.focus();
    await instances().row('trainer');
    assert.equal(instances().tree.message ?? '', '');
  });

  it('states the age of rows from an earlier session until they are read', async () => {
    window.close();
    computer().clock.jump(3 * 24 * hour);
    const stall = { kind: 'stall', method: 'GET', path: '/api/v1/instances/', times: 0 } as const;
    computer().simulator.fail(stall);
    window = await computer().openWindow({ isFocused: true });
    await instances().row('trainer');
    assert.match(instances().tree.message ?? '', /^Shown as of 3 d ago\.$/);
    computer().simulator.faults.clear();
    await computer().until('a list of now', () => (instances().tree.message ?? '') === '');
  });
});

describe('the view of an account without instances', () => {
  const computer = useComputer();

  it('shows that nothing is charged only once the volumes are read', async () => {
    const { simulator } = computer();
    simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v0/volumes/', times: 0 });
    const window = await computer().openWindow();
    const instances = window.view('instances');
    await window.signIn();
    await instances.row('Loading…');
    simulator.faults.clear();
    await instances.welcomeShows('You are not charged');
  });

  it('shows after ten seconds that the service has not answered, and how to go on', async () => {
    const { simulator } = computer();
    const [before] = computer().windows;
    before?.close();
    for (const name of readdirSync(computer().storage, { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('fleet.json')) {
        rmSync(path.join(computer().storage, name));
      }
    }
    simulator.fail({ kind: 'stall', method: 'GET', path: '/api/{version}/instances/', times: 0 });
    const window = await computer().openWindow();
    const instances = window.view('instances');
    await instances.row('Loading…');
    await computer().pass(9_000);
    assert.equal((await instances.rows()).length, 1);
    await instances.row('Loading…');
    await computer().pass(2_000);
    const { item } = await instances.row(/^The service has not answered yet.*Select to retry\./s);
    assert.equal(item.command?.command, 'gpuRental.refresh');
    simulator.faults.clear();
    await instances.welcomeShows('You are not charged');
    window.clearToasts();
  });
});
