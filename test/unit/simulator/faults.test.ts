import assert from 'node:assert/strict';
import { settle } from '../../support/fakeClock';
import { useSimulators, type TestSimulator } from '../../support/startSimulator';

const path = '/api/v0/instances/';

describe('An ordered fault', () => {
  const simulators = useSimulators();
  const order = (simulator: TestSimulator, body: Record<string, unknown>) =>
    simulator.call('POST', '/__sim/faults/', { path, ...body });

  for (const status of [401, 403, 404, 410]) {
    it(`answers ${status} with the ordered code, once`, async () => {
      const simulator = await simulators.start();
      await order(simulator, { kind: 'error', status, error: 'some_code', msg: 'Said so.' });
      const hit = await simulator.call('GET', path);
      assert.deepEqual(
        [hit.status, hit.json],
        [status, { success: false, error: 'some_code', msg: 'Said so.' }],
      );
      assert.equal((await simulator.call('GET', path)).status, 200);
    });
  }

  it('limits the rate in JSON and in plain text', async () => {
    const simulator = await simulators.start();
    await order(simulator, { kind: 'rateLimit', threshold: 2.5 });
    await order(simulator, { kind: 'rateLimitText' });
    const json = await simulator.call('GET', path);
    assert.deepEqual(
      [json.status, json.json],
      [429, { detail: 'API requests too frequent endpoint threshold=2.5' }],
    );
    const text = await simulator.call('GET', path);
    assert.deepEqual([text.status, text.text], [429, 'API requests too frequent']);
    assert.equal(text.headers.get('content-type'), 'text/plain');
  });

  it('answers 500 with a page, before or after the request took effect', async () => {
    const simulator = await simulators.start();
    const key = { ssh_key: sshKey };
    await order(simulator, { kind: 'html500', path: '/api/v0/ssh/' });
    const before = await simulator.call('POST', '/api/v0/ssh/', key);
    assert.deepEqual([before.status, before.text.startsWith('<!DOCTYPE html>')], [500, true]);
    assert.equal(simulator.world.sshKeys.length, 0);
    await order(simulator, { kind: 'html500', path: '/api/v0/ssh/', after: true });
    assert.equal((await simulator.call('POST', '/api/v0/ssh/', key)).status, 500);
    assert.equal(simulator.world.sshKeys.length, 1);
  });

  it('refuses a request that took effect, too', async () => {
    const simulator = await simulators.start();
    const refusals = [
      { kind: 'error', status: 409, error: 'conflict' },
      { kind: 'rateLimit', threshold: 2.5 },
      { kind: 'rateLimitText' },
      { kind: 'answer', status: 404, body: {} },
    ] as const;
    for (const [index, refusal] of refusals.entries()) {
      await order(simulator, { ...refusal, method: 'POST', path: '/api/v0/secrets/', after: true });
      const secret = { key: `A${index}`, value: 'b' };
      assert.ok((await simulator.call('POST', '/api/v0/secrets/', secret)).status >= 400);
      const { json } = await simulator.call('GET', '/api/v0/secrets/');
      assert.equal(Object.keys(json.secrets as object).length, index + 1);
    }
  });

  it('loses the connection before or after the request took effect', async () => {
    const simulator = await simulators.start();
    await order(simulator, { kind: 'dropBefore', path: '/api/v0/ssh/' });
    await assert.rejects(simulator.call('POST', '/api/v0/ssh/', { ssh_key: sshKey }));
    assert.equal(simulator.world.sshKeys.length, 0);
    await order(simulator, { kind: 'dropAfter', path: '/api/v0/ssh/' });
    await assert.rejects(simulator.call('POST', '/api/v0/ssh/', { ssh_key: sshKey }));
    assert.equal(simulator.world.sshKeys.length, 1);
    assert.deepEqual(
      simulator.received('POST').map((request) => request.status),
      [0, 0],
    );
  });

  it('cuts the answer off in the middle', async () => {
    const simulator = await simulators.start();
    await order(simulator, { kind: 'cutOff' });
    const answer = await simulator.call('GET', path);
    assert.equal(answer.status, 200);
    assert.equal(answer.json, undefined);
    assert.equal(answer.text, '{"instances_found":0'.slice(0, answer.text.length));
  });

  it('gives every value another type', async () => {
    const simulator = await simulators.start();
    await order(simulator, { kind: 'wrongTypes' });
    assert.deepEqual((await simulator.call('GET', path)).json, {
      instances_found: { value: 0 },
      instances: 'list',
    });
    await order(simulator, { kind: 'wrongTypes', path: '/api/v0/instances/{id}/' });
    assert.deepEqual((await simulator.call('GET', `${path}5/`)).json, { instances: 'null' });
    await order(simulator, { kind: 'wrongTypes', path: '/nowhere/' });
    assert.deepEqual((await simulator.call('GET', '/nowhere/')).json, { success: ['yes'], error: 7, msg: 7 });
  });

  it('gives the ordered answer', async () => {
    const simulator = await simulators.start();
    await order(simulator, { kind: 'answer', status: 202, body: [1, 'two'] });
    const answer = await simulator.call('GET', path);
    assert.deepEqual([answer.status, answer.json], [202, [1, 'two']]);
  });

  it('delays by the simulated time, beside another fault', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    simulator.fail({ kind: 'delay', path, delayMs: 5000 });
    simulator.fail({ kind: 'error', path, status: 410 });
    let status = 0;
    const call = simulator.call('GET', path).then((answer) => (status = answer.status));
    while (simulator.requests().length === 0) {
      await settle();
    }
    await simulator.fakeClock?.advance(4999);
    assert.equal(status, 0);
    await simulator.fakeClock?.advance(1);
    await call;
    assert.equal(status, 410);
  });

  it('leaves a stalled request without an answer', async () => {
    const simulator = await simulators.start();
    simulator.fail({ kind: 'stall', path });
    const giveUp = new AbortController();
    const call = fetch(simulator.url + path, { signal: giveUp.signal });
    while (simulator.requests().length === 0) {
      await settle();
    }
    giveUp.abort();
    await assert.rejects(call, { name: 'AbortError' });
  });

  it('hits as often as ordered, after as many as ordered have passed, and only what it names', async () => {
    const simulator = await simulators.start();
    simulator.fail({
      kind: 'error',
      path: '/api/v0/instances/{any}/',
      method: 'get',
      status: 418,
      times: 2,
      skip: 1,
    });
    const statuses = async (calls: readonly string[]) => {
      const seen: number[] = [];
      for (const call of calls) {
        seen.push((await simulator.call('GET', call)).status);
      }
      return seen;
    };
    assert.deepEqual(
      await statuses([path, `${path}1/`, `${path}2`, path, `${path}3/`, `${path}4/`]),
      [200, 200, 418, 200, 418, 200],
    );
    simulator.fail({ kind: 'error', path: '/api/v0/*', status: 418, times: 0 });
    assert.deepEqual(await statuses([path, '/api/v0/users/current/']), [418, 418]);
    const { json } = await simulator.call('GET', '/__sim/faults/');
    assert.deepEqual([json.faults.length, json.faults[0].hits], [1, 2]);
    await simulator.call('DELETE', '/__sim/faults/', { id: json.faults[0].id });
    assert.deepEqual(await statuses([path]), [200]);
  });

  it('is refused when it names nothing that can be done', async () => {
    const simulator = await simulators.start();
    assert.equal((await order(simulator, { kind: 'explode' })).status, 400);
    assert.equal((await simulator.call('POST', '/__sim/faults/', [])).status, 400);
    assert.equal((await simulator.call('POST', '/__sim/faults/', { kind: 'delay' })).status, 400);
  });
});

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB me@home';
