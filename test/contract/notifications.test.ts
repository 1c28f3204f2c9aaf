import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { RefusedError, ServiceFailedError } from '../../src/api/errors';
import { isMailed, offeredTypes, withMails } from '../../src/model/accounts/notification';
import { useClients } from '../support/apiClient';
import { describeFailures } from '../support/failureMatrix';
import type { TestSimulator } from '../support/startSimulator';

const user = 4101;
const preferences = '/api/v0/users/{user_id}/notification-prefs/';
const hooks = '/api/v0/webhooks/';
const hook = { url: 'https://relay.example.org/v', eventTypes: ['client:outbid', 'client:error_msgs'] };

async function withHook(_: TestSimulator, client: Client): Promise<number> {
  await client.notifications.createWebhook(hook);
  return (await client.notifications.webhooks()).items[0]?.id ?? 0;
}

const isSecret = (result: unknown) => {
  assert.ok(typeof result === 'object' && result !== null && 'secret' in result);
  assert.match(String(result.secret), /^whs_[0-9a-f]{48}$/);
};

describeFailures({
  name: 'notifications.types',
  method: 'GET',
  path: '/api/v0/notification-types/',
  repeat: 'read',
  call: (client, _, options) => client.notifications.types(options),
  succeeds: (result) => {
    const { items } = result as Awaited<ReturnType<Client['notifications']['types']>>;
    assert.equal(items.length, 31);
    assert.deepEqual(
      items.find(({ slug }) => slug === 'idle_gpu'),
      {
        key: 'client:idle_gpu',
        slug: 'idle_gpu',
        context: 'client',
        name: 'GPU idle',
        isAlwaysMailed: false,
        defaults: { email: false, webhooks: false, sms: false },
      },
    );
  },
});

describeFailures({
  name: 'notifications.preferences',
  method: 'GET',
  path: preferences,
  repeat: 'read',
  call: (client, _, options) => client.notifications.preferences(user, options),
  succeeds: (result) => {
    const { client } = result as Awaited<ReturnType<Client['notifications']['preferences']>>;
    assert.deepEqual(client['low_credit'], { email: true, webhooks: false, sms: false });
  },
});

describeFailures({
  name: 'notifications.setPreferences',
  method: 'PUT',
  path: preferences,
  repeat: 'write',
  call: (client, _, options) =>
    client.notifications.setPreferences(user, { client: { outbid: { email: true } }, host: {} }, options),
  succeeds: (result, simulator) => {
    assert.equal(result, undefined);
    assert.deepEqual(simulator.received('PUT').at(-1)?.body, {
      notification_preferences: { client: { outbid: { email: true } }, host: {} },
    });
  },
});

describeFailures({
  name: 'notifications.webhooks',
  method: 'GET',
  path: hooks,
  repeat: 'read',
  prepare: withHook,
  call: (client, _, options) => client.notifications.webhooks(options),
  succeeds: (result, _, id) => {
    assert.deepEqual(result, { items: [{ id, ...hook }], skipped: 0 });
  },
});

describeFailures({
  name: 'notifications.createWebhook',
  method: 'POST',
  path: hooks,
  repeat: 'write',
  call: (client, _, options) => client.notifications.createWebhook({ ...hook, name: 'desk' }, options),
  succeeds: (result, simulator) => {
    isSecret(result);
    assert.deepEqual(simulator.received('POST', hooks).at(-1)?.body, {
      webhook_url: hook.url,
      event_types: hook.eventTypes,
      name: 'desk',
    });
  },
});

describeFailures({
  name: 'notifications.removeWebhook',
  method: 'DELETE',
  path: `${hooks}{id}/`,
  repeat: 'write',
  prepare: withHook,
  call: (client, id, options) => client.notifications.removeWebhook(id, options),
  succeeds: (result) => {
    assert.equal(result, undefined);
  },
});

describeFailures({
  name: 'notifications.rotateWebhookSecret',
  method: 'POST',
  path: `${hooks}{id}/rotate-secret/`,
  repeat: 'write',
  prepare: withHook,
  call: (client, id, options) => client.notifications.rotateWebhookSecret(id, options),
  succeeds: isSecret,
});

describeFailures({
  name: 'notifications.testWebhook',
  method: 'POST',
  path: `${hooks}{id}/test/`,
  repeat: 'write',
  prepare: withHook,
  call: (client, id, options) => client.notifications.testWebhook(id, options),
  succeeds: (result) => {
    assert.equal(result, undefined);
  },
});

describe('Notifications of the service', () => {
  const clients = useClients();

  it('are replaced as a whole: what a write leaves out is gone', async () => {
    const { client } = await clients.start();
    await client.notifications.setPreferences(user, { client: { outbid: { email: true } }, host: {} });
    assert.deepEqual(await client.notifications.preferences(user), {
      client: { outbid: { email: true } },
      host: {},
    });
    await assert.rejects(client.notifications.setPreferences(user, { client: {} }), RefusedError);
  });

  it('keep channels and kinds that are unknown here when one e-mail is turned on', async () => {
    const { simulator, client } = await clients.start();
    const before = {
      client: { outbid: { email: false, webhooks: true, carrier_pigeon: { at: 9 } }, other: { sms: true } },
      host: { machine_error: { email: true } },
      newer: { a: 1 },
    };
    simulator.fail({
      kind: 'answer',
      path: preferences,
      method: 'GET',
      body: { success: true, notification_preferences: before },
    });
    const read = await client.notifications.preferences(user);
    const offered = offeredTypes((await client.notifications.types()).items);
    const outbid = offered.find(({ slug }) => slug === 'outbid');
    assert.ok(outbid && !isMailed(read, outbid));
    await client.notifications.setPreferences(user, withMails(read, new Map([[outbid, true]])));
    assert.deepEqual(simulator.received('PUT').at(-1)?.body, {
      notification_preferences: {
        ...before,
        client: { ...before.client, outbid: { ...before.client.outbid, email: true } },
      },
    });
  });

  it('turn on the channel of a webhook for its kinds, for four webhooks at most', async () => {
    const { client } = await clients.start();
    for (const name of ['a', 'b', 'c', 'd']) {
      await client.notifications.createWebhook({ ...hook, url: `https://${name}.example.org/v` });
    }
    assert.deepEqual((await client.notifications.preferences(user)).client['outbid'], {
      email: false,
      webhooks: true,
      sms: false,
    });
    await assert.rejects(
      client.notifications.createWebhook(hook),
      (error) => error instanceof RefusedError && /at most 4 hooks/.test(error.message),
    );
  });

  it('report an address that accepts no test', async () => {
    const { client } = await clients.start();
    await client.notifications.createWebhook({ ...hook, url: 'https://broken.example.org/v' });
    const [broken] = (await client.notifications.webhooks()).items;
    await assert.rejects(
      client.notifications.testWebhook(broken?.id ?? 0),
      (error) => error instanceof ServiceFailedError && error.status === 502,
    );
  });
});
