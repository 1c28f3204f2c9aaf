import assert from 'node:assert/strict';
import {
  confirmRental,
  generateKey,
  haveKey,
  lastRental,
  rentNow,
  rentalsOf,
  searchAndReview,
} from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('renting when things change', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;

  it('shows the next best offer when the chosen one is taken at the last moment', async () => {
    const { simulator } = computer();
    window = await computer().openSignedIn();
    simulator.fail({ kind: 'error', status: 410, error: 'no_such_ask', path: '/api/v0/asks/*', times: 1 });
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await quick().row(/Rent for/);
    await confirmRental(window);
    await generateKey(window);
    await quick().row(/RTX 3090 24 GB.* is no longer available.*next best offer/);
    assert.equal(rentalsOf(computer()).length, 1);
    assert.deepEqual(simulator.world.instances, []);
  });

  it('rents nothing if the SSH keys can’t be read, unless the user confirms it', async () => {
    const { simulator } = computer();
    const before = rentalsOf(computer()).length;
    simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/ssh/', times: 0 });
    await confirmRental(window);
    const dialog = await window.dialog(/Could not check whether a key/);
    dialog.close();
    await quick().title('Rent: Confirm');
    await quick().row('Nothing was rented');
    assert.equal(rentalsOf(computer()).length, before);
    simulator.faults.clear();
  });

  it('warns of a run type without SSH and offers direct SSH', async () => {
    await quick().pick(/^Run type/);
    await quick().title('Rent: Run type');
    await quick().pick('The image as it is, without SSH');
    await quick().title('Rent: Confirm');
    await quick().pick(/neither SSH nor Jupyter/);
    await computer().until(
      'the warning to go',
      () =>
        quick().isOpen &&
        !quick()
          .rows()
          .some((row) => row.includes('neither SSH nor Jupyter')),
    );
    await quick().row(/^Run type SSH, direct/);
  });

  it('opens every further option and keeps what was set there', async () => {
    await quick().pick(/^More Options…/);
    await quick().title('Rent: More Options');
    await quick().pick(/^Environment and ports/);
    await quick().title('Rent: Environment and ports');
    await quick().pick('Add a Variable…');
    await quick().title('Rent: Environment');
    await quick().type('A=${secret:a}', { enter: false });
    await quick().message(/"A" refers to a secret of a template/);
    await quick().type('A=0');
    await quick().title('Rent: Environment and ports');
    await quick().pick('Edit as Text…');
    await quick().title('Rent: Environment and ports');
    await quick().type('-e A=${secret:a}', { enter: false });
    await quick().message(/"A" refers to a secret of a template/);
    await quick().type('-e A=1 -p 8080:8080');
    await quick().title('Rent: Environment and ports');
    await quick().back();
    await quick().title('Rent: More Options');
    await quick().pick(/^How many/);
    await quick().title('Rent: How many');
    await quick().pick(/^2/);
    await quick().title('Rent: More Options');
    await quick().pick('Done');
    await quick().title('Rent: Confirm');
    await quick().row(/^Rent 2 Machines for \$[\d.]+\/h/);
  });

  it('rents two, each accounted for, with what was set', async () => {
    const before = rentalsOf(computer()).length;
    await confirmRental(window);
    await window.toast(/Rented 2 of 2 machines/);
    const sent = rentalsOf(computer()).slice(before);
    assert.equal(sent.length, 2);
    assert.equal(new Set(sent.map(({ path }) => path)).size, 2);
    assert.equal(new Set(sent.map(({ body }) => (body as { label: string }).label)).size, 2);
    for (const { body } of sent) {
      assert.deepEqual((body as { env: unknown }).env, { A: '1', '-p 8080:8080': '1' });
    }
    const { world } = computer().simulator;
    assert.deepEqual(
      sent.map(({ body }) => (body as { label: string }).label).sort(),
      world.instances.map(({ label }) => label).sort(),
    );
    assert.equal(lastRental(computer())['runtype'], 'ssh_direct');
  });

  it('shows an error as a row with a retry, not as an empty list', async () => {
    const { simulator } = computer();
    simulator.fail({ kind: 'html500', path: '/api/v0/bundles/', times: 0 });
    window.run('Search Offers…');
    await quick().row('The search failed');
    assert.ok(
      !quick()
        .rows()
        .some((row) => row.includes('No offers match')),
    );
    simulator.faults.clear();
    await quick().pick(/The search failed/);
    await quick().row('% reliable');
    quick().escape();
  });

  it('shows that nothing matches, and leads to the filters', async () => {
    window.run('Search Offers…');
    await quick().row('% reliable');
    await quick().type('x8 <0.001', { enter: false });
    await quick().pick('No offers match');
    await quick().title('Search Offers: Filters');
    quick().escape();
  });
});

describe('a confirmed rental that is not sent', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const refuse = (order: { readonly status: number; readonly error: string; readonly msg?: string }) => {
    computer().simulator.fail({ kind: 'error', method: 'PUT', path: '/api/v0/asks/*', ...order });
  };

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
  });
  beforeEach(async () => {
    window.clearToasts();
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
  });
  afterEach(() => {
    window.quick.escape();
    computer().simulator.faults.clear();
    assert.deepEqual(computer().simulator.world.instances, []);
  });

  it('keeps the confirmation where the service refuses, with its words', async () => {
    refuse({ status: 400, error: 'insufficient_credit', msg: 'Add credit first.' });
    await rentNow(window);
    await window.quick.title('Rent: Confirm');
    await window.quick.row(/Nothing was rented/);
    await window.toast(/credit/i);
    assert.equal(rentalsOf(computer()).length, 1);
  });

  it('shows that no other offer is left, and returns to the offers', async () => {
    const before = rentalsOf(computer()).length;
    refuse({ status: 410, error: 'no_such_ask' });
    computer().simulator.fail({
      kind: 'answer',
      method: 'POST',
      path: '/api/v0/bundles/',
      body: { success: true, offers: [] },
      skip: 1,
    });
    await confirmRental(window);
    await window.toast(/is gone, and no other offer matches your search. Nothing was rented/);
    await window.quick.title('Search Offers');
    assert.equal(rentalsOf(computer()).length, before + 1);
  });

  it('does not call a failed search for the next offer an empty market', async () => {
    refuse({ status: 410, error: 'no_such_ask' });
    computer().simulator.fail({
      kind: 'html500',
      method: 'POST',
      path: '/api/v0/bundles/',
      skip: 1,
      times: 0,
    });
    await confirmRental(window);
    await window.quick.row(/is no longer available. Nothing was rented.*Press Enter to search again/);
    await window.toast(/problem of its own/);
    await window.quick.row(/Rent for/);
  });

  it('rents nothing if the offer can’t be checked again', async () => {
    const before = rentalsOf(computer()).length;
    computer().simulator.fail({ kind: 'html500', method: 'POST', path: '/api/v0/bundles/', times: 0 });
    await confirmRental(window);
    await window.quick.row(/Nothing was rented/);
    await window.toast(/problem of its own/);
    assert.equal(rentalsOf(computer()).length, before);
  });

  it('rents nothing where it is cancelled while the offer is checked', async () => {
    const before = rentalsOf(computer()).length;
    computer().simulator.fail({ kind: 'stall', method: 'POST', path: '/api/v0/bundles/' });
    await confirmRental(window);
    await window.toastButton(/^Renting/, 'Cancel');
    await window.quick.row(/Nothing was rented.*You canceled before it was sent/);
    assert.equal(rentalsOf(computer()).length, before);
  });
});

describe('several machines of which only the first is rented', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const offers = { method: 'POST', path: '/api/v0/bundles/', skip: 1 } as const;

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
  });
  afterEach(async () => {
    const { faults, world } = computer().simulator;
    faults.clear();
    for (const { id } of [...world.instances]) {
      await call('DELETE', `/api/v0/instances/${id}/`);
    }
    window.run('Refresh');
    await computer().pass(20_000);
    window.clearToasts();
  });

  async function call(method: string, address: string, body?: unknown): Promise<unknown> {
    const { status, text, json } = await computer().simulator.call(method, address, body);
    assert.equal(status, 200, text);
    return json;
  }

  async function rentThree(): Promise<void> {
    const { quick } = window;
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await quick.pick(/^More Options…/);
    await quick.title('Rent: More Options');
    await quick.pick(/^How many/);
    await quick.title('Rent: How many');
    await quick.pick(/^3/);
    await quick.title('Rent: More Options');
    await quick.pick('Done');
    await quick.row(/^Rent 3 Machines for/);
    // Each of them costs less than what is confirmed.
    const found = await call('POST', offers.path, { gpu_name: { eq: 'RTX 3090' } });
    for (const { id } of (found as { offers: readonly { id: number }[] }).offers) {
      await call('PUT', `/__sim/offers/${id}/`, { price_per_gpu: 0.05 });
    }
  }

  async function rented(why: RegExp): Promise<void> {
    const { text } = await window.toast(/^Rented 1 of 3 machines: \d+\. /);
    assert.match(text.replace(/^.*?: \d+\. /, ''), why);
  }

  it('show that there is no further offer if none was found', async () => {
    await rentThree();
    computer().simulator.fail({ ...offers, kind: 'answer', body: { success: true, offers: [] } });
    await confirmRental(window);
    await rented(/^There is no further offer of this GPU at this price\.$/);
  });

  it('show that the search for the next one failed', async () => {
    await rentThree();
    computer().simulator.fail({ ...offers, kind: 'html500', times: 0 });
    await confirmRental(window);
    await rented(/^Could not search for another offer\.$/);
    await window.toast(/problem of its own/);
  });

  it('show that the user cancelled', async () => {
    await rentThree();
    computer().simulator.fail({ ...offers, kind: 'stall' });
    await confirmRental(window);
    await computer().until('the first', () => computer().simulator.world.instances.length === 1);
    await window.toastButton(/^Renting/, 'Cancel');
    await rented(/^You canceled before the others were rented\.$/);
  });

  it('show why the service refused the second', async () => {
    await rentThree();
    const refusal = {
      kind: 'error',
      status: 400,
      error: 'insufficient_credit',
      msg: 'Add credit first.',
    } as const;
    computer().simulator.fail({ ...refusal, method: 'PUT', path: '/api/v0/asks/*', skip: 1 });
    await confirmRental(window);
    await rented(/^The account has too little credit, or no way to pay\. Add credit in the web console/);
    await window.toast(/^The account has too little credit/);
  });

  it('show that the second was gone, and not that nothing was rented', async () => {
    await rentThree();
    const gone = { kind: 'error', status: 410, error: 'no_such_ask' } as const;
    computer().simulator.fail({ ...gone, method: 'PUT', path: '/api/v0/asks/*', skip: 1 });
    await confirmRental(window);
    await rented(/^.*RTX 3090[^.]* is no longer available\.$/);
  });
});

describe('renting for a team, which has no SSH keys', () => {
  const computer = useComputer();

  it('continues once the user knows that the key is attached later', async () => {
    const { simulator } = computer();
    const window = await computer().openSignedIn();
    const refusal = { status: 400, error: 'team_ssh_keys_not_supported', msg: 'Personal context only.' };
    simulator.fail({ kind: 'error', ...refusal, method: 'POST', path: '/api/v0/ssh/', times: 0 });
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await window.quick.row(/Rent for/);
    await confirmRental(window);
    await generateKey(window);
    (await window.dialog(/team account can't have SSH keys/)).press('Continue');
    await computer().until('the rental', () => simulator.world.instances.length === 1);
  });
});
