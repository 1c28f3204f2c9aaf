import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { RentRequest } from '../../../../src/model/rentals/rentDraft';
import { AtWork } from '../../../../src/store/rentals/rentals';
import { anOffer } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { until } from '../../../support/until';

const request: RentRequest = {
  offer: anOffer(),
  config: { image: 'pytorch/pytorch' },
  rentalType: 'on-demand',
  priceLimit: fromDollars(0.4),
};

describe('a rental with an answer after minutes', () => {
  it('is not judged by lists that lack it while its window still waits', async () => {
    const service = new FakeService();
    service.offers = [anOffer()];
    const computer = await FakeComputer.make(service.client);
    const window = await computer.openSignedIn();
    window.fleet.setInterest({ viewVisible: true, windowFocused: true });
    let answer: () => void = () => undefined;
    service.before = (call) =>
      call === 'offers.rent' ? new Promise((resolve) => (answer = resolve)) : undefined;
    const renting = window.rentals.rent(request);
    await until('the request', () => service.count('offers.rent') === 1, { everyMs: 5 });
    const before = window.rentals.rentals[0]?.phase.kind;
    for (let minutes = 0; minutes < 5; minutes += 1) {
      await computer.clock.advance(60_000);
      await window.fleet.refresh();
      assert.equal(window.rentals.rentals[0]?.phase.kind, before);
    }
    assert.ok(service.count('instances.list') >= 5);
    answer();
    assert.equal((await renting).kind, 'rented');
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'waiting');
    await computer.dispose();
  });

  it('is left to another open window for five seconds longer than that looks for it', async () => {
    const service = new FakeService();
    service.offers = [anOffer()];
    const computer = await FakeComputer.make(service.client);
    const window = await computer.openSignedIn();
    const other = await computer.openSignedIn();
    const { rental } = await other.rentals.rent(request);
    const phase = () => window.rentals.rentals[0]?.phase.kind;
    await window.rentals.update(rental.marker, {
      phase: { kind: 'notKnown', since: computer.clock.now() },
    });
    await computer.clock.advance(64_999);
    await window.fleet.refresh();
    await computer.clock.advance(0);
    assert.equal(phase(), 'notKnown');
    await computer.clock.advance(1);
    await window.fleet.refresh();
    await computer.clock.advance(0);
    assert.equal(phase(), 'waiting');
    await computer.dispose();
  });

  it('is not judged by what was known before its answer, while another one is tidied up', async () => {
    const service = new FakeService();
    service.offers = [anOffer()];
    const computer = await FakeComputer.make(service.client);
    const window = await computer.openSignedIn();
    const settled: string[] = [];
    window.rentals.onDidSettle(({ marker }) => settled.push(marker));
    let answer: () => void = () => undefined;
    service.before = (call) =>
      call === 'offers.rent' && service.count('offers.rent') === 1
        ? new Promise((resolve) => (answer = resolve))
        : undefined;
    const renting = window.rentals.rent(request);
    await until('the request', () => service.count('offers.rent') === 1, { everyMs: 5 });
    await computer.clock.advance(1000);
    // A later one, which is over for a day, so that its environment is removed.
    const config = { ...request.config, targetState: 'stopped', env: { TOKEN: 'value' } } as const;
    await window.rentals.rent({ ...request, config });
    await window.fleet.refresh();
    service.instances = [];
    for (let lists = 0; lists < 4; lists += 1) {
      await computer.clock.advance(60_000);
      await window.fleet.refresh();
    }
    computer.clock.jump(25 * 3_600_000);
    const { secrets } = computer;
    const drop = secrets.delete.bind(secrets);
    let goOn: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      secrets.delete = async (key) => {
        resolve();
        await new Promise<void>((go) => (goOn = go));
        await drop(key);
      };
    });
    await window.fleet.refresh();
    await isHeld;
    answer();
    assert.equal((await renting).kind, 'rented');
    goOn();
    await computer.clock.advance(1000);
    await window.fleet.refresh();
    assert.deepEqual(settled, []);
    assert.deepEqual(
      window.rentals.rentals.map(({ phase }) => phase.kind),
      ['ended', 'waiting'],
    );
    await computer.dispose();
  });
});

describe('What a window works on', () => {
  it('is counted as long as any work on it is under way, and again with the next', async () => {
    const atWork = new AtWork();
    const seen: boolean[] = [];
    const check = () => Promise.resolve(void seen.push(atWork.has('a')));
    for (let time = 0; time < 2; time += 1) {
      await atWork.during('a', async () => {
        await assert.rejects(atWork.during('a', () => Promise.reject(new Error('no'))));
        await check();
      });
      await check();
    }
    assert.deepEqual([seen, atWork.has('b')], [[true, false, true, false], false]);
  });
});
