import assert from 'node:assert/strict';
import {
  confirmRental,
  generateKey,
  haveKey,
  newInstance,
  rentNow,
  rentalsOf,
  searchAndReview,
  toConfirmation,
} from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const asks = '/api/v0/asks/{id}/';
const failureLikeRateLimit = {
  kind: 'answer',
  status: 503,
  body: { detail: 'API requests too frequent endpoint threshold=2.0' },
} as const;

describe('a rental whose answer is lost', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  it('is sent once and found again by its label', async () => {
    window = await computer().openSignedIn();
    window.clearToasts();
    computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: asks });
    await toConfirmation(window, { search: '1x 4090', offer: /1× RTX 4090/, label: 'lost and found' });
    await confirmRental(window);
    await generateKey(window);
    const toast = await window.toast(/Rented as instance/);
    assert.doesNotMatch((await window.view('instances').welcome()).join(), /You are not charged/);
    const [instance, ...others] = computer().simulator.world.instances;
    assert.deepEqual(others, []);
    assert.ok(toast.text.includes(String(instance?.id)));
    assert.equal(rentalsOf(computer()).length, 1);
  });

  it('is shown under the label that the user gave', async () => {
    await window.view('instances').row('lost and found');
    const rows = (await window.view('instances').texts()).filter((row) => row.includes('lost and found'));
    assert.equal(rows.length, 1);
    assert.doesNotMatch(rows.join(), /gr-[0-9a-f]{8}/);
  });

  it('is not rented again by a reload', async () => {
    window.close();
    const reloaded = await computer().openWindow({ isFocused: true });
    await reloaded.view('instances').row('lost and found');
    assert.equal(rentalsOf(computer()).length, 1);
    assert.equal(computer().simulator.world.instances.length, 1);
  });
});

describe('a window without the focus, opened right after a rental', () => {
  const computer = useComputer();

  it('reads the list, though the one on disk is older than the rental and names no instance', async () => {
    await haveKey(computer());
    const window = await computer().openSignedIn();
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    const { simulator } = computer();
    simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v1/instances/', times: 0 });
    await rentNow(window);
    window.close();
    simulator.faults.clear();
    const later = await computer().openWindow({ isFocused: false });
    await later.view('instances').row('RTX 3090');
    assert.equal(rentalsOf(computer()).length, 1);
  });
});

describe('a rental without an answer', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const shown = () => window.screen.messages.history.map(({ text }) => text);

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
  });
  beforeEach(async () => {
    window.clearToasts();
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
  });

  it('that never arrived is sent once, looked for, and reported as none', async () => {
    const { simulator } = computer();
    const before = rentalsOf(computer()).length;
    simulator.fail({ kind: 'dropBefore', method: 'PUT', path: asks });
    await confirmRental(window);
    await window.toast(/^Renting/);
    await window.toast('no machine was rented');
    assert.deepEqual(simulator.world.instances, []);
    assert.equal(rentalsOf(computer()).length, before + 1);
    assert.doesNotMatch((await window.view('instances').welcome()).join(), /in progress/);
  });

  for (const kind of ['cutOff', 'html500', 'wrongTypes'] as const) {
    it(`is found if the answer was ${kind}`, async () => {
      const { simulator } = computer();
      const before = rentalsOf(computer()).length;
      simulator.fail({ kind, method: 'PUT', path: asks, after: true });
      const { id } = await newInstance(computer(), () => rentNow(window));
      await window.toast(new RegExp(`Rented as instance ${id}`));
      await window.view('instances').row(`#${id}`);
      assert.equal(rentalsOf(computer()).length, before + 1);
    });
  }

  for (const [name, refusal] of [
    ['a rate limit', { kind: 'rateLimit', threshold: 5 }],
    ['a rate limit in plain text', { kind: 'rateLimitText' }],
    ['a conflict', { kind: 'error', status: 409, error: 'conflict', msg: 'Try another.' }],
    ['a refused key', { kind: 'error', status: 401, error: 'auth_error', msg: 'Invalid key.' }],
    ['a taken offer', { kind: 'error', status: 410, error: 'no_such_ask', msg: 'Gone.' }],
    ['a failure that reads like a rate limit', failureLikeRateLimit],
  ] as const) {
    it(`is found where ${name} was answered although it took effect`, async () => {
      const { simulator } = computer();
      const before = rentalsOf(computer()).length;
      simulator.fail({ ...refusal, method: 'PUT', path: asks, after: true });
      const { id } = await newInstance(computer(), () => rentNow(window));
      await window.toast(new RegExp(`Rented as instance ${id}`));
      await window.view('instances').row(`#${id}`);
      assert.equal(rentalsOf(computer()).length, before + 1);
    });
  }

  it('is found later where the user stops waiting', async () => {
    const { simulator } = computer();
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path: asks });
    simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v1/instances/', times: 0 });
    const { id } = await newInstance(computer(), () => confirmRental(window));
    await window.toastButton(/^Renting.*checking whether the machine was rented/, 'Cancel');
    await window.toast('so the machine may have been rented');
    assert.ok(!shown().some((text) => text.includes(`instance ${id}`)));
    window.run('Sign Out…');
    const { detail } = await window.dialog('Sign out of');
    assert.match(detail ?? '', /A rental has no answer yet and will no longer be checked/);
    await window.dialogButton('Cancel');
    simulator.faults.clear();
    await window.view('instances').row(`#${id}`);
    await window.toast(new RegExp(`^Getting .*#${id} ready`));
  });
});
