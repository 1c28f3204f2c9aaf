import assert from 'node:assert/strict';
import { instance as instanceSchema, oneInstance } from '../../../../src/wire/instance';
import {
  useSimulators,
  type TestSimulator,
  type TestSimulatorOptions,
} from '../../../support/startSimulator';

describe('The life of an instance', () => {
  const simulators = useSimulators();
  const start = (options: TestSimulatorOptions = {}) => simulators.start({ fakeClock: true, ...options });

  async function rent(simulator: TestSimulator, body: Record<string, unknown> = {}): Promise<number> {
    const { market } = simulator.world;
    const slice = market.offers.find((each) => market.isRentable(each) && each.machine.ports > 9);
    const { json, text } = await simulator.call('PUT', `/api/v0/asks/${slice?.offerId ?? 0}/`, {
      image: 'a/b',
      runtype: 'ssh_direct',
      ...body,
    });
    assert.ok(json.new_contract, text);
    return Number(json.new_contract);
  }
  async function read(simulator: TestSimulator, id: number) {
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/`);
    return instanceSchema.parse(oneInstance.parse(json).instances);
  }
  const put = (simulator: TestSimulator, id: number, body: unknown) =>
    simulator.call('PUT', `/api/v0/instances/${id}/`, body);

  it('passes from null over loading to running in one to five minutes, with messages of the host', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    const seen: (string | null | undefined)[] = [];
    const messages = new Set<string | undefined>();
    let seconds = 0;
    for (; seconds < 300 && seen.at(-1) !== 'running'; seconds += 2) {
      const { actual_status: status, status_msg: message } = await read(simulator, id);
      messages.add(message);
      if (seen.at(-1) !== status) {
        seen.push(status);
      }
      simulator.advance(2);
    }
    assert.deepEqual(seen, [null, 'loading', 'running']);
    assert.ok(seconds >= 60, `${seconds} s`);
    assert.ok(messages.size >= 6);
  });

  it('boots faster by the factor of the speed', async () => {
    const simulator = await start({ speed: 5 });
    const id = await rent(simulator);
    simulator.advance(15);
    assert.equal((await read(simulator, id)).actual_status, 'loading');
    simulator.advance(20);
    assert.equal((await read(simulator, id)).actual_status, 'running');
  });

  it('has no ports and no address of the machine until it runs', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/`);
    assert.equal('ports' in json.instances, false);
    assert.deepEqual([json.instances.ssh_port, json.instances.public_ipaddr], [null, null]);
    assert.equal(typeof json.instances.start_date, 'number');
    assert.deepEqual(json.instances.extra_env, []);
    simulator.advance(300);
    const running = await read(simulator, id);
    assert.ok(running.ssh_port);
    assert.equal(running.public_ipaddr, '127.0.0.1');
    assert.ok(Number(running.ports?.['22/tcp']?.[0]?.HostPort) > 0);
  });

  it('states the proxy port one lower when Jupyter is on', async () => {
    const simulator = await start();
    const id = await rent(simulator, { runtype: 'jupyter_direct' });
    simulator.advance(300);
    const row = await read(simulator, id);
    assert.equal(Number(row.ssh_port) + 1, simulator.world.instance(id)?.proxyPort);
    assert.deepEqual(Object.keys(row.ports ?? {}).sort(), ['22/tcp', '8080/tcp']);
  });

  it('has no SSH with the run type args', async () => {
    const simulator = await start();
    const id = await rent(simulator, { runtype: 'args', args_str: '--serve' });
    simulator.advance(300);
    const row = await read(simulator, id);
    assert.deepEqual([row.actual_status, row.ssh_host, row.ssh_port], ['running', undefined, undefined]);
  });

  it('stops to exited with the intent stopped, and starts again', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    simulator.advance(300);
    assert.deepEqual((await put(simulator, id, { state: 'stopped' })).json, { success: true });
    assert.deepEqual((await put(simulator, id, { state: 'stopped' })).json, { success: true });
    simulator.advance(5);
    const stopped = await read(simulator, id);
    assert.deepEqual(
      [stopped.actual_status, stopped.intended_status, stopped.cur_state],
      ['exited', 'stopped', 'stopped'],
    );
    assert.deepEqual((await put(simulator, id, { state: 'running' })).json, { success: true });
    // For a moment it still shows how it was.
    const lingering = await read(simulator, id);
    assert.deepEqual([lingering.actual_status, lingering.intended_status], ['exited', 'running']);
    simulator.advance(10);
    assert.equal((await read(simulator, id)).actual_status, 'loading');
    simulator.advance(60);
    assert.equal((await read(simulator, id)).actual_status, 'running');
  });

  it('stops in every state, and destroys in every state', async () => {
    for (const seconds of [0, 40, 300]) {
      const simulator = await start();
      const id = await rent(simulator);
      simulator.advance(seconds);
      await put(simulator, id, { state: 'stopped' });
      simulator.advance(600);
      assert.equal((await read(simulator, id)).actual_status, 'exited');
      const gone = await simulator.call('DELETE', `/api/v0/instances/${id}/`, {});
      assert.deepEqual([gone.status, gone.json], [200, { success: true }]);
    }
  });

  it('is rented as stopped when that is asked', async () => {
    const simulator = await start();
    const id = await rent(simulator, { target_state: 'stopped' });
    simulator.advance(300);
    const row = await read(simulator, id);
    assert.deepEqual([row.actual_status, row.intended_status], ['exited', 'stopped']);
  });

  for (const outcome of ['exited', 'unknown', 'offline', 'created']) {
    it(`that failed as ${outcome} while meant to run never runs, after any request`, async () => {
      const simulator = await start();
      await simulator.call('POST', '/__sim/next-boot/', { outcome, message: 'CUDA error' });
      const id = await rent(simulator);
      simulator.advance(300);
      const failed = await read(simulator, id);
      assert.deepEqual(
        [failed.actual_status, failed.intended_status, failed.status_msg],
        [outcome, 'running', 'CUDA error'],
      );
      for (const state of ['running', 'stopped', 'running']) {
        const { status } = await put(simulator, id, { state });
        assert.equal(status, 200);
        simulator.advance(600);
        assert.equal((await read(simulator, id)).actual_status, outcome);
      }
      const { json } = await put(simulator, id, { state: 'running' });
      assert.deepEqual([json.success, json.error], [false, 'resources_unavailable']);
      const second = await rent(simulator);
      simulator.advance(300);
      assert.equal((await read(simulator, second)).actual_status, 'running');
    });
  }

  it('can be made to fail on one machine, for one instance, or to stay stuck', async () => {
    const simulator = await start();
    const stuck = await rent(simulator);
    await simulator.call('POST', '/__sim/next-boot/', {
      instance_id: stuck,
      outcome: 'stuck',
      message: 'Still pulling',
    });
    const { machineId } = simulator.world.instance(stuck) ?? { machineId: 0 };
    await simulator.call('POST', '/__sim/next-boot/', { machine_id: machineId + 1, times: 2 });
    simulator.advance(3600);
    const row = await read(simulator, stuck);
    assert.deepEqual([row.actual_status, row.status_msg], ['loading', 'Still pulling']);
    await simulator.call('DELETE', '/__sim/orders/');
    assert.equal((await simulator.call('POST', '/__sim/next-boot/', { outcome: 'dancing' })).status, 400);
    assert.equal((await simulator.call('POST', '/__sim/next-boot/', { instance_id: 1 })).status, 404);
    assert.equal((await simulator.call('PUT', '/__sim/instances/1/', {})).status, 404);
  });

  it('can be given a message and a state, and its machine can be made unreachable', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    simulator.advance(300);
    await simulator.call('PUT', `/__sim/instances/${id}/`, { status_msg: 'Disk is slow' });
    assert.equal((await read(simulator, id)).status_msg, 'Disk is slow');
    await simulator.call('PUT', `/__sim/instances/${id}/`, { actual_status: 'unknown' });
    assert.equal((await read(simulator, id)).actual_status, 'unknown');
    const { machineId } = simulator.world.instance(id) ?? { machineId: 0 };
    const { json } = await simulator.call('POST', `/__sim/machines/${machineId}/offline/`);
    assert.deepEqual(json.instances, [id]);
    assert.equal((await read(simulator, id)).actual_status, 'offline');
  });

  it('pauses when it is outbid, and returns after a stop, a higher bid and a start', async () => {
    const simulator = await start();
    const { market } = simulator.world;
    const slice = market.offers.find((each) => market.isRentable(each));
    assert.ok(slice);
    const least = market.minBidPerGpu(slice.machine) * slice.gpus;
    const rented = await simulator.call('PUT', `/api/v0/asks/${slice.offerId}/`, {
      image: 'a',
      price: least,
    });
    const id = Number(rented.json.new_contract);
    simulator.advance(300);
    await simulator.call('POST', `/__sim/instances/${id}/outbid/`);
    const paused = await read(simulator, id);
    assert.deepEqual([paused.actual_status, paused.intended_status], ['exited', 'running']);
    const bid = await simulator.call('PUT', `/api/v0/instances/bid_price/${id}/`, {
      client_id: 'me',
      price: String(least * 2),
    });
    assert.deepEqual(bid.json, { success: true });
    simulator.advance(600);
    // An instance that exited while it was meant to run never becomes running
    // (docs/service/instances.md#failed-statuses).
    assert.equal((await read(simulator, id)).actual_status, 'exited');
    const { json } = await put(simulator, id, { state: 'running' });
    assert.equal(json.success, false);
    for (const price of [0, 0.0005, 1e6, null]) {
      const refused = await simulator.call('PUT', `/api/v0/instances/bid_price/${id}/`, { price });
      assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_args']);
    }
  });

  it('on demand has no bid and can’t be outbid', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    assert.equal(
      (await simulator.call('PUT', `/api/v0/instances/bid_price/${id}/`, { price: 1 })).status,
      400,
    );
    assert.equal((await simulator.call('POST', `/__sim/instances/${id}/outbid/`)).status, 400);
  });

  it('restarts in place when it runs and only then; recycling empties it', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    assert.equal((await simulator.call('PUT', `/api/v0/instances/reboot/${id}/`, {})).status, 400);
    simulator.advance(300);
    for (const action of ['reboot', 'recycle']) {
      const { status } = await simulator.call('PUT', `/api/v0/instances/${action}/${id}/`, {});
      assert.equal(status, 200);
      assert.equal((await read(simulator, id)).actual_status, 'loading');
      simulator.advance(60);
      assert.equal((await read(simulator, id)).actual_status, 'running');
    }
  });

  it('waits for a GPU when another user has rented it', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    simulator.advance(300);
    await put(simulator, id, { state: 'stopped' });
    simulator.advance(5);
    const { machineId } = simulator.world.instance(id) ?? { machineId: 0 };
    const machine = simulator.world.market.machine(machineId);
    assert.ok(machine);
    const whole = simulator.world.market.offers.filter((slice) => slice.machine === machine).at(-1);
    const other = await simulator.call('PUT', `/api/v0/asks/${whole?.offerId ?? 0}/`, { image: 'a' });
    const { json } = await put(simulator, id, { state: 'running' });
    assert.deepEqual([json.success, json.error], [false, 'resources_unavailable']);
    assert.equal((await put(simulator, id, { state: 'running' })).json.success, false);
    simulator.advance(100);
    assert.equal((await read(simulator, id)).actual_status, 'scheduling');
    await simulator.call('DELETE', `/api/v0/instances/${String(other.json.new_contract)}/`);
    simulator.advance(100);
    assert.equal((await read(simulator, id)).actual_status, 'running');
  });

  it('reads as null once it is gone, and is destroyed once', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    await simulator.call('DELETE', `/api/v0/instances/${id}/`);
    assert.deepEqual((await simulator.call('GET', `/api/v0/instances/${id}/`)).json, { instances: null });
    const again = await simulator.call('DELETE', `/api/v0/instances/${id}/`);
    assert.deepEqual([again.status, again.json.error], [404, 'no_such_instance']);
    assert.equal((await put(simulator, id, { state: 'stopped' })).status, 404);
    assert.equal((await simulator.call('DELETE', '/api/v0/instances/abc/')).status, 404);
  });

  it('is changed and destroyed together with others, all or none', async () => {
    const simulator = await start();
    const ids = [await rent(simulator), await rent(simulator)];
    simulator.advance(300);
    const bulk = (body: unknown) => simulator.call('PUT', '/api/v0/instances/', body);
    assert.equal((await bulk({ state: 'stopped', ids: [...ids, 1] })).status, 404);
    assert.equal((await bulk({ state: 'stopped', ids: [] })).status, 400);
    assert.equal((await bulk({ ids })).status, 400);
    assert.equal((await bulk({ state: 'stopped', ids: ids.map(String) })).status, 200);
    assert.deepEqual(
      simulator.world.instances.map((each) => each.intendedStatus),
      ['stopped', 'stopped'],
    );
    assert.equal((await bulk({ state: 'running', ids })).json.success, true);
    assert.equal((await simulator.call('DELETE', '/api/v0/instances/', { instance_ids: ids })).status, 200);
    assert.equal(simulator.world.instances.length, 0);
    assert.equal((await simulator.call('DELETE', '/api/v0/instances/', { instance_ids: 'all' })).status, 400);
  });

  it('accepts a label of up to 1024 characters, and explains what else it needs', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    assert.equal((await put(simulator, id, { label: 'x'.repeat(1024) })).status, 200);
    const long = await put(simulator, id, { label: 'x'.repeat(1025) });
    assert.deepEqual([long.status, long.json.error], [400, 'label_too_long']);
    assert.equal((await put(simulator, id, { state: null })).status, 400);
    assert.equal((await put(simulator, id, { state: 'paused' })).status, 400);
    assert.equal((await read(simulator, id)).label?.length, 1024);
  });

  it('belongs to its account alone', async () => {
    const simulator = await start();
    const id = await rent(simulator);
    const { json: other } = await simulator.call('POST', '/__sim/accounts/', {
      email: 'b@example.com',
      credit: 3,
    });
    const key = String(other.key);
    assert.deepEqual((await simulator.call('GET', `/api/v0/instances/${id}/`, undefined, key)).json, {
      instances: null,
    });
    assert.equal((await simulator.call('DELETE', `/api/v0/instances/${id}/`, undefined, key)).status, 404);
    assert.equal(
      (await simulator.call('PUT', '/api/v0/instances/', { state: 'stopped', ids: [id] }, key)).status,
      404,
    );
    assert.deepEqual((await simulator.call('GET', '/api/v0/instances/', undefined, key)).json.instances, []);
  });

  it('carries only the documented fields and its id in the mode for that', async () => {
    const simulator = await start({ minimalRecords: true });
    const id = await rent(simulator);
    simulator.advance(300);
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/`);
    assert.deepEqual(Object.keys(json.instances as object).sort(), [
      'actual_status',
      'id',
      'ssh_host',
      'ssh_port',
    ]);
  });
});
