import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { ViewName } from '../support/feature/viewDriver';
import type { FeatureWindow } from '../support/feature/window';

function refreshedIn(window: FeatureWindow, views: readonly ViewName[]): unknown[] {
  const refreshed: unknown[] = [];
  for (const view of views) {
    window.view(view).tree.onDidRefresh((what) => refreshed.push(what));
  }
  return refreshed;
}

describe('the menu of a row while the list is read again', () => {
  const computer = useComputer();

  it('keeps its row while nothing of it changes, in every view', async () => {
    const { simulator } = computer();
    await simulator.call('POST', '/api/v0/secrets/', { key: 'HF_TOKEN', value: 'a-value' });
    await simulator.call('POST', '/api/v0/template/', { name: 'Planted', image: 'ubuntu' });
    const window = await computer().openSignedIn();
    const account = window.view('account');
    await account.expand('Secrets');
    await account.row('HF_TOKEN');
    await window.view('templates').row('Planted');
    await window.view('sshKeys').rows();
    const lists = () => simulator.received('GET', '/api/v0/secrets/').length;
    const before = lists();
    const refreshed = refreshedIn(window, ['account', 'templates', 'sshKeys']);
    window.run('Refresh');
    await computer().until('the variables are read', () => lists() > before);
    await computer().pass(2000);
    assert.deepEqual(refreshed, []);
    await simulator.call('POST', '/api/v0/secrets/', { key: 'OTHER', value: 'a-value' });
    window.run('Refresh');
    await account.row('OTHER');
    assert.deepEqual(refreshed, [[{ kind: 'part', part: 'secrets' }]], 'its list alone is read again');
  });

  it('keeps its row while the same instances stay, and does nothing without one', async () => {
    const trainer = await computer().rentRunning({ label: 'trainer' });
    const helper = await computer().rentRunning({ label: 'helper' });
    const window = await computer().openSignedIn();
    await window.view('instances').row('helper');
    window.clearToasts();
    const refreshed = refreshedIn(window, ['instances']);
    await computer().simulator.call('PUT', `/api/v0/instances/${helper}/`, { state: 'stopped' });
    window.run('Refresh');
    await window.view('instances').row(/helper.*[Ss]topp/);
    assert.ok(refreshed.length > 0);
    assert.ok(
      refreshed.every((what) => Array.isArray(what)),
      'row by row',
    );
    const rows = refreshed.flat();
    assert.ok(rows.some((row) => (row as { readonly instanceId?: number }).instanceId === helper));
    // As the editor calls it where the row of the menu is no longer known.
    window.start('gpuRental.instance.destroy', undefined, [undefined]);
    await window.toast('The list changed just then, so nothing was done');
    const redrawn = refreshedIn(window, ['instances']);
    window.focus();
    await computer().simulator.call('DELETE', `/api/v0/instances/${trainer}/`);
    window.run('Refresh');
    await window.view('instances').noRow('trainer');
    await window.toast(/trainer no longer exists/);
    assert.ok(redrawn.includes(undefined), 'another set of rows is shown as a whole');
  });

  it('is kept for visible views alone: hidden rows are not read for it', async () => {
    const { simulator } = computer();
    const window = await computer().openSignedIn();
    await window.view('account').expand('Secrets');
    await window.view('account').row('HF_TOKEN');
    await window.view('templates').row('Planted');
    await window.view('sshKeys').rows();
    for (const one of computer().windows) {
      for (const view of ['account', 'templates', 'sshKeys'] as const) {
        one.view(view).tree.setVisible(false);
      }
    }
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 20 });
    const since = simulator.received().length;
    await window.signIn((json as { readonly key: string }).key);
    await computer().pass(60_000);
    const read = simulator.received().slice(since);
    assert.deepEqual(
      read.filter(({ path }) => /secrets|template|\/ssh\//.test(path)).map(({ path }) => path),
      [],
    );
    window.clearToasts();
  });

  it('is not what the title of the view brings, which has no row either', async () => {
    const [window] = computer().windows;
    const lists = () => computer().simulator.received('GET', '/api/v1/instances/').length;
    const before = lists();
    window?.clearToasts();
    await window?.view('instances').titleAction('Refresh');
    await computer().until('the list', () => lists() > before);
    assert.deepEqual(window?.toasts(), []);
  });
});
