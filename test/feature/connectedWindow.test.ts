import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { filesWithSecrets } from '../support/secretScan';
import { freePort } from '../support/sshMachine';

describe('a window that is connected to an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const extensions = [remoteSshExtension()];
  let first: FeatureWindow;
  let connected: FeatureWindow;
  let second: FeatureWindow;
  let id: number;
  let folder: string;
  const both = () => [connected, second];
  const item = (window: FeatureWindow) => window.screen.status.get('gpuRental.status');
  const alias = () => /ssh-remote\+([^/]+)/.exec(folder)?.[1] ?? '';
  const sent = (state: string) =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${id}/`)
      .filter(({ body }) => (body as { state?: string }).state === state);
  const shows = (window: FeatureWindow, text: RegExp) =>
    computer().until(`${String(text)} in the status bar`, () => {
      const shown = item(window);
      return shown?.isShown === true && text.test(shown.text) ? shown : undefined;
    });
  const remoteWindow = () =>
    computer().openWindow({ folders: [folder], remoteName: 'ssh-remote', extensions });

  async function menu(window: FeatureWindow): Promise<void> {
    const command = item(window)?.command;
    assert.ok(typeof command === 'string');
    window.start(command);
    await window.quick.title('trainer');
  }

  /** The only window that asks, with its question. */
  async function whoAsks(question: RegExp) {
    const asking = await computer().until(`a question with ${String(question)}`, () =>
      both().find(({ screen }) => screen.messages.shown.some((one) => one.modal && question.test(one.text))),
    );
    const others = both().filter((window) => window !== asking);
    for (const { screen } of others) {
      assert.ok(!screen.messages.shown.some(({ modal }) => modal));
    }
    const { text, detail, buttons } = await asking.dialog(question);
    return { asking, text: `${text} ${detail ?? ''}`, buttons };
  }

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    first = await computer().openWindow({ extensions });
    await first.signIn();
    await first.view('instances').inline('trainer', 'Connect');
    await first.quick.title('Open trainer');
    await first.quick.type(computer().workspace, { enter: false });
    await first.quick.pick(computer().workspace);
    folder = (await first.opens()).address;
    first.clearToasts();
    connected = await remoteWindow();
  });

  it('shows price, time and cost of its machine', async () => {
    await shows(connected, /trainer · \$\S+\/h · \d+ \w+.* · ≤ \$\S+/);
    assert.match(connected.status(), /This window works on trainer.*It costs \$\S+\/h now/s);
    assert.doesNotMatch(first.status(), /This window works on/);
  });

  it('shows the latency to its machine while it is in use, a connection a minute and no login', async () => {
    connected.focus();
    await shows(connected, / · \d+ ms · /);
    assert.match(connected.status(), /Latency to the machine: \d+ ms/);
    first.focus();
    await computer().pass(5 * 60_000);
    await shows(connected, /^(?!.* ms)/);
    connected.focus();
    await shows(connected, / · \d+ ms · /);
  });

  it('offers to stop, to destroy and to show it', async () => {
    await menu(connected);
    const rows = connected.quick.rows().join('\n');
    for (const offered of ['Stop…', 'Destroy…', 'Show Instance']) {
      assert.ok(rows.includes(offered), rows);
    }
    assert.doesNotMatch(rows, /Start/);
    await connected.quick.pick('Show Instance');
    const row = await connected.view('instances').row('trainer');
    await computer().until('the row to be selected', () =>
      connected.view('instances').tree.selection.includes(row.node),
    );
  });

  it('stops it after the usual question, and asks once over all windows what to do next', async () => {
    second = await remoteWindow();
    await shows(second, /trainer · \$/);
    await menu(connected);
    await connected.quick.pick('Stop…');
    await connected.dialogButton('Stop', /^Stop “trainer”\?/);
    const { asking, text, buttons } = await whoAsks(/trainer is stopped/);
    for (const other of both().filter((window) => window !== asking)) {
      await shows(other, /Stopped/);
    }
    assert.match(text, /storage still costs \$\S+\/day/);
    assert.match(buttons.join(), /Start for \$\S+\/h/);
    assert.ok(!first.toasts().some((one) => /trainer.*Its data is kept/.test(one)));
    assert.deepEqual([sent('stopped').length, sent('running').length], [1, 0]);
  });

  it('does not accept an answer that arrives with the question as a start, and asks again', async () => {
    const { asking, buttons } = await whoAsks(/trainer is stopped/);
    await asking.dialogButton('Keep It Open');
    await computer().rest();
    assert.deepEqual(sent('running'), []);
    // The same trouble of the same machine again: it was started and stopped elsewhere.
    const { simulator } = computer();
    const path0 = `/api/v0/instances/${id}/`;
    await simulator.call('PUT', path0, { state: 'running' });
    for (const window of both()) {
      await window.toast(/trainer is running again/);
    }
    for (const window of both()) {
      window.clearToasts();
    }
    await simulator.call('PUT', path0, { state: 'stopped' });
    first.run('Refresh');
    const again = await whoAsks(/trainer is stopped/);
    const start = buttons.find((one) => one.startsWith('Start for')) ?? '';
    const before = sent('running').length;
    // A clock that is set forward makes no answer come later.
    computer().clock.jump(2000);
    await again.asking.dialogButton(start);
    await whoAsks(/trainer is stopped/);
    assert.equal(sent('running').length, before);
  });

  it('starts it only on request, and shows when it is back', async () => {
    const { asking, buttons } = await whoAsks(/trainer is stopped/);
    const before = sent('running').length;
    // An answer that comes with the question was meant for something else.
    await computer().pass(1100);
    await asking.dialogButton(buttons.find((one) => one.startsWith('Start for')) ?? '');
    await computer().until('the start', () => sent('running').length === before + 1);
    for (const window of both()) {
      await window.toast(/trainer is running again/);
    }
    assert.equal(sent('running').length, before + 1);
  });

  it('asks once when its address changed, after the entry was rewritten', async () => {
    for (const window of [first, ...both()]) {
      window.clearToasts();
    }
    const { simulator, sshConfig } = computer();
    const instance = simulator.world.instance(id);
    assert.ok(instance);
    instance.directPorts = { ...instance.directPorts, '22/tcp': await freePort() };
    first.run('Refresh');
    const { asking, buttons } = await whoAsks(/trainer has a new address/);
    assert.deepEqual(buttons, ['Keep It Open', 'Reload Window', 'Close the Window', 'Cancel']);
    const entry = readFileSync(path.join(path.dirname(sshConfig), 'gpu-rental.d', `${alias()}.conf`), 'utf8');
    assert.match(entry, new RegExp(`Port ${instance.proxyPort}$`, 'm'));
    await asking.dialogButton('Keep It Open');
  });

  it('asks once when its host is gone, without another message, and keeps the window where that is chosen', async () => {
    const { simulator } = computer();
    await simulator.call('PUT', `/__sim/instances/${id}/`, { actual_status: 'offline' });
    first.run('Refresh');
    const { asking, text, buttons } = await whoAsks(/The host of trainer is disconnected/);
    assert.match(text, /storage still costs \$\S+\/day/);
    assert.doesNotMatch(buttons.join(), /Start for/);
    await asking.dialogButton('Keep It Open');
    const lists = () => simulator.received('GET', /^\/api\/v\d\/instances\/$/).length;
    const before = lists();
    first.run('Refresh');
    await computer().until('the list to be read anew', () => lists() > before);
    await computer().pass(60_000);
    for (const { screen } of [first, ...both()]) {
      const shown = screen.messages.shown.filter(
        (one) => one.modal || one.text.includes('The host of trainer'),
      );
      assert.deepEqual(
        shown.map((one) => one.text),
        [],
      );
    }
  });

  it('asks nothing while the list can’t be read, and shows what was known last', async () => {
    const { simulator } = computer();
    const list = { method: 'GET', path: '/api/{version}/instances/' } as const;
    simulator.fail({ kind: 'error', status: 503, error: 'busy', ...list, times: 0 });
    first.run('Refresh');
    await computer().until('the tooltip to say so', () =>
      both().every((window) => /this is the last known state/.test(window.status())),
    );
    for (const { screen } of both()) {
      assert.ok(!screen.messages.shown.some(({ modal }) => modal));
    }
    simulator.faults.clear();
    first.run('Refresh');
    await computer().until('the tooltip to be as before', () =>
      both().every((window) => !/last known state/.test(window.status())),
    );
    for (const window of [first, ...both()]) {
      window.clearToasts();
    }
  });

  it('asks when it was destroyed elsewhere, and closes the window where that is chosen', async () => {
    await computer().simulator.call('DELETE', `/api/v0/instances/${id}/`, {});
    // The list is then older than the window by the time of day.
    computer().clock.jump(-3 * 3_600_000);
    first.run('Refresh');
    const { asking, buttons } = await whoAsks(/trainer is destroyed/);
    assert.deepEqual(buttons, ['Keep It Open', 'Search Offers…', 'Close the Window', 'Cancel']);
    await asking.dialogButton('Close the Window');
    await computer().until('the window to leave the host', () =>
      asking.screen.commands.executed.some(({ id: one }) => one === 'workbench.action.closeFolder'),
    );
    assert.equal(computer().simulator.received('PUT', /asks/).length, 1);
  });

  it('leaves nothing of its account behind when that is signed out', async () => {
    const owners = () => Object.values(computer().memento().get('gpuRental.connectedWindow.owners', {}));
    assert.equal(owners().length, 1);
    first.run('Sign Out');
    await first.dialogButton('Sign Out');
    await first.toast(/Signed out/);
    assert.deepEqual(owners(), []);
    for (const window of computer().windows) {
      window.clearToasts();
    }
  });

  it('gave the key to no machine, and met nothing unexpected', () => {
    const { root, simulator } = computer();
    assert.deepEqual(filesWithSecrets(path.join(root, 'instances'), [simulator.apiKey]), []);
    for (const window of computer().windows) {
      assert.doesNotMatch(window.log(), /^\[error\]/m);
    }
  });
});
