import { unaskedTimes } from '../../src/model/rentals/acceptGuard';
import { sentCodes, type OrderedAccount } from './secondFactorAccount';
import type { UiSession } from './uiSession';
import { pause, until } from './until';
import type { Workbench } from './workbench';

/** Signs in by the welcome view with the key of an account that wants a second factor, up to that question. */
export async function signInUpToFactor(
  session: UiSession,
  workbench: Workbench,
  account: Pick<OrderedAccount, 'key'>,
): Promise<void> {
  await enterKey(session, workbench, account);
  await workbench.quick.waitForTitle('Verification Code');
}

async function enterKey(
  session: UiSession,
  workbench: Workbench,
  { key }: Pick<OrderedAccount, 'key'>,
): Promise<void> {
  await workbench.openContainer('GPU Rental');
  await workbench.view('Instances').welcomeButton('Sign In');
  await workbench.quick.waitForTitle('Sign In');
  await workbench.quick.pick(session.simulator.url);
  await workbench.quick.waitForTitle('Sign In: API key');
  await workbench.quick.type(key);
}

/** The newest code that was sent after `count` of them, as a person reads it on a telephone or in a mailbox. */
export async function nextCode(
  session: UiSession,
  channel: 'sms' | 'email',
  count: number,
): Promise<{ readonly code: string; readonly count: number }> {
  return until(`a code by ${channel}`, async () => {
    const codes = await sentCodes(session, channel);
    const code = codes.at(-1);
    return codes.length > count && code !== undefined && { code, count: codes.length };
  });
}

/** Shows that a code is needed, and closes nothing that is open. */
export const codeNeeded = /needs a verification code \(2FA\)/;

/** Ends all sessions of the service at once, and has a window ask for its instances, up to the message about it. */
export async function endSessions(session: UiSession, workbench: Workbench): Promise<void> {
  await session.simulator.call('POST', '/__sim/expire-sessions/', {});
  await workbench.view('Instances').titleAction('Refresh');
  await workbench.toast(codeNeeded);
}

/** Asks for the question by the message. */
export async function enterCode(workbench: Workbench): Promise<void> {
  await workbench.toastButton(codeNeeded, 'Enter Code');
  await workbench.quick.waitForTitle('Verification Code');
}

/** Takes a way to prove who one is, up to the box for its code. */
export async function chooseFactor(workbench: Workbench, label: string): Promise<void> {
  await tryFactor(workbench, label);
  await workbench.quick.rows.first().waitFor({ state: 'hidden' });
}

/** Chooses a way that may be closed. A choice right after the question appeared does not count. */
export async function tryFactor({ quick }: Workbench, label: string): Promise<void> {
  await quick.row(label).waitFor();
  await pause(unaskedTimes.settleMs + 100);
  await quick.pick(label);
}

/** Waits until the list of instances was answered after the last log-in. */
export async function goesOn(session: UiSession): Promise<void> {
  await until('the list that had waited', () => {
    const requests = session.simulator.received();
    const logIn = requests.findLastIndex(({ path, status }) => path === '/api/v0/tfa/' && status === 200);
    return requests
      .slice(logIn + 1)
      .some(({ path, status }) => /^\/api\/v[01]\/instances\/$/.test(path) && status === 200);
  });
}

/** Signs in with the key of an account that asks for nothing more. */
export async function signInWith(
  session: UiSession,
  workbench: Workbench,
  account: Pick<OrderedAccount, 'key'>,
): Promise<void> {
  await enterKey(session, workbench, account);
  await workbench.toast(/Signed in as/);
}
