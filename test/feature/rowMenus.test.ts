import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';

describe('the menu of a row while the list is read again', () => {
  const computer = useComputer();

  it('keeps its row while the same instances stay, and does nothing without one', async () => {
    const trainer = await computer().rentRunning({ label: 'trainer' });
    await computer().rentRunning({ label: 'helper' });
    const window = await computer().openWindow();
    await window.signIn();
    await window.view('instances').row('helper');
    window.clearToasts();
    const refreshed: unknown[] = [];
    window.view('instances').tree.onDidRefresh((what) => refreshed.push(what));
    window.run('Refresh');
    await computer().pass(2000);
    assert.ok(refreshed.length > 0);
    assert.ok(refreshed.every((what) => Array.isArray(what) && what.length === 2));
    // As the editor calls it where the row of the menu is no longer known.
    window.start('gpuRental.instance.destroy', undefined, [undefined]);
    await window.toast('The list changed at that moment, so nothing was done');
    await computer().simulator.call('DELETE', `/api/v0/instances/${trainer}/`);
    window.run('Refresh');
    await window.view('instances').noRow('trainer');
    assert.ok(refreshed.includes(undefined), 'another set of rows is shown as a whole');
  });

  it('is not what the title of the view brings, which has no row either', async () => {
    const [window] = computer().windows;
    const lists = () => computer().simulator.received('GET', '/api/v0/instances/').length;
    const before = lists();
    window?.clearToasts();
    await window?.view('instances').titleAction('Refresh');
    await computer().until('the list', () => lists() > before);
    assert.deepEqual(window?.toasts(), []);
  });
});
