import assert from 'node:assert/strict';
import { NotFoundError, NotUnderstoodError, RefusedError, UnauthorizedError } from '../../../src/api/errors';
import { fromDollars } from '../../../src/model/money';
import { scriptedClient, type Scripted, type SeenRequest } from '../../support/fakeTransport';

const withdrawn = { success: false, error: 'deprecated_endpoint', msg: 'Use /api/v1/instances/ instead.' };
const isV1 = (request: SeenRequest) => request.url.includes('/api/v1/');
const paths = (seen: readonly SeenRequest[]) => seen.map((request) => new URL(request.url).pathname);

describe('instances.list', () => {
  it('asks the paged call first and keeps the count', async () => {
    const { client, transport, finish } = scriptedClient([
      { json: { instances_found: 1, total_instances: 3, instances: [{ id: 1 }] } },
    ]);
    assert.deepEqual(await finish(client.instances.list()), { items: [{ id: 1 }], skipped: 0, found: 3 });
    assert.deepEqual(paths(transport.seen), ['/api/v1/instances/']);
  });

  it('counts an instance once that is listed twice, as rows with one id can not be shown', async () => {
    const instances = [{ id: 1 }, { id: 2 }, { id: 1, label: 'later' }];
    const { client, finish } = scriptedClient([{ json: { instances_found: 3, instances } }]);
    assert.deepEqual(await finish(client.instances.list()), {
      items: [{ id: 1, label: 'later' }, { id: 2 }],
      skipped: 0,
      found: 2,
    });
  });

  it('leaves out what may hold a secret, and keeps the names of environment variables', async () => {
    const record = {
      id: 1,
      jupyter_token: 'secret',
      onstart: 'echo secret',
      image_args: ['--key', 'secret'],
      extra_env: [['TOKEN', 'secret']],
    };
    const { client, finish } = scriptedClient([{ json: { instances_found: 1, instances: [record] } }]);
    assert.deepEqual((await finish(client.instances.list())).items, [{ id: 1, env: [['TOKEN', '']] }]);
  });

  it('gives an empty list only for an empty list', async () => {
    const list = async (json: unknown) => {
      const { client, finish } = scriptedClient([{ json }]);
      return finish(client.instances.list());
    };
    const none = { items: [], skipped: 0, found: 0 };
    assert.deepEqual(await list({ instances: [] }), none);
    assert.deepEqual(await list({ instances: null, instances_found: 0 }), none);
    await assert.rejects(list({ instances: null }), NotUnderstoodError);
    await assert.rejects(list({ instances: null, instances_found: 2 }), NotUnderstoodError);
    await assert.rejects(list({}), NotUnderstoodError);
    await assert.rejects(list([]), NotUnderstoodError);
    await assert.rejects(list({ instances: [{ id: 'x' }], instances_found: 1 }), NotUnderstoodError);
  });

  const reasons: readonly (readonly [string, Scripted])[] = [
    ['410 and its code', { status: 410, json: withdrawn }],
    ['200 and its code', { status: 200, json: withdrawn }],
    ['410 alone', { status: 410, text: '' }],
    ['404 without auth_error', { status: 404, text: '<html>not found</html>' }],
  ];
  for (const [name, answer] of reasons) {
    for (const lacks of ['v1', 'v0'] as const) {
      it(`reads the other list where ${lacks} answers ${name}, and remembers that`, async () => {
        const json = { success: true, instances_found: 1, total_instances: 1, instances: [{ id: 1 }] };
        const { client, transport, finish } = scriptedClient((request) =>
          isV1(request) === (lacks === 'v1') ? answer : { json },
        );
        const first = await finish(client.instances.list());
        await finish(client.instances.list());
        assert.deepEqual(first, { items: [{ id: 1 }], skipped: 0, found: 1 });
        const [paged, old] = ['/api/v1/instances/', '/api/v0/instances/'];
        assert.deepEqual(paths(transport.seen), lacks === 'v1' ? [paged, old, old] : [paged, paged]);
      });
    }
  }

  it('returns to the paged list once the old one is withdrawn', async () => {
    const { client, transport, finish } = scriptedClient((request) =>
      isV1(request) === transport.seen.length < 3
        ? { status: 410, json: withdrawn }
        : { json: { instances: [{ id: 1 }] } },
    );
    await finish(client.instances.list());
    await finish(client.instances.list());
    const [paged, old] = ['/api/v1/instances/', '/api/v0/instances/'];
    assert.deepEqual(paths(transport.seen), [paged, old, old, paged]);
  });

  it('never falls back on auth_error, with any status', async () => {
    for (const status of [401, 404, 410]) {
      const { client, transport, finish } = scriptedClient([
        { status, json: { success: false, error: 'auth_error', msg: 'Invalid user key' } },
      ]);
      await assert.rejects(finish(client.instances.list()), UnauthorizedError);
      assert.deepEqual(paths(transport.seen), ['/api/v1/instances/']);
    }
  });
});

describe('instances.get', () => {
  const get = async (answer: Scripted) => {
    const { client, finish } = scriptedClient([answer]);
    return finish(client.instances.get(7));
  };

  it('understands a record with only the documented fields, even without the id', async () => {
    assert.deepEqual(
      await get({ json: { instances: { actual_status: null, ssh_host: 'h', ssh_port: 22 } } }),
      {
        id: 7,
        actualStatus: null,
        sshHost: 'h',
        sshPort: 22,
      },
    );
  });

  it('understands a list of one', async () => {
    assert.deepEqual(await get({ json: { instances: [{ id: 7 }] } }), { id: 7 });
  });

  it('gives undefined once the instance is destroyed', async () => {
    for (const instances of [null, {}, [], [{}]]) {
      assert.equal(await get({ json: { instances } }), undefined);
    }
    assert.equal(await get({ status: 404, json: { success: false, error: 'no_such_instance' } }), undefined);
  });

  it('does not mistake an unknown page for a destroyed instance', async () => {
    await assert.rejects(get({ status: 404, text: '<html>nginx</html>' }), NotFoundError);
    await assert.rejects(
      get({ status: 404, json: { success: false, error: 'auth_error' } }),
      UnauthorizedError,
    );
  });

  it('refuses the record of another instance and records that are none', async () => {
    for (const instances of [{ id: 8 }, 'x', 3, [3], true]) {
      await assert.rejects(get({ json: { instances } }), NotUnderstoodError);
    }
    await assert.rejects(get({ json: {} }), NotUnderstoodError);
  });
});

describe('a change of an instance', () => {
  const change = (answer: Scripted) => {
    const { client, finish } = scriptedClient([answer]);
    return finish(client.instances.destroy(7));
  };

  it('is done where the answer is 204, which has no body', async () => {
    await change({ status: 204, text: '' });
  });

  it('is unconfirmed if a body is missing', async () => {
    await assert.rejects(change({ status: 200, text: '' }), NotUnderstoodError);
  });
});

describe('instances.start', () => {
  it('distinguishes a start that waits for a free GPU from one that begins', async () => {
    const start = async (json: unknown) => {
      const { client, finish } = scriptedClient([{ json }]);
      return finish(client.instances.start(7));
    };
    assert.deepEqual(await start({ success: true }), { queued: false });
    assert.deepEqual(
      await start({
        success: false,
        error: 'resources_unavailable',
        msg: 'Required resources are currently unavailable.',
      }),
      { queued: true, message: 'Required resources are currently unavailable.' },
    );
    await assert.rejects(start({ success: false, error: 'missing_billing' }), RefusedError);
    await assert.rejects(start({ success: false }), RefusedError);
  });
});

describe('instances.keys', () => {
  for (const ssh_keys of ['[{"id":', '{}', 'null', '', 7, null, {}]) {
    it(`does not read ${JSON.stringify(ssh_keys)} as an empty list`, async () => {
      const { client, finish } = scriptedClient([{ json: { success: true, ssh_keys } }]);
      await assert.rejects(finish(client.instances.keys(7)), NotUnderstoodError);
    });
  }

  it('understands a plain list as well as its text', async () => {
    const rows = [{ id: 4, public_key: 'ssh-rsa A' }];
    for (const ssh_keys of [rows, JSON.stringify(rows)]) {
      const { client, finish } = scriptedClient([{ json: { ssh_keys } }]);
      assert.deepEqual((await finish(client.instances.keys(7))).items, [{ id: 4, publicKey: 'ssh-rsa A' }]);
    }
  });
});

describe('requests of instances', () => {
  const requests: readonly (readonly [
    string,
    (c: ReturnType<typeof scriptedClient>['client']) => Promise<unknown>,
    string,
    string,
    unknown,
  ])[] = [
    ['start', (c) => c.instances.start(7), 'PUT', '/api/v0/instances/7/', { state: 'running' }],
    ['stop', (c) => c.instances.stop(7), 'PUT', '/api/v0/instances/7/', { state: 'stopped' }],
    ['label', (c) => c.instances.label(7, 'x'), 'PUT', '/api/v0/instances/7/', { label: 'x' }],
    ['destroy', (c) => c.instances.destroy(7), 'DELETE', '/api/v0/instances/7/', undefined],
    [
      'stopMany',
      (c) => c.instances.stopMany([7, 8]),
      'PUT',
      '/api/v0/instances/',
      { state: 'stopped', ids: [7, 8] },
    ],
    [
      'destroyMany',
      (c) => c.instances.destroyMany([7]),
      'DELETE',
      '/api/v0/instances/',
      { instance_ids: [7] },
    ],
    ['reboot', (c) => c.instances.reboot(7), 'PUT', '/api/v0/instances/reboot/7/', {}],
    [
      'changeBid',
      (c) => c.instances.changeBid(7, fromDollars(0.2)),
      'PUT',
      '/api/v0/instances/bid_price/7/',
      { client_id: 'me', price: 0.2 },
    ],
    [
      'attachKey',
      (c) => c.instances.attachKey(7, 'ssh-ed25519 A'),
      'POST',
      '/api/v0/instances/7/ssh/',
      { ssh_key: 'ssh-ed25519 A' },
    ],
    ['detachKey', (c) => c.instances.detachKey(7, 5), 'DELETE', '/api/v0/instances/7/ssh/5/', undefined],
  ];
  for (const [name, call, method, path, body] of requests) {
    it(`${name} sends what the service wants, once`, async () => {
      const { client, transport, finish } = scriptedClient([{ json: { success: true } }]);
      await finish(call(client));
      assert.deepEqual(
        transport.seen.map((seen) => [seen.method, new URL(seen.url).pathname, seen.body]),
        [[method, path, body]],
      );
    });
  }
});
