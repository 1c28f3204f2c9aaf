import assert from 'node:assert/strict';
import { ForbiddenError, NotFoundError, RefusedError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { describeFailures, refused } from '../support/failureMatrix';
import { rentOne, rentRunning } from '../support/rentedInstance';
import { until } from '../support/until';

/** Results are ready at once instead of some seconds later. */
const quick = { speed: 1000 };

describeFailures({
  name: 'instances.execute',
  method: 'PUT',
  path: '/api/v0/instances/command/{id}/',
  repeat: 'write',
  simulator: quick,
  prepare: rentRunning,
  call: (client, id, options) => client.instances.execute(id, 'ls -l', options),
  succeeds: (result, simulator, id) => {
    assert.equal(typeof result, 'string');
    assert.doesNotMatch(String(result), /overlay2/);
    const sent = simulator.received('PUT', `/api/v0/instances/command/${id}/`).at(-1);
    assert.deepEqual(sent?.body, { command: 'ls -l' });
    const results = simulator.received('GET', /^\/results\//);
    assert.ok(results.length > 0 && results.every((request) => !request.hasAuthorization));
  },
  refusals: [
    {
      ...refused(400, 'invalid_args', /Only ls, du and rm.*invalid command given/),
      msg: 'invalid command given',
    },
    refused(483, 'invalid_args', /could not be read/),
    refused(400, 'invalid_container_id', /no container/, 'retry'),
    refused(400, 'invalid_container', /does not run/),
    { status: 400, error: RefusedError, message: /refused the request/, nextStep: 'none' },
  ],
});

describeFailures({
  name: 'instances.logs',
  method: 'PUT',
  path: '/api/v0/instances/request_logs/{id}/',
  repeat: 'read',
  simulator: quick,
  prepare: rentRunning,
  call: (client, id, options) => client.instances.logs(id, { tail: 3 }, options),
  succeeds: (result, simulator, id) => {
    const lines = String(result).trim().split('\n');
    assert.ok(lines.length >= 1 && lines.length <= 3);
    const sent = simulator.received('PUT', `/api/v0/instances/request_logs/${id}/`).at(-1);
    assert.deepEqual(sent?.body, { tail: '3' });
  },
  refusals: [
    {
      status: 404,
      code: 'invalid_id',
      error: NotFoundError,
      message: /no longer exists/,
      nextStep: 'retry',
    },
    {
      status: 403,
      code: 'not_authorized',
      error: ForbiddenError,
      message: /more permissions/,
      nextStep: 'replaceKey',
    },
  ],
});

describe('instances.execute', () => {
  const clients = useClients();

  it('waits for a result that is written later', async () => {
    const { simulator, client } = await clients.start();
    const id = await rentRunning(simulator, client);
    const call = client.instances.execute(id, 'ls');
    const state = { done: false };
    call.then(
      () => (state.done = true),
      () => (state.done = true),
    );
    // Time stands at the request until the file has been looked for in vain, then moves past its writing.
    await until('a look in vain', () => simulator.received('GET', /^\/results\//).length >= 2, {
      everyMs: 5,
    });
    assert.equal(state.done, false);
    simulator.advance(5);
    assert.equal(typeof (await call), 'string');
  });

  it('works on an instance that was stopped', async () => {
    const { simulator, client } = await clients.start(quick);
    const id = await rentRunning(simulator, client);
    await client.instances.stop(id);
    await until('the stop', async () => (await client.instances.get(id))?.actualStatus === 'exited', {
      everyMs: 5,
    });
    assert.match(await client.instances.execute(id, 'ls'), /workspace/);
  });

  it('refuses a command that the service does not run, and one on an instance without a container', async () => {
    const { client } = await clients.start();
    const id = await rentOne(client);
    await assert.rejects(
      client.instances.execute(id, 'ls'),
      (error) => error instanceof RefusedError && error.code === 'invalid_container',
    );
    await assert.rejects(
      client.instances.execute(id, 'cat /etc/passwd'),
      (error) => error instanceof RefusedError && error.code === 'invalid_args',
    );
  });
});
