import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { NotFoundError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { describeFailures, refused, type Refusal } from '../support/failureMatrix';

const path = '/api/v0/template/';
const create = (client: Client) =>
  client.templates.create({ name: 'mine', image: 'pytorch/pytorch', private: true });
const ownById = async (client: Client, id: number) =>
  (await client.templates.search({ id: { eq: id } })).items[0];
const changedMeanwhile: Refusal = {
  status: 404,
  code: 'not_found',
  error: NotFoundError,
  message: /changed or deleted elsewhere/,
  nextStep: 'retry',
};

describeFailures({
  name: 'templates.search',
  method: 'GET',
  path,
  repeat: 'read',
  prepare: async (_, client) => (await create(client)).id,
  call: (client, id, options) => client.templates.search({ id: { eq: id } }, options),
  succeeds: (result, simulator, id) => {
    const { items } = result as { items: { id: number; name: string }[] };
    assert.deepEqual(
      items.map((item) => [item.id, item.name]),
      [[id, 'mine']],
    );
    assert.deepEqual(simulator.received('GET', path).at(-1)?.query, {
      select_filters: `{"id":{"eq":${id}}}`,
    });
  },
  refusals: [refused(400, 'invalid_args', /did not accept the request/)],
});

describeFailures({
  name: 'templates.create',
  method: 'POST',
  path,
  repeat: 'write',
  call: (client, _, options) => client.templates.create({ name: 'n', image: 'i', env: '-e A=1' }, options),
  succeeds: (result, simulator) => {
    const { id, hashId } = result as { id: number; hashId: string };
    assert.ok(id > 0 && hashId !== '');
    assert.deepEqual(simulator.received('POST', path).at(-1)?.body, {
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
      name: 'n',
      image: 'i',
      env: '-e A=1',
    });
  },
  refusals: [refused(400, 'invalid_args', /did not accept the request/)],
});

describeFailures({
  name: 'templates.edit',
  method: 'PUT',
  path,
  repeat: 'write',
  prepare: async (_, client) => (await create(client)).id,
  call: async (client, id, options) => {
    const before = await ownById(client, id);
    assert.ok(before);
    const { hashId } = await client.templates.edit(before.hashId, { name: 'renamed' }, options);
    return [before.hashId, hashId];
  },
  succeeds: (result, simulator) => {
    const [before, after] = result as [string, string];
    assert.notEqual(after, before);
    assert.deepEqual(simulator.received('PUT', path).at(-1)?.body, { name: 'renamed', hash_id: before });
  },
  refusals: [changedMeanwhile, refused(400, 'invalid_args', /did not accept the request/)],
});

describeFailures({
  name: 'templates.remove',
  method: 'DELETE',
  path,
  repeat: 'write',
  prepare: async (_, client) => (await create(client)).id,
  call: (client, id, options) => client.templates.remove(id, options),
  succeeds: (_, simulator, id) => {
    assert.deepEqual(simulator.received('DELETE', path).at(-1)?.body, { template_id: id });
  },
  refusals: [refused(400, 'invalid_args', /did not accept the request/)],
});

describe('a template that was edited elsewhere', () => {
  const clients = useClients();

  it('is not overwritten by an edit of the older version', async () => {
    const { client } = await clients.start();
    const made = await create(client);
    const edited = await client.templates.edit(made.hashId, { name: 'theirs' });
    await assert.rejects(
      client.templates.edit(made.hashId, { name: 'ours' }),
      (error) => error instanceof NotFoundError && /changed or deleted elsewhere/.test(error.message),
    );
    const now = await ownById(client, made.id);
    assert.deepEqual([now?.name, now?.hashId], ['theirs', edited.hashId]);
  });
});
