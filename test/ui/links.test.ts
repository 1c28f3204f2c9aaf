import assert from 'node:assert/strict';
import { rentRunning } from '../support/rentRunning';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('links into the editor', function () {
  this.timeout(120_000);
  const session = useUiSession('links', { simulator: { speed: 40 } });
  let workbench: Workbench;
  let instanceId: number;

  /** Opens an address as the system would, and lets the extension have it. */
  async function open(address: string): Promise<void> {
    const { quick } = workbench;
    await quick.run('Developer: Open URL');
    // The same box, with its prompt in place of the commands.
    await until('the box for the address', async () => !(await quick.input.inputValue()).startsWith('>'));
    await quick.type(`code-oss://gpu-rental.gpu-rental${address}`);
    await workbench.dialogButton('Open');
  }

  /** Requests that change something. */
  const writes = () =>
    session()
      .simulator.requests()
      .filter(
        ({ method, path }) => method !== 'GET' && !path.includes('/bundles/') && !path.startsWith('/__sim'),
      );

  before(async () => {
    const { simulator } = session();
    instanceId = await rentRunning(simulator, { label: 'linked' });
    workbench = await session().window();
  });

  it('asks who one is first, and then opens what the link was for', async () => {
    const { quick } = workbench;
    await open(`/instance?id=${instanceId}`);
    await quick.waitForTitle('Sign In: Service');
    await workbench.shot('01-sign-in-first');
    await quick.pick(session().simulator.url);
    await quick.waitForTitle('Sign In: API Key');
    await quick.type(session().simulator.apiKey);
    const row = workbench.view('Instances').row('linked');
    await row.waitFor();
    await until('the row to be selected', async () => (await row.getAttribute('aria-selected')) === 'true');
    await workbench.shot('02-instance');
  });

  it('says when the account has no such instance', async () => {
    await open('/instance?id=4711');
    await workbench.toast('has no instance #4711');
    await workbench.shot('03-no-instance');
    await workbench.clearNotifications();
  });

  it('opens an offer in the search, without renting', async () => {
    const { simulator } = session();
    const found = await simulator.call('POST', '/api/v0/bundles/', { rentable: { eq: true }, limit: 1 });
    const offerId = Number(found.json.offers[0].id);
    const before = writes().length;
    await open(`/offer?id=${offerId}`);
    await workbench.quick.waitForTitle(`Offer #${offerId}`);
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.shot('04-offer');
    assert.equal(await workbench.quick.rows.filter({ hasText: '% reliable' }).count(), 1);
    const copied = () => workbench.page.evaluate<string>('navigator.clipboard.readText()');
    await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const row = workbench.quick.rows.filter({ hasText: '% reliable' }).first();
    await row.hover();
    await row.locator('.action-label[aria-label="Copy Link"]').click();
    await until('the link', async () => (await copied()).endsWith(`/offer?id=${offerId}`));
    // And by keyboard.
    await workbench.page.evaluate('navigator.clipboard.writeText("")');
    await workbench.quick.input.fill('/');
    await workbench.quick.row(`Copy Link to Offer #${offerId}`).waitFor();
    await workbench.quick.input.fill('Copy Link');
    await workbench.page
      .locator('.quick-input-list .monaco-list-row.focused', { hasText: `Copy Link to Offer #${offerId}` })
      .waitFor();
    await workbench.shot('04-offer-link');
    await workbench.quick.enter({ isList: true });
    await until('the link', async () => (await copied()).endsWith(`/offer?id=${offerId}`));
    await row.waitFor();
    await workbench.page.keyboard.press('Escape');
    assert.equal(writes().length, before);
  });

  it('says when an offer is gone', async () => {
    await open('/offer?id=999999999');
    await workbench.toast('Offer #999999999 is no longer available');
    await workbench.shot('05-offer-gone');
    await workbench.clearNotifications();
  });

  it('opens a template as a document', async () => {
    const { simulator } = session();
    const made = await simulator.call('POST', '/api/v0/template/', {
      name: 'linked-template',
      image: 'pytorch/pytorch:latest',
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    await open(`/template?id=${String(made.json.template.id)}`);
    await workbench.page.locator('.tab.active', { hasText: 'linked-template' }).waitFor();
    await workbench.shot('06-template');
  });

  it('refuses everything else, with one message', async () => {
    const before = writes().length;
    for (const address of [
      `/instance?id=${instanceId}&action=destroy`,
      '/sign-in?api_key=planted-key-in-a-link',
      '/destroy?id=1',
    ]) {
      await workbench.clearNotifications();
      await open(address);
      await workbench.toast('This link cannot be opened');
    }
    await workbench.shot('07-refused');
    assert.equal(writes().length, before);
    await workbench.clearNotifications();
  });

  it('opens the sign-in', async () => {
    await open('/sign-in');
    await workbench.quick.waitForTitle('Sign In: Service');
    await workbench.page.keyboard.press('Escape');
  });

  it('works right after the start of the editor', async () => {
    await workbench.page.reload();
    await workbench.ready();
    await open(`/instance?id=${instanceId}`);
    const row = workbench.view('Instances').row('linked');
    await row.waitFor();
    await until('the row to be selected', async () => (await row.getAttribute('aria-selected')) === 'true');
  });

  it('leaves no key of a link in a file or in the log, and causes no error', () => {
    assert.deepEqual(session().filesWithSecrets(['planted-key-in-a-link']), []);
    assert.doesNotMatch(session().log(), /planted-key-in-a-link/);
    assert.deepEqual(workbench.errors, []);
  });
});
