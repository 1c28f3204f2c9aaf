import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { press } from '../support/press';
import { rentRunning } from '../support/rentRunning';
import { filesWithSecrets } from '../support/secretScan';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import { Workbench } from '../support/workbench';

describe('a window that is connected to an instance', function () {
  this.bail(true);
  this.timeout(180_000);
  const apiKey = 'connected-window-secret-5d20';
  const session = useUiSession('connected-window', {
    simulator: { apiKey, speed: 20 },
    extensions: ['ui/remoteSsh'],
    patches: ['sharedSecrets', 'authority', 'sshWindow'],
  });
  let first: Workbench;
  let connected: Workbench;
  let second: Workbench;
  let instanceId: number;
  const item = () => connected.statusItem('gpuRental.status');
  const both = () => [connected, second];
  const sent = (state: string) =>
    session()
      .simulator.received('PUT', new RegExp(`^/api/v0/instances/${String(instanceId)}/$`))
      .filter(({ body }) => (body as { state?: string }).state === state);

  /** From the window that never asks: a question in another one takes its keys. */
  async function refresh(): Promise<void> {
    await first.page.bringToFront();
    await first.run('Refresh');
  }

  /** The only window that asks. */
  async function whoAsks(question: RegExp): Promise<Workbench> {
    const asking = await until(`a question with ${String(question)}`, async () => {
      for (const window of both()) {
        if (await window.dialog.filter({ hasText: question }).isVisible()) {
          return window;
        }
      }
      return undefined;
    });
    await asking.shot(`question-${question.source.replaceAll(/\W+/g, '-')}`);
    return asking;
  }

  it('shows price, time and cost of its machine', async () => {
    const { simulator, root } = session();
    const file = path.join(root, 'home', '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'mine', '-f', file]);
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: readFileSync(`${file}.pub`, 'utf8').trim() });
    instanceId = await rentRunning(simulator, { label: 'trainer', runtype: 'ssh_direct' });
    first = await session().window();
    await signIn(session(), first);
    const instances = first.view('Instances');
    const page = await session().opensWindow(async () => {
      await instances.inlineAction(instances.row('trainer'), 'Connect', first.quick.title('Open trainer'));
      const folder = path.join(root, 'workspace');
      await first.quick.type(folder, { enter: false });
      await first.quick.pick(folder);
    });
    connected = Workbench.of(page, 'connected-window');
    await connected.ready();
    await item().waitFor({ timeout: 60_000 });
    await until('price, time and cost', async () =>
      /trainer · \$\S+\/h · \d+ \w+.* · ≤ \$\S+/.test(await connected.statusText('gpuRental.status')),
    );
    await connected.shot('01-status');
    const hover = await connected.hoverText(item(), /This window works on trainer/);
    assert.match(hover, /It costs \$\S+\/h now/);
    await connected.shot('02-hover');
    assert.doesNotMatch(await first.statusText('gpuRental.status'), /trainer/);
  });

  it('stops it after the usual question, and asks once over all windows what to do next', async () => {
    const page = await session().profile.newPage();
    await page.goto(connected.page.url());
    second = Workbench.of(page, 'connected-window/second');
    await second.ready();
    await second.statusItem('gpuRental.status').filter({ hasText: 'trainer' }).waitFor({ timeout: 60_000 });
    await connected.page.bringToFront();
    await press(item());
    await connected.quick.waitForTitle('trainer');
    await connected.quick.pick('Stop…');
    await connected.dialog.filter({ hasText: 'Stop “trainer”?' }).waitFor();
    await connected.dialogButton('Stop');
    const asking = await whoAsks(/trainer is stopped/);
    const [other] = both().filter((window) => window !== asking);
    await other?.statusItem('gpuRental.status').filter({ hasText: 'Stopped' }).waitFor();
    assert.equal(await other?.dialog.isVisible(), false);
    assert.equal(await first.toasts.filter({ hasText: /trainer.*Its data is kept/ }).count(), 0);
    assert.match(await asking.dialog.innerText(), /Start for \$\S+\/h/);
    assert.deepEqual(sent('running'), []);
    await asking.dialogButton('Keep It Open');
  });

  it('asks when it was destroyed elsewhere, and closes the window where that is chosen', async () => {
    await session().simulator.call('DELETE', `/api/v0/instances/${String(instanceId)}/`, {});
    await refresh();
    const asking = await whoAsks(/trainer is destroyed/);
    await asking.dialogButton('Close the Window');
    await until(
      'the window to leave the host',
      () => asking.page.isClosed() || !asking.page.url().includes('ssh-remote'),
    );
    assert.equal(session().simulator.received('PUT', /asks/).length, 1);
  });

  it('gave the key to no machine', () => {
    assert.deepEqual(filesWithSecrets(path.join(session().root, 'instances'), [apiKey]), []);
    assert.doesNotMatch(session().log(), new RegExp(apiKey));
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
