import assert from 'node:assert/strict';
import { rentAnswer } from '../../../../src/wire/instance';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB me@home';

describe('Renting', () => {
  const simulators = useSimulators();
  const start = () => simulators.start({ fakeClock: true, credit: 1000 });

  function freeOffer(simulator: TestSimulator, fits: (machine: { vms: boolean }) => boolean = () => true) {
    const { market } = simulator.world;
    const slice = market.offers.find(
      (each) => market.isRentable(each) && each.gpus === 1 && fits(each.machine),
    );
    assert.ok(slice);
    return slice;
  }
  const rent = (simulator: TestSimulator, offerId: number, body: unknown) =>
    simulator.call('PUT', `/api/v0/asks/${offerId}/`, body);

  it('answers the id as new_contract, beside the restricted key', async () => {
    const simulator = await start();
    const { offerId } = freeOffer(simulator);
    const { status, json } = await rent(simulator, offerId, { image: 'a/b', label: 'mine [gr-0a1b2c3d]' });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json as object).sort(), ['instance_api_key', 'new_contract', 'success']);
    const answer = rentAnswer.parse(json);
    const instance = simulator.world.instance(answer.new_contract ?? 0);
    assert.equal(instance?.label, 'mine [gr-0a1b2c3d]');
    assert.equal(instance.actualStatus, null);
    assert.equal(instance.diskGb, 8);
    assert.equal(instance.apiKey, answer.instance_api_key);
  });

  it('keeps every field of the request', async () => {
    const simulator = await start();
    const { offerId } = freeOffer(simulator);
    const { json } = await rent(simulator, offerId, {
      image: 'a/b:1',
      disk: '20',
      runtype: 'jupyter_direct',
      env: { A: '1', '-p 7000:7000': '1' },
      onstart: 'echo hi',
      use_jupyter_lab: true,
      jupyter_dir: '/work',
      lang_utf8: true,
      image_login: '-u a -p b r',
      target_state: 'stopped',
    });
    const instance = simulator.world.instance(Number(json.new_contract));
    assert.ok(instance);
    assert.deepEqual(
      {
        image: instance.image,
        diskGb: instance.diskGb,
        env: instance.env,
        onstart: instance.onstart,
        jupyterLab: instance.jupyterLab,
        jupyterDir: instance.jupyterDir,
        utf8: instance.utf8,
        imageLogin: instance.imageLogin,
        intendedStatus: instance.intendedStatus,
      },
      {
        image: 'a/b:1',
        diskGb: 20,
        env: { A: '1', '-p 7000:7000': '1' },
        onstart: 'echo hi',
        jupyterLab: true,
        jupyterDir: '/work',
        utf8: true,
        imageLogin: '-u a -p b r',
        intendedStatus: 'stopped',
      },
    );
    assert.ok(instance.access.jupyter && instance.access.direct);
  });

  it('accepts the body of the public command-line client: nulls, client_id, compound run types, args as a list', async () => {
    const simulator = await start();
    const { offerId } = freeOffer(simulator);
    const { status, json } = await rent(simulator, offerId, {
      client_id: 'me',
      image: 'a/b',
      env: {},
      price: null,
      disk: 10.0,
      label: null,
      extra: null,
      onstart: null,
      image_login: null,
      python_utf8: null,
      lang_utf8: null,
      use_jupyter_lab: false,
      jupyter_dir: null,
      force: false,
      cancel_unavail: false,
      template_hash_id: null,
      user: null,
      runtype: 'args',
      args: ['python', '-m', 'x'],
    });
    assert.equal(status, 200);
    assert.deepEqual(simulator.world.instance(Number(json.new_contract))?.args, ['python', '-m', 'x']);
  });

  it('rents from a template, counts it, and merges', async () => {
    const simulator = await start();
    const { offerId } = freeOffer(simulator);
    const counted: number[] = [];
    simulator.world.ports.templates = {
      byHash: (hashId) =>
        hashId === 'good'
          ? { id: 9, hashId, name: 'Base', image: 'x/y', tag: '3', runtype: 'ssh', env: '-e A=1' }
          : undefined,
      rented: (id) => counted.push(id),
    };
    const { json } = await rent(simulator, offerId, { template_hash_id: 'good', env: { B: 2 } });
    const instance = simulator.world.instance(Number(json.new_contract));
    assert.deepEqual(
      [instance?.image, instance?.env, instance?.templateName, counted],
      ['x/y:3', { A: '1', B: '2' }, 'Base', [9]],
    );
    const unknown = await rent(simulator, offerId, { template_hash_id: 'old' });
    assert.deepEqual(
      [unknown.status, unknown.json.error, unknown.json.ask_id],
      [400, 'invalid_args', offerId],
    );
  });

  for (const [what, body] of [
    ['no image', {}],
    ['an image with spaces', { image: 'a b' }],
    ['an endless image', { image: 'a'.repeat(1025) }],
    ['a label that is too long', { image: 'a', label: 'x'.repeat(257) }],
    ['an on-start script of 4049 characters', { image: 'a', onstart: 'x'.repeat(4049) }],
    ['no disk', { image: 'a', disk: 0 }],
    ['a disk below 8 GB', { image: 'a', disk: 7.9 }],
    ['more disk than there is', { image: 'a', disk: 1e9 }],
    ['an unknown run type', { image: 'a', runtype: 'telnet' }],
    ['an unknown state', { image: 'a', target_state: 'flying' }],
    ['args with an SSH run type', { image: 'a', runtype: 'ssh_direct', args_str: 'x' }],
    ['an environment that is no object', { image: 'a', env: 'A=1' }],
    ['a variable that is no text', { image: 'a', env: { A: {} } }],
    [
      'too many ports',
      {
        image: 'a',
        env: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`-p ${i + 1}:${i + 1}`, '1'])),
      },
    ],
    ['a variable of 257 characters', { image: 'a', env: { A: 'x'.repeat(255) } }],
    [
      'an endless environment',
      {
        image: 'a',
        env: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`A${i}`, 'x'.repeat(200)])),
      },
    ],
    ['filters that are no object', { image: 'a', extra_filters: 'text' }],
    [
      'a volume that is not there',
      { image: 'a', volume_info: { create_new: false, volume_id: 999_999, mount_path: '/v' } },
    ],
  ] as const) {
    it(`refuses ${what} with invalid_args and the offer's id`, async () => {
      const simulator = await start();
      const { offerId } = freeOffer(simulator);
      const { status, json } = await rent(simulator, offerId, body);
      assert.ok(status === 400 || status === 404, String(status));
      assert.equal(json.success, false);
      assert.ok(json.error === 'invalid_args' || json.error === 'no_such_volume', String(json.error));
      assert.equal(json.ask_id, offerId);
      assert.equal(simulator.world.instances.length, 0);
    });
  }

  it('counts the on-start script at its limit as fine', async () => {
    const simulator = await start();
    const { status } = await rent(simulator, freeOffer(simulator).offerId, {
      image: 'a',
      onstart: 'x'.repeat(4048),
    });
    assert.equal(status, 200);
  });

  it('answers 404 for an offer that never was and 410 for one that is gone', async () => {
    const simulator = await start();
    const never = await rent(simulator, 5, { image: 'a' });
    assert.deepEqual([never.status, never.json.error, never.json.ask_id], [404, 'invalid_args', 5]);
    assert.match(String(never.json.msg), /no_such_ask/);
    const { offerId } = freeOffer(simulator);
    simulator.world.market.mark('goneOffers', offerId, true);
    const gone = await rent(simulator, offerId, { image: 'a' });
    assert.deepEqual([gone.status, gone.json.error, gone.json.ask_id], [410, 'no_such_ask', offerId]);
    assert.equal((await simulator.call('PUT', '/api/v0/asks/abc/', { image: 'a' })).status, 404);
  });

  it('answers 403 for a machine that is kept for its owner', async () => {
    const simulator = await start();
    const { offerId } = freeOffer(simulator);
    await simulator.call('PUT', `/__sim/offers/${offerId}/`, { private: true });
    const { status, json } = await rent(simulator, offerId, { image: 'a' });
    assert.deepEqual([status, json.error], [403, 'invalid_args']);
  });

  it('answers 410 with cancel_unavail when the GPUs are taken, and otherwise makes a contract that waits', async () => {
    const simulator = await start();
    const slice = freeOffer(simulator);
    const whole = simulator.world.market.offers.filter((each) => each.machine === slice.machine).at(-1);
    const first = await rent(simulator, whole?.offerId ?? 0, { image: 'a' });
    assert.equal(first.status, 200);
    const refused = await rent(simulator, slice.offerId, { image: 'a', cancel_unavail: true });
    assert.deepEqual([refused.status, refused.json.error], [410, 'no_such_ask']);
    const waiting = await rent(simulator, slice.offerId, { image: 'a' });
    assert.deepEqual(
      [waiting.status, waiting.json.success, waiting.json.error],
      [200, false, 'resources_unavailable'],
    );
    const id = Number(waiting.json.new_contract);
    simulator.advance(3600);
    assert.equal(simulator.world.instance(id)?.actualStatus, null);
    await simulator.call('DELETE', `/api/v0/instances/${String(first.json.new_contract)}/`);
    simulator.advance(600);
    assert.equal(simulator.world.instance(id)?.actualStatus, 'running');
  });

  it('can be made to doubt the next rental, which exists all the same', async () => {
    const simulator = await start();
    await simulator.call('POST', '/__sim/next-rent/', { error: 'pending', msg: 'Bid pending.' });
    const { json } = await rent(simulator, freeOffer(simulator).offerId, { image: 'a' });
    assert.deepEqual([json.success, json.error, json.msg], [false, 'pending', 'Bid pending.']);
    assert.ok(simulator.world.instance(Number(json.new_contract)));
    const certain = await rent(simulator, freeOffer(simulator).offerId, { image: 'a' });
    assert.equal(certain.json.success, true);
  });

  it('accepts a bid from the lowest on, and charges it', async () => {
    const simulator = await start();
    const slice = freeOffer(simulator);
    const least = simulator.world.market.minBidPerGpu(slice.machine);
    for (const price of [0.0001, 129, least / 2, 33]) {
      const { status, json } = await rent(simulator, slice.offerId, { image: 'a', price });
      assert.deepEqual([status, json.error], [400, 'invalid_price'], String(price));
    }
    const { json } = await rent(simulator, slice.offerId, { image: 'a', price: least });
    const instance = simulator.world.instance(Number(json.new_contract));
    assert.deepEqual([instance?.isBid, instance?.rates.gpu], [true, least]);
  });

  it('wants a key before it makes a VM, and a machine that runs VMs', async () => {
    const simulator = await start();
    const { offerId } = freeOffer(simulator, (machine) => machine.vms);
    const none = await rent(simulator, offerId, { image: 'a', vm: true });
    assert.deepEqual([none.status, none.json.error], [400, 'no_ssh_key_for_vm']);
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: sshKey });
    const { status, json } = await rent(simulator, offerId, { image: 'a', vm: true });
    assert.equal(status, 200);
    const late = await simulator.call('POST', `/api/v0/instances/${String(json.new_contract)}/ssh/`, {
      ssh_key: sshKey,
    });
    assert.deepEqual([late.status, late.json.error], [400, 'invalid_request']);
    const other = freeOffer(simulator, (machine) => !machine.vms);
    assert.equal((await rent(simulator, other.offerId, { image: 'a', vm: true })).status, 400);
  });

  it('wants credit', async () => {
    const simulator = await start();
    await simulator.call('PUT', '/__sim/credit/', { credit: 0 });
    const { status, json } = await rent(simulator, freeOffer(simulator).offerId, { image: 'a' });
    assert.deepEqual([status, json.error], [400, 'missing_billing']);
  });

  it('attaches the volume that the request names', async () => {
    const simulator = await start();
    const slice = freeOffer(simulator);
    const asked: unknown[] = [];
    simulator.world.ports.volumes = {
      attach: (wanted, rental) => {
        asked.push([wanted, rental.machineId]);
        return { volumeId: 77, mountPath: '/data' };
      },
    };
    const info = { create_new: false, volume_id: 77, mount_path: '/data' };
    const { json } = await rent(simulator, slice.offerId, { image: 'a', volume_info: info });
    assert.deepEqual(asked, [[info, slice.machine.id]]);
    const { json: read } = await simulator.call('GET', `/api/v0/instances/${String(json.new_contract)}/`);
    assert.deepEqual(read.instances.volume_info, [{ volume_id: 77, mount_path: '/data' }]);
  });
});
