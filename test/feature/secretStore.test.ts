import assert from 'node:assert/strict';
import type { SecretUse } from '../support/feature/computer';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const apiKey = 'planted-key-in-trouble-31d7';
type Trouble = 'throws' | 'hangs' | 'losesWrites' | 'garbage';

describe('a secret store in trouble', () => {
  const computer = useComputer({ simulator: { apiKey }, secrets: ['Cannot decrypt'] });
  let window: FeatureWindow;
  let trouble: Trouble | undefined;
  let uses = 0;
  let sentBefore = 0;
  const held: (() => void)[] = [];

  const instances = () => window.view('instances');
  const requests = () => computer().simulator.received().length;

  async function use({ action, proceed }: SecretUse): Promise<string | undefined> {
    uses += 1;
    switch (trouble) {
      case 'throws':
        throw new Error(`Cannot decrypt ${apiKey}`);
      case 'hangs':
        await new Promise<void>((resolve) => held.push(resolve));
        return proceed();
      case 'losesWrites':
        return action === 'get' ? proceed() : undefined;
      case 'garbage':
        return action === 'get' ? `{"version":1,"apiKey":${proceed() ?? ''}` : proceed();
      case undefined:
        return proceed();
    }
  }

  function endTrouble(): void {
    trouble = undefined;
    for (const goOn of held.splice(0)) {
      goOn();
    }
  }

  /** Reloads the window while the store is in trouble. */
  async function startWith(next: Trouble): Promise<void> {
    trouble = next;
    window.close();
    await computer().rest();
    sentBefore = requests();
    uses = 0;
    window = await computer().openWindow({ isFocused: true });
    await instances().welcomeShows("the account or its key can't be read");
    assert.doesNotMatch((await instances().welcome()).join('\n'), /Try the Demo/, 'not signed out');
    for (const view of ['templates', 'sshKeys', 'account'] as const) {
      await window.view(view).welcomeShows("can't be read");
    }
  }

  async function goesOn(): Promise<void> {
    endTrouble();
    await instances().welcomeButton('Try Again');
    await instances().row('trainer');
    window.clearToasts();
  }

  before(async () => {
    computer().secretTrouble = use;
    await computer().rentRunning({ label: 'trainer' });
    window = await computer().openWindow();
  });

  it('that loses its values is reported at the sign-in, and lets the user work', async () => {
    const { quick } = window;
    trouble = 'losesWrites';
    await instances().welcomeShows('Sign In');
    await instances().welcomeButton('Sign In');
    await quick.title('Sign In');
    await quick.pick(computer().simulator.url);
    await quick.title('Sign In: API key');
    await quick.type(apiKey);
    await window.toast('you are signed in only until this window closes');
    await instances().row('trainer');
    assert.equal(window.toasts().length, 1);
    endTrouble();
    await window.toastButton('you are signed in only until this window closes', 'Replace Key…');
    await quick.title('Replace Key');
    await quick.type(apiKey);
    await window.toast(/Replaced the key of .* in all windows/);
    window.clearToasts();
  });

  for (const next of ['throws', 'losesWrites', 'garbage', 'hangs'] as const) {
    it(`that ${next} during work signs no account out and shows no message`, async () => {
      trouble = next;
      const lists = () => computer().simulator.received('GET', /^\/api\/v[01]\/instances\/$/).length;
      const before = { lists: lists(), uses };
      window.run('Refresh');
      await computer().until('the list', () => lists() > before.lists);
      await computer().pass(60_000);
      await instances().row('trainer');
      assert.deepEqual(window.toasts(), []);
      assert.ok(uses - before.uses < 5, 'it is not asked again and again');
      endTrouble();
    });
  }

  it('that throws at a start is reported once with what to do, and is asked again on request', async () => {
    await startWith('throws');
    const { text } = await window.toast('Unlock the key ring of this computer, then try again');
    assert.match(text, /Could not read the secret store/);
    await computer().pass(10 * 60_000);
    assert.equal(window.toasts().length, 1);
    window.clearToasts();
    await instances().welcomeButton('Try Again');
    await window.toast('Unlock the key ring of this computer, then try again');
    assert.equal(requests(), sentBefore, 'nothing is sent without a key');
    assert.ok(uses < 10, 'it is not asked again and again');
    window.clearToasts();
    await goesOn();
  });

  it('that hangs at a start holds nothing up for ever, and its late answer is used', async () => {
    await startWith('hangs');
    assert.ok(uses < 10, 'it is not asked again and again');
    assert.equal(requests(), sentBefore);
    // The trouble of this key was told a moment ago.
    assert.deepEqual(window.toasts(), []);
    endTrouble();
    await instances().row('trainer');
  });

  it('that holds garbage leads to another key, and shows nothing of it', async () => {
    await startWith('garbage');
    await window.toast('The saved API key is damaged');
    assert.equal(window.toasts().length, 1);
    assert.equal(requests(), sentBefore);
    window.clearToasts();
    await goesOn();
  });

  it('that holds garbage is mended by the same key, entered again', async () => {
    await startWith('garbage');
    assert.deepEqual(window.toasts(), [], 'told a moment ago');
    await instances().welcomeButton('Replace Key');
    endTrouble();
    await window.quick.title('Replace Key');
    await window.quick.type(apiKey);
    await window.toast(/Replaced the key of .* in all windows/);
    await instances().row('trainer');
    window.clearToasts();
  });

  it('that refuses at a sign-out keeps no account signed in, and shows that the key is left', async () => {
    trouble = 'throws';
    window.run('Sign Out…');
    await window.dialogButton('Sign Out');
    await window.toast("You are signed out, but the editor's secret store did not remove");
    await instances().welcomeShows('Try the Demo Marketplace');
    assert.equal(window.toasts().length, 1);
    // Of the service that the key is of, though nobody is signed in to it any more.
    await window.toastButton('You are signed out', 'Open Web Console');
    await window.toast('has no web console');
    window.clearToasts();
    endTrouble();
  });
});
