import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const preferences = '/api/v0/users/{id}/notification-prefs/';
const address = 'https://relay.example.org/gpu?token=planted-token-9';

describe('what the service sends', () => {
  const secrets: string[] = ['planted-token-9'];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;
  const account = () => window.view('account');
  const requests = () =>
    computer()
      .simulator.received()
      .filter(({ path }) => /notification|webhooks/.test(path));
  const writes = () => requests().filter(({ method }) => method !== 'GET');
  const saved = async () => {
    const id = computer().simulator.world.accounts[0]?.id;
    const { json } = await computer().simulator.call('GET', preferences.replace('{id}', String(id)));
    return json as unknown as {
      readonly notification_preferences: {
        readonly client: Record<string, Record<string, unknown>>;
        readonly host: Record<string, Record<string, unknown>>;
      };
    };
  };
  const put = async (change: (all: Awaited<ReturnType<typeof saved>>) => unknown) => {
    const id = computer().simulator.world.accounts[0]?.id;
    const path = preferences.replace('{id}', String(id));
    await computer().simulator.call('PUT', path, change(await saved()));
  };
  const openMenu = async () => {
    await account().menu('ada', 'Notices…');
    await window.quick.title('Notices');
  };
  const secretShown = () =>
    computer().until('the secret', () => window.quick.rows().find((row) => row.startsWith('whs_')));

  before(async () => {
    window = await computer().openSignedIn();
    await account().row('ada');
  });

  it('is not asked for before the command runs', async () => {
    await computer().pass(10 * 60_000);
    assert.deepEqual(requests(), []);
  });

  it('is shown with what is always sent and what needs no editor', async () => {
    await openMenu();
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /E-mail Low credit, Machine maintenance/);
    assert.match(rows, /Always sent: Near end date, Upcoming downtime, Billing failed/);
    assert.equal(window.quick.open.placeholder, 'Sent by the service, also while no editor is open');
    await window.quick.pick('What Arrives');
    const dialog = await window.dialog('What Arrives');
    assert.match(
      dialog.detail ?? '',
      /no editor has to be open\. Only the text of a message names the instance/,
    );
    assert.match(dialog.detail ?? '', /Budgets, jobs and schedules send nothing\./);
    dialog.close();
    await window.quick.title('Notices');
    assert.deepEqual(writes(), []);
  });

  it('changes the e-mails that were ticked, and keeps all others and what was changed elsewhere', async () => {
    await window.quick.pick(/^E-mail/);
    await window.quick.title('Notices: E-mail');
    // Elsewhere, while the list is open.
    await put(({ notification_preferences: { client, host } }) => ({
      notification_preferences: {
        client: {
          ...client,
          storage_full: { email: true, pigeon: { at: 5 } },
          instance_started: { email: true },
        },
        host: { ...host, machine_error: { email: false } },
      },
    }));
    await window.quick.tick('Outbid', 'GPU idle', 'Machine maintenance');
    await window.quick.enter();
    await window.quick.title('Notices');
    const { client, host } = (await saved()).notification_preferences;
    assert.deepEqual(
      ['outbid', 'idle_gpu', 'low_credit', 'machine_maintenance'].map((slug) => client[slug]?.['email']),
      [true, true, false, true],
    );
    assert.deepEqual(client['storage_full'], { email: true, pigeon: { at: 5 } });
    assert.deepEqual(client['instance_started'], { email: true });
    assert.deepEqual(host['machine_error'], { email: false });
    assert.deepEqual(client['outbid'], { email: true, webhooks: false, sms: false });
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /E-mail Outbid, Storage full, GPU idle, Machine maintenance/);
  });

  it('ends with Escape in any list', async () => {
    await window.quick.pick(/^E-mail/);
    await window.quick.title('Notices: E-mail');
    window.quick.escape();
    await computer().until('no list', () => !window.quick.isOpen);
    await computer().rest();
    assert.ok(!window.quick.isOpen);
    await openMenu();
  });

  it('reports a change that the service did not keep', async () => {
    computer().simulator.fail({ kind: 'answer', path: preferences, method: 'PUT', body: { success: true } });
    await window.quick.pick(/^E-mail/);
    await window.quick.tick('Outbid');
    await window.quick.enter();
    await window.toast(/did not keep the change/);
  });

  it('accepts only public https addresses for a webhook', async () => {
    await openMenu();
    await window.quick.pick('Add Webhook…');
    await window.quick.title('Add Webhook');
    const bad = [
      'http://relay.example.org',
      'https://localhost/x',
      'https://10.0.0.4/x',
      'https://a:b@c.org',
    ];
    for (const typed of bad) {
      await window.quick.type(typed);
      await window.quick.message('https address with a public host');
    }
    assert.equal(writes().filter(({ method }) => method === 'POST').length, 0);
  });

  it('shows the secret of a webhook once, and keeps it only on request', async () => {
    await window.quick.type(address);
    await window.quick.row('Outbid');
    await window.quick.tick('Outbid', 'Error messages');
    await window.quick.enter();
    const dialog = await window.dialog(
      /Let the service send messages about this account to relay\.example\.org/,
    );
    assert.match(dialog.detail ?? '', /need an adapter/);
    dialog.press('Add Webhook');
    const secret = await secretShown();
    secrets.push(secret);
    await window.quick.pick('Copy');
    await window.quick.pick('I Have Stored It');
    await window.quick.title('Notices');
    assert.deepEqual(writes().at(-1)?.body, {
      webhook_url: address,
      event_types: ['client:outbid', 'client:error_msgs'],
    });
    assert.match(window.quick.rows().join('\n'), /Webhook to relay\.example\.org Outbid, Error messages/);
    assert.ok(!window.quick.rows().join('\n').includes('planted'));
  });

  it('sends a test, and reports what did not accept it', async () => {
    await window.quick.pick('Webhook to relay.example.org');
    await window.quick.pick('Send Test');
    await window.toast('relay.example.org accepted the test.');
    computer().simulator.fail({
      kind: 'error',
      status: 502,
      path: '/api/v0/webhooks/{id}/test/',
      method: 'POST',
    });
    await window.quick.pick('Webhook to relay.example.org');
    await window.quick.pick('Send Test');
    await window.toast(/relay\.example\.org did not accept the test/);
  });

  it('rotates a secret after a question, and keeps it in the list of secrets', async () => {
    await window.quick.pick('Webhook to relay.example.org');
    await window.quick.pick('Rotate Secret…');
    await window.dialogButton('Rotate Secret', /Webhook to relay/);
    secrets.push(await secretShown());
    await window.quick.pick('Keep It on This Computer');
    await window.quick.title('Notices');
    window.quick.escape();
    await account().expand('Secrets');
    await account().row('WEBHOOK_SECRET');
  });

  it('deletes a webhook after a question', async () => {
    await openMenu();
    await window.quick.pick('Webhook to relay.example.org');
    await window.quick.pick('Delete…');
    await window.dialogButton('Delete', /Delete Webhook to relay/);
    await computer().until('no webhook', () => !window.quick.rows().join('\n').includes('relay'));
    window.quick.escape();
  });

  for (const status of [404, 410]) {
    it(`is explained in one sentence where the service has none of it (${status})`, async () => {
      window.clearToasts();
      computer().simulator.fail({
        kind: 'error',
        status,
        path: '/api/v0/notification-types/',
        method: 'GET',
      });
      await account().menu('ada', 'Notices…');
      await window.toast('This service has no e-mails and webhooks that can be changed here.');
    });
  }

  it('names the permission that the key lacks', async () => {
    window.clearToasts();
    computer().simulator.fail({
      kind: 'error',
      status: 401,
      msg: 'This key lacks the permission user_read.',
      path: '/api/v0/notification-types/',
      method: 'GET',
    });
    await account().menu('ada', 'Notices…');
    await window.toast(/this one needs user_read/);
  });
});
