import assert from 'node:assert/strict';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const address = '/api/v0/volumes/';

describe('volumes that are created and cloned', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const instances = () => window.view('instances');
  const created = () =>
    computer()
      .simulator.received('PUT', address)
      .map(({ body }) => body as { name?: string; size: number });
  const cloned = () => computer().simulator.received('POST', `${address}copy/`);

  async function upToTheQuestion(name: string): Promise<void> {
    await instances().titleAction('Create Volume…');
    await window.quick.title('Create Volume');
    await window.quick.pick(/Machine \d+ · .* % reliable · until /);
    await window.quick.type('40');
    await window.quick.type(name);
  }

  before(async () => {
    window = await computer().openSignedIn();
    await instances().titleAction('Create Volume…');
    await window.quick.title('Create Volume');
  });

  beforeEach(() => {
    window.clearToasts();
  });

  it('are offered with their price and size, on verified machines, and create nothing by Escape', async () => {
    assert.match(window.quick.rows()[0] ?? '', /\$\d\S* per GB and month · up to \d+ GB/);
    window.quick.escape();
    await computer().rest();
    assert.deepEqual(created(), []);
  });

  it('need a size that the offer has, and a name that the service accepts', async () => {
    await instances().titleAction('Create Volume…');
    await window.quick.title('Create Volume');
    await window.quick.pick(/% reliable/);
    for (const wrong of ['0', '1.5', '99999999', 'ten', '']) {
      await window.quick.type(wrong, { enter: false });
      await window.quick.message(/Enter a whole number from 1 to \d+/);
    }
    await window.quick.type('40');
    for (const wrong of ['a b', 'a/../b', 'a\u202eb', '', 'x'.repeat(65), '$(rm)']) {
      await window.quick.type(wrong, { enter: false });
      await window.quick.message('Use 1 to 64 letters, digits and underscores.');
    }
    window.quick.escape();
  });

  it('cost nothing when the question is declined', async () => {
    await upToTheQuestion('ckpt');
    const { detail = '' } = await window.dialog('Create the volume ckpt?');
    assert.match(detail, /^40 GB · On machine \d+ · /m);
    assert.match(detail, /^It costs \$\S+\/day \(\$\S+\/month\) from now on, used or not/m);
    assert.match(
      detail,
      /^The host lists the machine until .*\d{4}\. The volume ends then, with its data\./m,
    );
    await window.dialogButton('Not Now');
    await computer().rest();
    assert.deepEqual(created(), []);
  });

  it('are created once, and listed with their end', async () => {
    await upToTheQuestion('ckpt');
    await window.dialogButton('Create');
    await window.toast(/Created the volume ckpt: 40 GB, \$\S+\/day/);
    assert.deepEqual(
      created().map(({ name, size }) => [name, size]),
      [['ckpt', 40]],
    );
    await instances().expand('Volumes');
    await instances().row(/^ckpt ?40 GB · \$\S+\/day · unused · until .*\d{4}/);
  });

  it('have names of their own', async () => {
    await instances().inline('Volumes', 'Create Volume…');
    await window.quick.pick(/% reliable/);
    await window.quick.type('40');
    await window.quick.type('ckpt', { enter: false });
    await window.quick.message('You already have a volume with this name. Enter another one.');
    window.quick.escape();
  });

  it('are asked about again when the price has risen', async () => {
    const search = `${address}search/`;
    const { json } = await computer().simulator.call('POST', search, { verified: { eq: true } });
    const [offer] = json.offers as readonly { storage_cost: number }[];
    const dearer = { offers: [{ ...offer, storage_cost: (offer?.storage_cost ?? 0) * 3 }] };
    computer().simulator.fail({ kind: 'answer', path: search, status: 200, body: { offers: [offer] } });
    computer().simulator.fail({ kind: 'answer', path: search, status: 200, body: dearer });
    await upToTheQuestion('dear');
    await window.dialogButton('Create');
    const { detail = '' } = await window.dialog(/dear/);
    assert.match(detail, /The price of the new volume has risen from \$\S+\/day to \$\S+\/day\./);
    await window.dialogButton('Not Now');
    computer().simulator.fail({ kind: 'answer', path: search, skip: 1, status: 200, body: { offers: [] } });
    await upToTheQuestion('dear');
    await window.dialogButton('Create');
    await window.toast(/no longer available/);
    assert.equal(created().length, 1);
  });

  it('are found by their name when the answer is lost, and not sent again', async () => {
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: address });
    await upToTheQuestion('lost');
    await window.dialogButton('Create');
    await window.toast(/did not answer, but its list shows it\. Created the volume lost: 40 GB/);
    assert.equal(created().length, 2);
  });

  it('may exist when neither the answer nor the list shows them', async () => {
    computer().simulator.fail({ kind: 'dropBefore', method: 'PUT', path: address });
    await upToTheQuestion('missing');
    await window.dialogButton('Create');
    await window.toast(/the volume missing may have been created and cost money\. Refresh the list/);
    assert.equal(created().length, 3);
  });

  it('are refused in words of the service, without a doubt', async () => {
    const refusal = { status: 400, error: 'insufficient_credit', msg: 'No credit.' };
    computer().simulator.fail({ kind: 'error', method: 'PUT', path: address, ...refusal });
    await upToTheQuestion('poor');
    await window.dialogButton('Create');
    const { text } = await window.toast(/credit/i);
    assert.doesNotMatch(text, /may have been created/);
  });

  it('are cloned at their size or more, and both cost money', async () => {
    await instances().menu('ckpt', 'Clone Volume…');
    await window.quick.title('Clone Volume: ckpt');
    await window.quick.pick(/% reliable/);
    await window.quick.type('39', { enter: false });
    await window.quick.message(/Enter a whole number from 40 to \d+/);
    await window.quick.type('41');
    const { detail = '' } = await window.dialog('Clone the volume ckpt?');
    assert.match(detail, /ckpt is kept and still costs \$\S+\/day: together \$\S+\/day\./);
    assert.equal(cloned().length, 0);
    computer().simulator.fail({ kind: 'dropAfter', method: 'POST', path: `${address}copy/` });
    await window.dialogButton('Clone');
    await window.toast(/did not answer, but its list shows it\. Cloned ckpt to V\.\d+: 41 GB/);
    assert.equal(cloned().length, 1);
    await instances().row(/^V\.\d+ ?41 GB/);
  });
});
