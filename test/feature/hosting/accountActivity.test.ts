import assert from 'node:assert/strict';
import { PageDriver } from '../../support/feature/pageDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const address = '/api/v0/audit_logs/';

describe('the activity of an account', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let activity: PageDriver;
  let page: PageDriver;
  let id: number;
  const reads = () => computer().simulator.received('GET', address).length;

  before(async () => {
    id = await computer().rentRunning({ label: 'trainer' });
    window = await computer().openSignedIn();
    activity = new PageDriver(window, 'activity');
    page = new PageDriver(window, 'instance');
    const instances = window.view('instances');
    await instances.menu('trainer', 'Destroy…');
    await window.dialogButton('Destroy');
    await window.toast(/Destroyed, and no longer listed by the service: trainer/);
    await instances.expand('Rental History');
    await instances.click(/trainer.*≤|trainer.*\$/);
    await page.shows('how it ended', ({ sections }) => sections.some((section) => section.id === 'status'));
  });
  afterEach(() => computer().simulator.faults.clear());

  it('is read for a page only once the user asks who ended the instance', async () => {
    assert.equal(reads(), 0);
    const denied = { status: 403, error: 'not_authorized', msg: 'This key lacks the permission misc.' };
    computer().simulator.fail({ kind: 'error', method: 'GET', path: address, ...denied });
    await page.press('Who Ended It?');
    const endedBy = () => page.rows('status').find(([name]) => name === 'Ended by')?.[1] ?? '';
    await page.shows('why not', () => /permission|may not|not allowed/.test(endedBy()));
    await page.press('Who Ended It?');
    await page.shows('who did', () => endedBy().startsWith('API key in use'));
    assert.match(endedBy(), / · (?:127\.0\.0\.1|::1|::ffff:127\.0\.0\.1) · /);
    assert.equal(reads(), 2);
    assert.ok(!page.section('status').buttons?.some(({ label }) => label === 'Who Ended It?'));
  });

  it('is a list behind a row of the account, without what was sent', async () => {
    const { json } = await computer().simulator.call('POST', '/api/v0/secrets/', {
      key: 'TOKEN',
      value: 'planted-secret',
    });
    assert.equal(json.success, true);
    await window.view('account').click('Account Activity');
    await activity.shows('its entries', ({ sections }) => sections.length > 0);
    const rows = activity.rows('audit');
    assert.deepEqual(
      rows.slice(0, 2).map(([, what, instance, by]) => [what, instance, by?.startsWith('API key in use')]),
      [
        ['api.secrets_POST', '–', true],
        ['Destroy', `#${id}`, true],
      ],
    );
    assert.match(rows[0]?.[0] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.doesNotMatch(JSON.stringify(activity.view), /planted-secret/);
    await activity.choose('Change', 'instances');
    assert.ok(activity.rows('audit').every(([, what]) => /^(?:Rent|Start|Stop|Destroy)$/.test(what ?? '')));
    await activity.choose('Change', '');
  });

  it('names keys that are not those of the account, and shows hostile text as plain text', async () => {
    const row = { api_route: 'api.instance_DELETE', created_at: 1796108414, ip_address: '203.0.113.9' };
    const body = [
      { ...row, api_key_id: 987_654, args: '{"id": 5}' },
      {
        ...row,
        api_key_id: 7,
        created_at: 1e300,
        args: { id: 6, state: '[x](command:y)' },
        api_route: '\u202e<b>',
      },
      { ...row, args: 'TOKEN=planted' },
      { args: 'no route' },
    ];
    computer().simulator.fail({ kind: 'answer', path: address, body });
    await activity.press('Refresh');
    await activity.notice(/Could not be read and are left out: 1/);
    assert.deepEqual(
      activity.rows('audit').map((cells) => cells.slice(1)),
      [
        [
          'Destroy',
          '#5',
          'API key #987654, of a machine, the timetable of the service or a team member',
          '203.0.113.9',
        ],
        ['Destroy', '–', 'unknown', '203.0.113.9'],
        ['–', '–', 'API key #7, of a machine, the timetable of the service or a team member', '203.0.113.9'],
      ],
    );
  });

  it('shows why it could not be read beside what was read last', async () => {
    computer().simulator.fail({ kind: 'html500', path: address, times: 0 });
    await activity.press('Refresh');
    const { notices } = await activity.shows('the error', (view) => view.notices[0]?.severity === 'error');
    assert.equal(notices[0]?.severity, 'error');
    assert.equal(activity.rows('audit').length, 3);
  });
});
