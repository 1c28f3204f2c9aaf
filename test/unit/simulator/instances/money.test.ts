import assert from 'node:assert/strict';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';

describe('Money', () => {
  const simulators = useSimulators();

  async function rent(simulator: TestSimulator, body: Record<string, unknown> = {}) {
    const { market } = simulator.world;
    const slice = market.offers.find((each) => market.isRentable(each));
    const { json } = await simulator.call('PUT', `/api/v0/asks/${slice?.offerId ?? 0}/`, {
      image: 'a/b',
      disk: 50,
      ...body,
    });
    const instance = simulator.world.instance(Number(json.new_contract));
    assert.ok(instance);
    return instance;
  }
  async function credit(simulator: TestSimulator): Promise<number> {
    await simulator.call('GET', '/api/v0/instances/');
    return simulator.world.accounts[0]?.credit ?? NaN;
  }
  const near = (actual: number, wanted: number) =>
    assert.ok(Math.abs(actual - wanted) < 1e-6, `${actual} is not ${wanted}`);

  it('is taken for the disk from the rental on and for the GPU while it runs, at the true rate', async () => {
    const simulator = await simulators.start({ fakeClock: true, speed: 1000, credit: 1000 });
    const instance = await rent(simulator);
    simulator.advance(1);
    assert.equal(instance.actualStatus, 'running');
    const before = await credit(simulator);
    simulator.advance(3600);
    near(before - (await credit(simulator)), instance.rates.gpu + instance.rates.disk);
    await simulator.call('PUT', `/api/v0/instances/${instance.id}/`, { state: 'stopped' });
    const stopped = await credit(simulator);
    simulator.advance(3600);
    near(stopped - (await credit(simulator)), instance.rates.disk);
    await simulator.call('DELETE', `/api/v0/instances/${instance.id}/`);
    const destroyed = await credit(simulator);
    simulator.advance(86_400);
    near(await credit(simulator), destroyed);
  });

  it('is booked by day', async () => {
    const simulator = await simulators.start({ fakeClock: true, speed: 1000, credit: 1000 });
    const instance = await rent(simulator);
    simulator.advance(3 * 86_400);
    await credit(simulator);
    assert.equal(instance.usage.length, 4);
    assert.deepEqual(
      instance.usage.map((entry) => entry.day - (instance.usage[0]?.day ?? 0)),
      [0, 1, 2, 3],
    );
    near(instance.usage[1]?.gpu ?? 0, instance.rates.gpu * 24);
    const total = instance.usage.reduce((sum, entry) => sum + entry.gpu + entry.disk, 0);
    near(1000 - (await credit(simulator)), total);
  });

  it('is not taken for a GPU that failed', async () => {
    const simulator = await simulators.start({ fakeClock: true, credit: 1000 });
    simulator.orders.failBoot({ outcome: 'exited', message: 'x' });
    const instance = await rent(simulator);
    simulator.advance(600);
    const before = await credit(simulator);
    simulator.advance(3600);
    near(before - (await credit(simulator)), instance.rates.disk);
  });

  it('that is used up stops running instances, and nothing starts without it', async () => {
    const simulator = await simulators.start({ fakeClock: true, speed: 1000, credit: 1 });
    const instance = await rent(simulator);
    const hours = 1 / (instance.rates.gpu + instance.rates.disk);
    simulator.advance(hours * 3600 * 0.9);
    assert.equal(instance.intendedStatus, 'running');
    simulator.advance(hours * 3600 * 0.2);
    assert.equal(instance.intendedStatus, 'stopped');
    assert.equal(instance.actualStatus, 'exited');
    const { status, json } = await simulator.call('PUT', `/api/v0/instances/${instance.id}/`, {
      state: 'running',
    });
    assert.deepEqual([status, json.error], [400, 'missing_billing']);
  });

  it('may be asked for more by a host, which the renter accepts or rejects', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const instance = await rent(simulator);
    const propose = (price: number, hours?: number) =>
      simulator.call('POST', '/__sim/price-increases/', {
        instance_id: instance.id,
        new_price: price,
        hours,
      });
    const pending = async () =>
      (await simulator.call('GET', '/api/v0/instances/pending-price-increases/')).json
        .pending_price_increases as Record<string, unknown>[];
    const answer = (verb: string, id: unknown) =>
      simulator.call('PUT', `/api/v0/instances/${verb}-price-increase/`, { pending_price_increase_id: id });
    await propose(2);
    await propose(3);
    await propose(4, 1);
    const [first, second] = await pending();
    assert.deepEqual([first?.['instance_id'], first?.['new_price']], [instance.id, 2]);
    assert.equal((await answer('reject', first?.['id'])).status, 200);
    assert.notEqual(instance.rates.gpu, 2);
    assert.equal((await answer('accept', second?.['id'])).status, 200);
    assert.equal(instance.rates.gpu, 3);
    assert.equal((await answer('accept', second?.['id'])).status, 404);
    simulator.advance(3601);
    assert.deepEqual(await pending(), []);
    assert.equal((await simulator.call('POST', '/__sim/price-increases/', { instance_id: 1 })).status, 404);
  });
});
