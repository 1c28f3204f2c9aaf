import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { NotFoundError, RefusedError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { describeFailures, refused } from '../support/failureMatrix';

const address = '/api/v0/secrets/';
const nonexistent = {
  status: 400,
  code: 'nonexistent_key',
  error: NotFoundError,
  message: /no longer exists/,
  nextStep: 'retry' as const,
};

async function withToken(_: unknown, client: Client): Promise<number> {
  await client.secrets.create('HF_TOKEN', 'hf_abc');
  return 0;
}

describeFailures({
  name: 'secrets.list',
  method: 'GET',
  path: address,
  repeat: 'read',
  prepare: withToken,
  call: (client, _, options) => client.secrets.list(options),
  succeeds: (result) => {
    assert.deepEqual(result, [{ name: 'HF_TOKEN', value: 'hf_abc' }]);
  },
  // A value that is no text is a value that is not known; the name stays.
  differs: { 'wrong types': { value: [{ name: 'HF_TOKEN' }], asked: 1 } },
});

describeFailures({
  name: 'secrets.create',
  method: 'POST',
  path: address,
  repeat: 'write',
  call: (client, _, options) => client.secrets.create('HF_TOKEN', 'hf_abc', options),
  succeeds: (result, simulator) => {
    assert.equal(result, undefined);
    assert.deepEqual(simulator.received('POST', address).at(-1)?.body, { key: 'HF_TOKEN', value: 'hf_abc' });
  },
  refusals: [
    refused(400, 'missing_input', /value is missing/),
    refused(400, 'max_secrets', /Delete one first/),
    refused(400, 'existing_key', /with this name exists/),
  ],
});

describeFailures({
  name: 'secrets.update',
  method: 'PUT',
  path: address,
  repeat: 'write',
  prepare: withToken,
  call: (client, _, options) => client.secrets.update('HF_TOKEN', 'hf_def', options),
  succeeds: (result, simulator) => {
    assert.equal(result, undefined);
    assert.deepEqual(simulator.received('PUT', address).at(-1)?.body, { key: 'HF_TOKEN', value: 'hf_def' });
  },
  refusals: [
    refused(400, 'empty_input', /value is missing/),
    refused(400, 'input_too_long', /too long/),
    refused(400, 'invalid_characters', /letters, digits/),
    nonexistent,
  ],
});

describeFailures({
  name: 'secrets.remove',
  method: 'DELETE',
  path: address,
  repeat: 'write',
  prepare: withToken,
  call: (client, _, options) => client.secrets.remove('HF_TOKEN', options),
  succeeds: (result, simulator) => {
    assert.equal(result, undefined);
    assert.deepEqual(simulator.received('DELETE', address).at(-1)?.body, { key: 'HF_TOKEN' });
  },
  refusals: [refused(400, 'missing_input', /value is missing/), nonexistent],
});

describe('secrets', () => {
  const clients = useClients();

  const code = (wanted: string) => (error: unknown) =>
    (error instanceof RefusedError || error instanceof NotFoundError) && error.code === wanted;

  it('are upper-case names with values that can be changed and deleted', async () => {
    const { client } = await clients.start();
    await client.secrets.create('wandb_key', 'one');
    await client.secrets.update('WANDB_KEY', 'two');
    assert.deepEqual(await client.secrets.list(), [{ name: 'WANDB_KEY', value: 'two' }]);
    await assert.rejects(client.secrets.create('WANDB_KEY', 'three'), code('existing_key'));
    await client.secrets.remove('wandb_key');
    assert.deepEqual(await client.secrets.list(), []);
    await assert.rejects(client.secrets.remove('WANDB_KEY'), code('nonexistent_key'));
    await assert.rejects(client.secrets.update('WANDB_KEY', 'x'), code('nonexistent_key'));
  });

  it('are checked', async () => {
    const { client } = await clients.start();
    await assert.rejects(client.secrets.create('A', 'two words'), code('invalid_characters'));
    await assert.rejects(client.secrets.create('1A', 'x'), code('invalid_characters'));
    await assert.rejects(client.secrets.create('A', 'x'.repeat(8193)), code('input_too_long'));
    await assert.rejects(client.secrets.create('A'.repeat(256), 'x'), code('input_too_long'));
    await assert.rejects(client.secrets.create('', 'x'), code('missing_input'));
    await client.secrets.create('A', 'x');
    await assert.rejects(client.secrets.update('A', ''), code('empty_input'));
  });

  it('are a hundred at most', async () => {
    const { client } = await clients.start();
    for (let index = 0; index < 100; index += 1) {
      await client.secrets.create(`A${index}`, 'x');
    }
    await assert.rejects(client.secrets.create('ONE_MORE', 'x'), code('max_secrets'));
  });

  it('read stars as a hidden value', async () => {
    const { simulator, client } = await clients.start();
    simulator.fail({
      kind: 'answer',
      path: address,
      body: { success: true, secrets: { HF_TOKEN: '*****', EMPTY: '' } },
    });
    assert.deepEqual(await client.secrets.list(), [{ name: 'EMPTY' }, { name: 'HF_TOKEN' }]);
  });
});
