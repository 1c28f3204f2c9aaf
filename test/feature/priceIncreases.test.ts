import assert from 'node:assert/strict';
import { askForMore, setCredit } from '../support/feature/serviceSide';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minute = 60_000;

describe('an answer to a higher price', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let id: number;
  const puts = () => computer().simulator.received('PUT', /price-increase\/$/);

  before(async () => {
    id = await computer().rentRunning({ label: 'trainer' });
    await setCredit(computer(), 5000);
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
  });

  afterEach(() => {
    computer().simulator.faults.clear();
    window.clearToasts();
  });

  async function review(row: RegExp): Promise<void> {
    window.run('Review Price Increases…');
    await window.quick.pick(row);
  }

  it('is found in spite of a lost answer, and is sent once', async () => {
    await askForMore(computer(), id, 3);
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: '/api/v0/instances/*' });
    await review(/Accept: trainer/);
    await window.dialogButton('Accept');
    await window.toast('The price of trainer rises to $3.00/h');
    assert.equal(puts().length, 1);
  });

  it('is reported as unconfirmed if neither the answer nor the list arrived', async () => {
    const { simulator } = computer();
    await askForMore(computer(), id, 4);
    await review(/Reject: trainer/);
    const before = puts().length;
    const path = '/api/v0/instances/pending-price-increases/';
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path: '/api/v0/instances/*' });
    simulator.fail({ kind: 'html500', method: 'GET', path, skip: 1, times: 0 });
    await window.dialogButton('Reject');
    await window.toast(/did not confirm your answer about the price of trainer/);
    assert.equal(puts().length, before + 1);
  });

  it('asks again where the host asks for more by now', async () => {
    const { simulator } = computer();
    await askForMore(computer(), id, 5);
    await review(/Accept: trainer.*\$5\.00/);
    const path = '/api/v0/instances/pending-price-increases/';
    const { json } = await simulator.call('GET', path);
    const body = { ...json, pending_price_increases: [{ ...json.pending_price_increases[0], new_price: 6 }] };
    simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, times: 0, body });
    const before = puts().length;
    await window.dialogButton('Accept', /\$5\.00\/h if you accept/);
    await window.dialogButton('Cancel', /\$6\.00\/h if you accept/);
    await computer().rest();
    assert.equal(puts().length, before);
  });

  it('is no answer any more where the question is gone', async () => {
    await review(/Reject: trainer/);
    const before = puts().length;
    computer().simulator.fail({
      kind: 'error',
      method: 'PUT',
      path: '/api/v0/instances/*',
      status: 404,
      error: 'not_found',
      msg: 'gone',
    });
    await window.dialogButton('Reject');
    await window.toast(/This price increase is no longer pending/);
    assert.equal(puts().length, before + 1);
  });

  it('is asked for where only the price could not be read', async () => {
    const path = '/api/v0/instances/pending-price-increases/';
    await askForMore(computer(), id, 7);
    computer().simulator.fail({ kind: 'html500', method: 'GET', path, skip: 1, times: 0 });
    await computer().pass(40 * minute);
    const asked = /^A host asks for a higher price, which could not be read/;
    assert.equal((await window.toast(asked)).kind, 'warning');
    computer().simulator.faults.clear();
    await computer().pass(minute);
    await window.toastButton(asked, 'Review Price Increases…');
    await window.quick.row(/Accept: trainer.*\$7\.00\/h/);
    window.quick.escape();
  });

  it('is asked for again by name where the price leads over the limit of all instances', async () => {
    const accepted = () =>
      computer().simulator.received('PUT', '/api/v0/instances/accept-price-increase/').length;
    const before = accepted();
    await askForMore(computer(), id, 40);
    computer().settings.set('gpuRental.rent.limitPerHour', 30);
    const accept = async () => {
      await review(/Accept: trainer.*\$40\.00/);
      await window.dialogButton('Accept', 'Pay more for “trainer”?');
    };
    await accept();
    const { detail } = await window.dialog('Continue over your price limit?');
    assert.match(
      detail ?? '',
      /^All your instances would then cost up to \$40\.\d+\/h\. Your limit is \$30\.00\/h\.$/,
    );
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.equal(accepted(), before);
    await accept();
    await window.dialogButton('Continue Anyway', 'Continue over your price limit?');
    await window.toast('The price of trainer rises to $40.00/h');
    assert.equal(accepted(), before + 1);
    computer().settings.set('gpuRental.rent.limitPerHour', 0);
  });

  it('is not requested if the increases can’t be read', async () => {
    const path = '/api/v0/instances/pending-price-increases/';
    computer().simulator.fail({ kind: 'html500', method: 'GET', path, times: 0 });
    window.run('Review Price Increases…');
    assert.equal((await window.toast(/The service has a problem/)).kind, 'error');
    assert.equal(window.quick.isOpen, false);
  });
});
