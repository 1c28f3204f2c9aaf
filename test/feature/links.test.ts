import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('links into the editor', () => {
  const computer = useComputer({ secrets: ['planted-key-in-a-link'] });
  let window: FeatureWindow;
  let id: number;

  /** Requests that change something. */
  const writes = () =>
    computer()
      .simulator.requests()
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/bundles/'));
  const isSelected = (which: FeatureWindow) =>
    computer().until('the row to be selected', async () => {
      const { node } = await which.view('instances').row('linked');
      return which.view('instances').tree.selection.includes(node);
    });

  before(async () => {
    id = await computer().rentRunning({ label: 'linked' });
    window = await computer().openWindow();
  });

  it('asks who one is first, and then opens what the link was for', async () => {
    const { url, apiKey } = computer().simulator;
    await window.follow(`/instance?id=${id}`);
    await window.quick.title('Sign In');
    await window.quick.pick(url);
    await window.quick.title('Sign In: API key');
    await window.quick.type(apiKey);
    await isSelected(window);
  });

  it('shows when the account has no such instance, and switches the account on request', async () => {
    await window.follow('/instance?id=4711');
    await window.toastButton('has no instance #4711', 'Switch Account…');
    await window.quick.title(/Account/);
    window.quick.escape();
    window.clearToasts();
  });

  it('shows what went wrong if the instances can’t be read, and follows the link again', async () => {
    const { simulator } = computer();
    const list = { method: 'GET', path: '/api/{version}/instances/' } as const;
    simulator.fail({ kind: 'error', status: 500, error: 'internal', ...list, times: 0 });
    await window.follow('/instance?id=4712');
    const failed = await window.toast('The service has a problem of its own');
    assert.ok(!window.toasts().some((text) => text.includes('has no instance')));
    simulator.faults.clear();
    failed.press('Retry');
    await window.toast('has no instance #4712');
    window.clearToasts();
  });

  it('opens an offer in the search, without renting', async () => {
    const { simulator } = computer();
    const found = await simulator.call('POST', '/api/v0/bundles/', { rentable: { eq: true }, limit: 1 });
    const offerId = Number(found.json.offers[0].id);
    const before = writes().length;
    const isCopied = () => computer().clipboard.text === `vscode://gpu-rental.gpu-rental/offer?id=${offerId}`;
    await window.follow(`/offer?id=${offerId}`);
    await window.quick.title(`Offer #${offerId}`);
    await window.quick.row('% reliable');
    assert.equal(window.quick.rows().filter((row) => row.includes('% reliable')).length, 1);
    const asked = simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as Record<string, unknown>;
    assert.deepEqual(asked['id'], { eq: offerId });
    await window.quick.rowButton('% reliable', 'Copy Link');
    await computer().until('the link', isCopied);
    // And by keyboard.
    computer().clipboard.text = '';
    await window.quick.type('/', { enter: false });
    await window.quick.row(`Copy Link to Offer #${offerId}`);
    await window.quick.type('Copy Link', { enter: false });
    await window.quick.pick(`Copy Link to Offer #${offerId}`);
    await computer().until('the link', isCopied);
    await window.quick.row('% reliable');
    window.quick.escape();
    assert.equal(writes().length, before);
  });

  it('shows when an offer is gone, and searches others on request', async () => {
    await window.follow('/offer?id=999999999');
    await window.toastButton('Offer #999999999 is no longer available', 'Search Offers…');
    await window.quick.title('Search Offers');
    window.quick.escape();
  });

  it('connects only after a question that names the link as its source', async () => {
    await window.follow(`/connect?id=${id}`);
    const { detail = '', buttons } = await window.dialog('Connect to “linked”?');
    assert.match(detail, /A link asks to connect/);
    assert.deepEqual(buttons, ['Not Now', 'Connect', 'Cancel']);
    const before = writes().length;
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.equal(writes().length, before);
    assert.deepEqual(window.toasts(), []);
    await window.follow(`/connect?id=${id}`);
    await window.dialogButton('Connect', 'Connect to “linked”?');
    // As the command does: this computer has no key yet.
    await window.toast(/key|SSH/);
    window.clearToasts();
    await window.follow('/connect?id=4711');
    await window.toast('has no instance #4711');
    window.clearToasts();
  });

  it('starts only after the question that names the price', async () => {
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    window.run('Refresh');
    await window.view('instances').row(/Stopped/);
    window.clearToasts();
    const starts = () =>
      computer()
        .simulator.received('PUT', `/api/v0/instances/${id}/`)
        .filter(({ body }) => (body as { state?: string }).state === 'running').length;
    await window.follow(`/start?id=${id}`);
    const { detail = '' } = await window.dialog('Start “linked”?');
    assert.match(detail, /Cost once started: \$/);
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.equal(starts(), 0);
    await window.follow(`/start?id=${id}`);
    await window.dialogButton('Start', 'Start “linked”?');
    await window.toast(/linked is ready/);
    assert.equal(starts(), 1);
    window.clearToasts();
  });

  it('opens a template as a document', async () => {
    const made = await computer().simulator.call('POST', '/api/v0/template/', {
      name: 'linked-template',
      image: 'pytorch/pytorch:latest',
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    const templateId = Number(made.json.template.id);
    await window.follow(`/template?id=${templateId}`);
    const { uri } = await window.document('linked-template');
    assert.equal(uri.toString(true), `gpurental://templates/${templateId}/linked-template.json`);
    window.clearToasts();
  });

  for (const address of [
    '/destroy?id=1',
    '/sign-in?api_key=planted-key-in-a-link',
    '/instance?id=1&action=destroy',
    '/instance?id=1&id=2',
    '/instance?id=-1',
    '/instance?id=1e3',
    '/offer',
    '/template?id=../../etc',
    '',
  ]) {
    it(`refuses "${address.replace(/planted\S+/, '…')}", with one message`, async () => {
      const before = computer().simulator.requests().length;
      await window.follow(address);
      await window.toast("This link can't be opened");
      assert.equal(window.toasts().length, 1);
      assert.equal(computer().simulator.requests().length, before);
      assert.equal(window.quick.isOpen, false);
      window.clearToasts();
    });
  }

  it('opens the sign-in', async () => {
    await window.follow('/sign-in');
    await window.quick.title('Sign In');
    window.quick.escape();
  });

  it('copies the link of an instance, which opens it', async () => {
    await window.view('instances').menu('linked', 'Copy Link');
    await computer().rest();
    assert.equal(computer().clipboard.text, `vscode://gpu-rental.gpu-rental/instance?id=${id}`);
  });

  it('works right after the start of the editor', async () => {
    window.close();
    const next = await computer().openWindow();
    await next.follow(`/instance?id=${id}`);
    await isSelected(next);
    next.clearToasts();
  });

  it('leaves no key of a link in a file or in the log', () => {
    assert.deepEqual(computer().filesWith(['planted-key-in-a-link']), []);
    for (const one of computer().windows) {
      assert.doesNotMatch(one.allMessages(), /planted-key-in-a-link/);
    }
  });
});
