import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ShownMessage } from '../support/fakeEditor/messages';
import type { Computer } from '../support/feature/computer';
import { PageDriver } from '../support/feature/pageDriver';
import {
  confirmRental,
  failNextStarts,
  haveKey,
  openToRent,
  rent3090,
  rentUnwatched,
  rentalsOf,
  searchAndReview,
} from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minute = 60_000;
const notReplaced = /was not replaced, because the window closed first.*Until it is destroyed, storage costs/;

/** A window in which a second machine failed, whose replacement is announced a minute ahead. */
async function openToAnnounced(computer: Computer): Promise<FeatureWindow> {
  const window = await openToRent(computer);
  await failNextStarts(computer.simulator, 'no space left', 'cuda error');
  await rent3090(window);
  await window.toast(/cuda error.*As configured, it is destroyed and the next best offer is rented in 1 min/);
  return window;
}

describe('replacing a machine that may have run while no editor was open', () => {
  const computer = useComputer();

  it('asks first, and does not claim that it ran', async () => {
    const id = await rentUnwatched(computer());
    const { simulator } = computer();
    const window = await computer().openWindow({ isFocused: true });
    await window.toastButton(/will not get ready/, 'Destroy and Rent Next Best');
    const { text, detail } = await window.dialog();
    assert.match(text, /lose any data on it/);
    assert.match(detail ?? '', /It may have run while no editor was open/);
    await window.dialogButton('Cancel');
    await computer().pass(minute);
    assert.deepEqual(simulator.received('DELETE', `/api/v0/instances/${id}/`), []);
  });
});

describe('replacing a machine under the limit an hour of all that runs', () => {
  const computer = useComputer();

  it('counts the other instances, and destroys nothing where no offer is left beside them', async () => {
    const { simulator, settings } = computer();
    const window = await openToRent(computer());
    const other = await rent3090(window);
    await window.toast(new RegExp(`#${other.id} is ready`));
    await failNextStarts(simulator, 'no space left');
    const { id } = await rent3090(window);
    // Enough for each of them, and not for both.
    settings.set('gpuRental.rent.limitPerHour', 0.3);
    await window.toastButton(/will not get ready/, 'Destroy and Rent Next Best');
    await window.toast(/No other offer matches .* within the price limit/);
    assert.ok(simulator.world.instance(id));
    assert.equal(rentalsOf(computer()).length, 2);
  });
});

describe('a replacement whose window is killed', () => {
  const computer = useComputer();

  it('between destroying and renting is reported at the next start, which continues it', async () => {
    const { simulator } = computer();
    const first = await openToRent(computer());
    await failNextStarts(simulator, 'no space left');
    const { id } = await rent3090(first);
    // The first search finds the next best; the second looks at its price once the old one is gone.
    await first.toast(/will not get ready/);
    simulator.fail({ kind: 'stall', method: 'POST', path: '/api/v0/bundles/', skip: 1 });
    await first.toastButton(/will not get ready/, 'Destroy and Rent Next Best');
    await computer().until('the end of the old one', () => simulator.world.instance(id) === undefined);
    first.kill();
    await computer().pass(minute);
    assert.equal(rentalsOf(computer()).length, 1);
    const next = await computer().openWindow({ isFocused: true });
    const broken = /is destroyed, but the window closed before a replacement was rented/;
    await next.toastButton(broken, 'Rent Next Best');
    await next.toast(/another machine is rented instead/);
    assert.equal(rentalsOf(computer()).length, 2);
    assert.equal(simulator.world.instances.length, 1);
    assert.equal(next.screen.messages.history.filter(({ text }) => broken.test(text)).length, 1);
  });
});

describe('a replacement that was announced by a window that is killed before it destroys anything', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });

  it('is reported by the next one', async () => {
    const { simulator } = computer();
    const first = await openToRent(computer());
    await failNextStarts(simulator, 'no space left');
    const { id } = await rent3090(first);
    simulator.fail({ kind: 'stall', method: 'POST', path: '/api/v0/bundles/' });
    await first.toast(/As configured, it is destroyed and the next best offer is rented\.$/);
    first.kill();
    await computer().pass(minute);
    assert.ok(simulator.world.instance(id));
    const next = await computer().openWindow({ isFocused: true });
    await next.toast(notReplaced);
    await computer().pass(20 * minute);
    assert.equal(next.screen.messages.history.filter(({ text }) => notReplaced.test(text)).length, 1);
    assert.equal(rentalsOf(computer()).length, 1);
    await next.toastButton(notReplaced, 'Destroy and Rent Next Best');
    await next.toast(/another machine is rented instead/);
    assert.equal(rentalsOf(computer()).length, 2);
    assert.equal(simulator.world.instances.length, 1);
    await computer().pass(5 * minute);
    next.run('Show Rental History');
    await next.quick.title('Rental History');
    await next.quick.pick(/RTX 3090/);
    await new PageDriver(next, 'instance').shows('how it ended', ({ sections }) =>
      JSON.stringify(sections).includes('replaced by another machine'),
    );
  });
});

describe('a replacement whose pause was over when its window is killed', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });

  it('is reported by the next one', async () => {
    const { simulator } = computer();
    const first = await openToAnnounced(computer());
    const searches = () => simulator.received('POST', '/api/v0/bundles/').length;
    const before = searches();
    simulator.fail({ kind: 'stall', method: 'POST', path: '/api/v0/bundles/' });
    await computer().until('the search for the next', () => searches() > before);
    first.kill();
    await computer().pass(minute);
    const next = await computer().openWindow({ isFocused: true });
    await next.toast(notReplaced);
    assert.equal(rentalsOf(computer()).length, 2);
    assert.equal(simulator.world.instances.length, 1);
  });
});

for (const hours of [0, -3]) {
  describe(`a machine that is destroyed in the pause before its replacement, the clock set by ${hours} h`, () => {
    const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });

    it('is not replaced, although the service answers after the pause', async () => {
      const { simulator } = computer();
      const window = await openToAnnounced(computer());
      computer().clock.jump(hours * 60 * minute);
      const [instance] = simulator.world.instances;
      assert.ok(instance);
      const path = `/api/v0/instances/${instance.id}/`;
      simulator.fail({ kind: 'delay', method: 'DELETE', path, delayMs: 25_000 });
      await computer().pass(50_000);
      await window.view('instances').menu(/3090/, 'Destroy…');
      await window.dialogButton('Destroy');
      await computer().pass(2 * minute);
      assert.equal(simulator.world.instances.length, 0);
      assert.equal(rentalsOf(computer()).length, 2);
      window.clearToasts();
    });
  });
}

for (const [when, inSeconds] of [
  ['long before', 20],
  ['right before', 59],
] as const) {
  describe(`a machine that is destroyed in the web console ${when} its replacement is due`, () => {
    const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });

    it('is not replaced', async () => {
      const { simulator } = computer();
      const window = await openToAnnounced(computer());
      await computer().pass(inSeconds * 1000);
      const [instance] = simulator.world.instances;
      await simulator.call('DELETE', `/api/v0/instances/${instance?.id}/`);
      await computer().pass(2 * minute);
      assert.equal(simulator.world.instances.length, 0);
      assert.equal(rentalsOf(computer()).length, 2);
      window.clearToasts();
    });
  });
}

describe('a rental whose window is killed within a second of the first Enter', () => {
  const computer = useComputer();

  it('is looked for at the next start, with no view in sight', async () => {
    await haveKey(computer());
    const { simulator } = computer();
    const first = await computer().openSignedIn();
    await searchAndReview(first, '1x 3090', /1× RTX 3090/);
    simulator.fail({ kind: 'delay', method: 'PUT', path: '/api/v0/asks/{id}/', delayMs: 1000 });
    await confirmRental(first);
    await computer().until('the request', () => rentalsOf(computer()).length > 0);
    first.kill();
    await computer().pass(30 * minute);
    const [instance] = simulator.world.instances;
    assert.ok(instance);
    assert.match(readFileSync(path.join(computer().storage, 'attention.json'), 'utf8'), /true/);
    const next = await computer().openWindow({ isFocused: true });
    await next.toast(new RegExp(`instance #${instance.id} exists and costs money`), { withinMs: 90_000 });
    assert.equal(rentalsOf(computer()).length, 1);
  });
});

describe('a replacement without a question', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });

  it('ends with a question where another host failed the same way', async () => {
    const { simulator } = computer();
    const window = await openToRent(computer());
    await failNextStarts(simulator, 'no manifest for image 17', 'no manifest for image 23');
    await rent3090(window);
    await window.toast(/As configured, it is destroyed and the next best offer is rented\.$/);
    await window.toast(/another machine is rented instead/);
    await window.toast(/Another host failed the same way, so it is not replaced without asking/);
    await computer().pass(20 * minute);
    assert.equal(rentalsOf(computer()).length, 2);
    assert.equal(simulator.world.instances.length, 1);
  });
});

describe('the pause of a replacement that the user wants without a question', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });

  it('lasts when the window that showed it closes', async () => {
    const { simulator } = computer();
    const first = await openToRent(computer());
    const second = await computer().openWindow({ isFocused: false });
    await second.view('instances').rows();
    await failNextStarts(simulator, 'no space left', 'cuda error');
    await rent3090(first);
    await first.toast(/As configured, it is destroyed and the next best offer is rented\.$/);
    await first.toast(/another machine is rented instead/);
    const announced = /cuda error.*As configured, it is destroyed and the next best offer is rented in 1 min/;
    await first.toast(announced);
    const shownAt = computer().clock.elapsed();
    assert.equal(rentalsOf(computer()).length, 2);
    first.close();
    await computer().until('the third', () => rentalsOf(computer()).length === 3);
    assert.ok(computer().clock.elapsed() - shownAt >= 59_000);
    await computer().until('one instance', () => simulator.world.instances.length === 1);
    await computer().pass(minute);
    assert.equal(rentalsOf(computer()).length, 3);
    for (const window of computer().windows) {
      window.clearToasts();
    }
  });
});

for (const [how, decline] of [
  ['the setting is changed', ({ settings }: Computer) => settings.set('gpuRental.ready.onFailure', 'ask')],
  ['the user declines it', (_: Computer, announced: ShownMessage) => announced.press('Do Not Replace')],
] as const) {
  describe(`a replacement without a question where ${how} in the pause before it`, () => {
    const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });

    it('is not done, but asked about', async () => {
      const { simulator } = computer();
      const window = await openToRent(computer());
      await failNextStarts(simulator, 'no space left', 'cuda error');
      let announced = 0;
      // At once, before the end of the pause is on the disk.
      window.screen.messages.onDidShow = (shown) => {
        if (/cuda error.*the next best offer is rented in 1 min/.test(shown.text)) {
          announced += 1;
          queueMicrotask(() => decline(computer(), shown));
        }
      };
      await rent3090(window);
      await computer().until('the pause', () => announced === 1);
      await computer().pass(2 * minute);
      await window.toast(/cuda error.*Until it is destroyed, storage costs/);
      assert.equal(rentalsOf(computer()).length, 2);
      assert.equal(simulator.world.instances.length, 1);
      window.clearToasts();
    });
  });
}
