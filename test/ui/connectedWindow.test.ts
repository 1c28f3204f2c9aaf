import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { openGallery, withGallery } from '../support/extensionGallery';
import { signIn, toConfirmation } from '../support/journey';
import { packageFolder } from '../support/packageFolder';
import { press } from '../support/press';
import { haveKey, rentNow } from '../support/rentJourney';
import { filesWithSecrets } from '../support/secretScan';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import { Workbench } from '../support/workbench';

describe('a window that is connected to an instance', function () {
  this.bail(true);
  this.timeout(180_000);
  const apiKey = 'connected-window-secret-5d20';
  const dotfiles = 'https://dotfiles.example/ada/dotfiles';
  const session = useUiSession('connected-window', {
    simulator: { apiKey, speed: 20 },
    extensions: ['ui/remoteSsh'],
    patches: ['sharedSecrets', 'authority', 'sshWindow', 'lastingToasts'],
    env: withGallery,
    settings: {
      'gpuRental.setUp.gitIdentity': true,
      'gpuRental.setUp.dotfiles': dotfiles,
      'gpuRental.setUp.extensions': ['gpu-rental-tests.sample', 'gpu-rental-tests.lost'],
    },
  });
  let closeGallery: (() => void) | undefined;
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

  /** What the set-up finds: a repository under another address, and an extension of a gallery. */
  async function prepareSetUp(id: number): Promise<void> {
    const { profile, root } = session();
    const origin = path.join(root, 'origin');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', origin, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
    mkdirSync(origin);
    writeFileSync(path.join(origin, '.vimrc'), 'set number\n');
    git('init', '-q');
    git('add', '-A');
    git('commit', '-q', '-m', 'x');
    const insteadOf = `[url "file://${origin}"]\n\tinsteadOf = ${dotfiles}\n`;
    writeFileSync(path.join(home(), '.gitconfig'), `[user]\n\tname = Ada\n${insteadOf}`);
    // Terminals of the window run on this computer, in this home folder.
    mkdirSync(onMachine(id, '.gpu-rental'), { recursive: true });
    symlinkSync(onMachine(id, '.gpu-rental'), path.join(home(), '.gpu-rental'));
    closeGallery = await openGallery(
      profile,
      'ui/sampleExtension',
      await packageFolder('ui/sampleExtension', root),
    );
  }
  const home = () => path.join(session().root, 'home');
  const onMachine = (id: number, ...parts: string[]) =>
    path.join(session().root, 'instances', String(id), ...parts);

  after(() => {
    closeGallery?.();
  });

  it('is opened on a machine that was just rented, and shows its price, time and cost', async () => {
    const { simulator, root } = session();
    await haveKey(session());
    first = await session().window();
    await signIn(session(), first);
    await first.clearNotifications();
    await toConfirmation(first, { search: '1x 3090', offer: /1× RTX 3090/, label: 'trainer', shots: true });
    await rentNow(session(), first);
    await first.toast(/trainer is ready/, 120_000);
    await first.shot('rent-ready');
    const { json } = await simulator.call('GET', '/api/v0/instances/');
    instanceId = (json as { instances: readonly [{ readonly id: number }] }).instances[0].id;
    await prepareSetUp(instanceId);
    const instances = first.view('Instances');
    const page = await session().opensWindow(async () => {
      await instances.inlineAction(instances.row('trainer'), 'Connect', first.quick.title('Open trainer'));
      const folder = path.join(root, 'workspace');
      await first.quick.type(folder, { enter: false });
      await first.quick.pick(folder);
    });
    connected = Workbench.of(page, 'connected-window');
    await connected.ready();
    // The editor's own question.
    await connected.dialog.filter({ hasText: /gpu-rental-tests/ }).waitFor({ timeout: 60_000 });
    await connected.shot('00-publisher');
    await connected.dialogButton('Trust Publisher & Install');
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

  it('is set up without a word: git identity, dotfiles, and the extensions that a gallery has', async () => {
    await connected.toast(/Not installed in the window of trainer: gpu-rental-tests\.lost/, 60_000);
    await until('the log', () => existsSync(onMachine(instanceId, '.gpu-rental', 'setup', 'extensions.log')));
    assert.match(
      readFileSync(onMachine(instanceId, '.gpu-rental', 'setup', 'extensions.log'), 'utf8'),
      /gpu-rental-tests\.lost: .*\ngpu-rental-tests\.sample: installed\n/,
    );
    await until('the extension', () => {
      const all = readdirSync(path.join(session().host.dataDir, 'extensions'));
      return all.some((name) => name.startsWith('gpu-rental-tests.sample-'));
    });
    await until('the dotfiles', () => existsSync(path.join(home(), '.vimrc')));
    assert.match(readFileSync(onMachine(instanceId, '.gitconfig'), 'utf8'), /name = Ada/);
    await connected.shot('03-set-up');
  });

  it('has its set-up on the page of the instance, with what failed', async () => {
    await first.page.bringToFront();
    await first.view('Instances').pick('trainer');
    const page = first.webview();
    const section = page.locator('section[aria-labelledby="heading-setUp"]');
    await section.getByText('Dotfiles').waitFor({ timeout: 60_000 });
    await section.scrollIntoViewIfNeeded();
    await until('the states', async () =>
      /Git identity\s+done\s+Extensions\s+failed\s+Dotfiles\s+done/.test(await section.innerText()),
    );
    await section.scrollIntoViewIfNeeded();
    await first.inThemes(async (theme) => {
      assert.deepEqual(await accessibilityFaults(page), [], theme);
      await first.shot(`04-page${theme}`);
    });
    await connected.page.bringToFront();
    await connected.clearNotifications();
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
