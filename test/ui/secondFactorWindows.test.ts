import assert from 'node:assert/strict';
import { logIns, orderAccount, totpCode, type OrderedAccount } from '../support/secondFactorAccount';
import {
  chooseFactor,
  codeNeeded,
  endSessions,
  enterCode,
  goesOn,
  nextCode,
  signInUpToFactor,
} from '../support/secondFactorSteps';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('the second factor in two windows', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('second-factor-windows');
  let one: Workbench;
  let two: Workbench;
  let account: OrderedAccount;
  const isAsked = async (window: Workbench) =>
    (await window.quick.widget.locator('.quick-input-title', { hasText: 'Verification Code' }).isVisible()) ||
    (await window.toasts.filter({ hasText: codeNeeded }).count()) > 0;
  const isEmpty = (window: Workbench) =>
    window.view('Instances').welcome.filter({ hasText: 'You are not charged' }).waitFor();
  const keysInUse = () =>
    new Set(
      session()
        .simulator.received('GET', /instances/)
        .map(({ status }) => status),
    );

  /** Every page believes that it has the focus by default; two windows never do. */
  async function withRealFocus(window: Workbench): Promise<Workbench> {
    const devTools = await window.page.context().newCDPSession(window.page);
    await devTools.send('Emulation.setFocusEmulationEnabled', { enabled: false });
    return window;
  }

  /** The editor shows by its title bar whether it knows; a page that never had the focus is not told that it has none. */
  async function toFront(window: Workbench): Promise<void> {
    const others = [one, two].filter((each) => each !== window);
    const isInactive = (each: Workbench) => each.page.locator('.part.titlebar.inactive').count();
    await until('the focus of one window', async () => {
      for (const each of [...others, window]) {
        await each.page.bringToFront();
        await until('the focus', () => each.page.evaluate<boolean>('document.hasFocus()'));
      }
      const isKnown = async () =>
        (await isInactive(window)) === 0 &&
        (await Promise.all(others.map(isInactive))).every((count) => count > 0);
      return until('the title bars', isKnown, { timeoutMs: 2000 }).catch(() => false);
    });
  }

  it('is requested in the one in use, and both continue', async () => {
    account = await orderAccount(session().simulator, 'both');
    one = await withRealFocus(await session().window('one'));
    two = await withRealFocus(await session().window('two'));
    await toFront(two);
    await two.openContainer('GPU Rental');
    await toFront(one);
    await signInUpToFactor(session(), one, account);
    await two.view('Instances').row('Loading…').waitFor();
    await one.shot('01-asked');
    await two.shot('01-waits');
    assert.equal(await isAsked(two), false);
    await chooseFactor(one, 'Authenticator (#1)');
    await one.quick.type(totpCode(session().simulator, account.totpSecret));
    await goesOn(session());
    await isEmpty(one);
    await isEmpty(two);
    assert.equal(await isAsked(two), false);
    assert.equal(logIns(session()), 1);
  });

  it('is requested again when the session ends, for a call of either window', async () => {
    const { simulator } = session();
    await toFront(two);
    // The list is polled by the first window; the question comes where somebody is.
    await endSessions(session(), two);
    assert.equal(await isAsked(one), false);
    await two.shot('02-asked');
    await one.shot('02-waits');
    await enterCode(two);
    await chooseFactor(two, 'E-mail');
    const { code } = await nextCode(session(), 'email', 0);
    await two.quick.waitForTitle('Verification Code');
    await until('the code box', async () => (await two.quick.message()).includes('A code was sent'));
    await two.quick.type(code);
    await two.quick.widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    assert.equal(logIns(session()), 2);
    // Both use the new session: neither asks again, and nothing is refused any more.
    const since = simulator.received().length;
    // Volumes wait the longest for the limits of the service, and would be refused once the next test ends the session.
    const lists = () =>
      [/\/instances\/$/, /\/volumes\/$/].map(
        (path) => simulator.received('GET', path).filter(({ status }) => status === 200).length,
      );
    for (const window of [one, two]) {
      await toFront(window);
      const before = lists();
      await window.run('Refresh');
      await until('the lists', () => lists().every((count, place) => count > (before[place] ?? 0)));
      await isEmpty(window);
    }
    // One that is under way has no status yet.
    const after = await until('an answer to all that was asked', () => {
      const calls = simulator
        .received()
        .filter(({ path }, place) => place >= since && path.startsWith('/api/'));
      return calls.every(({ status }) => status !== 0) && calls;
    });
    assert.deepEqual(
      after.filter(({ status }) => status !== 200),
      [],
    );
    assert.equal(logIns(session()), 2);
    assert.ok(keysInUse().has(200));
  });

  it('moves with the focus if no window was in use', async () => {
    await toFront(one);
    await endSessions(session(), one);
    assert.equal(await isAsked(two), false);
    // Somebody who goes on in the other window still sees one question.
    await toFront(two);
    await two.view('Instances').titleAction('Refresh');
    assert.equal(await isAsked(two), false);
    await two.shot('03-not-asked');
    await toFront(one);
  });

  it('leaves nothing usable after a sign-out in the other window, not even the question', async () => {
    const { simulator } = session();
    assert.equal(await isAsked(one), true);
    await enterCode(one);
    // A right code that is typed and not sent yet must not open the account any more.
    await chooseFactor(one, 'Authenticator (#1)');
    simulator.advance(60);
    await one.quick.type(totpCode(simulator, account.totpSecret), { enter: false });
    await toFront(two);
    await two.run('Sign Out…');
    await two.dialogButton('Sign Out');
    for (const window of [two, one]) {
      await window.view('Instances').welcome.filter({ hasText: 'Try the Demo Marketplace' }).waitFor();
    }
    await until('the end of the question', async () => !(await isAsked(one)));
    await one.shot('04-signed-out');
    assert.equal(logIns(session()), 2, 'the code that was typed was not sent');
    const since = simulator.received().length;
    for (const window of [one, two]) {
      await toFront(window);
      await window.quick.open('>GPU Rental: Sign');
      await window.quick.row('GPU Rental: Sign In…').waitFor();
      await window.quick.input.fill('>GPU Rental: Enter Verification Code');
      // What only resembles it comes last.
      await window.quick.rows.filter({ hasText: 'similar commands' }).first().waitFor();
      assert.equal(await window.quick.row('GPU Rental: Enter Verification Code', '…?').count(), 0);
      await window.shot('05-nothing-left');
      await window.page.keyboard.press('Escape');
    }
    // Nor does a window that is reopened find anything to go on with.
    await one.page.reload();
    await one.ready();
    await toFront(one);
    await one.openContainer('GPU Rental');
    await one.view('Instances').welcome.filter({ hasText: 'Try the Demo Marketplace' }).waitFor();
    assert.deepEqual(
      simulator
        .received()
        .slice(since)
        .filter(({ path, status }) => path.startsWith('/api/') && status === 200),
      [],
      'no key is left to ask with',
    );
    assert.deepEqual(session().filesWithSecrets([account.key, account.totpSecret]), []);
    assert.deepEqual([...one.errors, ...two.errors], []);
  });
});
