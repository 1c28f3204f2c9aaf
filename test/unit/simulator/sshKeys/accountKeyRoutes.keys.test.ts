import assert from 'node:assert/strict';
import { parsePublicKey } from '../../../../src/simulator/sshKeys/publicKey';
import { instanceKeys } from '../../../../src/wire/instance';
import { sshKey as sshKeySchema, sshKeyList } from '../../../../src/wire/sshKey';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';

const blob = (fill: string) =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 11]),
    Buffer.from('ssh-ed25519'),
    Buffer.from([0, 0, 0, 32]),
    Buffer.alloc(32, fill),
  ]).toString('base64');
const own = `ssh-ed25519 ${blob('a')} me@home`;
const other = `ssh-ed25519 ${blob('b')} other key`;

describe('The SSH keys of an account', () => {
  const simulators = useSimulators();

  it('are added, listed as a bare array, changed and deleted', async () => {
    const simulator = await simulators.start();
    const added = await simulator.call('POST', '/api/v0/ssh/', { ssh_key: `${own}\n` });
    assert.equal(added.json.success, true);
    const key = sshKeySchema.parse(added.json.key);
    assert.equal(key.public_key, own);
    const listed = await simulator.call('GET', '/api/v0/ssh/');
    assert.ok(Array.isArray(listed.json));
    assert.equal(sshKeyList.parse(listed.json).rows.length, 1);
    const changed = await simulator.call('PUT', `/api/v0/ssh/${key.id}/`, { id: key.id, ssh_key: other });
    assert.equal(changed.json.key.public_key, other);
    assert.deepEqual((await simulator.call('DELETE', `/api/v0/ssh/${key.id}/`)).json, { success: true });
    assert.deepEqual((await simulator.call('GET', '/api/v0/ssh/')).json, []);
  });

  it('must be public keys, and each only once', async () => {
    const simulator = await simulators.start();
    const add = async (ssh_key: unknown) => {
      const { status, json } = await simulator.call('POST', '/api/v0/ssh/', { ssh_key });
      return [status, json.error] as const;
    };
    for (const wrong of [
      '',
      'hello',
      null,
      own.slice(0, 60),
      own.replace('ssh-ed25519', 'ssh-rsa'),
      '-----BEGIN',
    ]) {
      assert.deepEqual(await add(wrong), [400, 'no_ssh_key'], String(wrong));
    }
    assert.equal((await add(own))[0], 200);
    assert.deepEqual(await add(own.replace('me@home', 'another comment')), [400, 'invalid_request']);
    const missing = await simulator.call('DELETE', '/api/v0/ssh/5/');
    assert.deepEqual([missing.status, missing.json.error], [400, 'no_ssh_key']);
    assert.equal((await simulator.call('DELETE', '/api/v0/ssh/x/')).status, 404);
  });

  it('can’t smuggle in a second line', () => {
    assert.equal(parsePublicKey(`${own}\ncommand="x" ${other}`), undefined);
    assert.equal(parsePublicKey(`command="x" ${own}`), undefined);
    assert.equal(parsePublicKey(`  ${own}  `), own);
  });
});

describe('The SSH keys of an instance', () => {
  const simulators = useSimulators();

  async function rent(simulator: TestSimulator): Promise<number> {
    const { market } = simulator.world;
    const slice = market.offers.find((each) => market.isRentable(each));
    const { json } = await simulator.call('PUT', `/api/v0/asks/${slice?.offerId ?? 0}/`, { image: 'a/b' });
    return Number(json.new_contract);
  }
  async function keysOf(simulator: TestSimulator, id: number) {
    const { json } = await simulator.call('GET', `/api/v0/instances/${id}/ssh/`);
    const { ssh_keys: text } = instanceKeys.parse(json);
    // A text with JSON inside, as documented.
    assert.equal(typeof text, 'string');
    return JSON.parse(String(text)) as { id: number; name: string; public_key: string }[];
  }

  it('are those that the account had at the rental', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const { json } = await simulator.call('POST', '/api/v0/ssh/', { ssh_key: own });
    const id = await rent(simulator);
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: other });
    const keys = await keysOf(simulator, id);
    assert.deepEqual(
      keys.map((key) => [key.id, key.name, key.public_key]),
      [[json.key.id, 'me@home', own]],
    );
  });

  it('are attached by their text, under the id of the account where it has them, and detached by id', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rent(simulator);
    const { json } = await simulator.call('POST', '/api/v0/ssh/', { ssh_key: own });
    const attach = (text: string) =>
      simulator.call('POST', `/api/v0/instances/${id}/ssh/`, { ssh_key: text });
    assert.deepEqual((await attach(own)).json, { success: true, msg: 'SSH key attached successfully' });
    await attach(own);
    await attach(other);
    const keys = await keysOf(simulator, id);
    assert.deepEqual(
      keys.map((key) => key.name),
      ['me@home', 'other key'],
    );
    assert.equal(keys[0]?.id, json.key.id);
    const detached = await simulator.call(
      'DELETE',
      `/api/v0/instances/${id}/ssh/${String(keys[0]?.id)}/`,
      {},
    );
    assert.equal(detached.json.success, true);
    assert.equal((await keysOf(simulator, id)).length, 1);
  });

  it('are refused with the documented codes', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rent(simulator);
    const detach = async (instance: number, key: string) => {
      const { status, json } = await simulator.call('DELETE', `/api/v0/instances/${instance}/ssh/${key}/`);
      return [status, json.error] as const;
    };
    assert.deepEqual(await detach(id, 'abc'), [400, 'invalid_request']);
    assert.deepEqual(await detach(id, '0'), [400, 'invalid_request']);
    assert.deepEqual(await detach(1, '5'), [404, 'no_such_instance']);
    assert.deepEqual(await detach(id, '5'), [404, 'no_such_ssh_key']);
    const wrong = await simulator.call('POST', `/api/v0/instances/${id}/ssh/`, { ssh_key: '17' });
    assert.deepEqual([wrong.status, wrong.json.error], [400, 'no_ssh_key']);
  });

  it('show only the documented fields in the mode for that', async () => {
    const simulator = await simulators.start({ fakeClock: true, minimalRecords: true });
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: own });
    const [key] = await keysOf(simulator, await rent(simulator));
    assert.deepEqual(Object.keys(key ?? {}), ['id', 'name', 'public_key']);
  });
});
