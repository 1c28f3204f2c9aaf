import { unaskedTimes } from '../../../src/model/rentals/acceptGuard';
import { sentCodes, type OrderedAccount } from '../secondFactorAccount';
import type { Computer } from './computer';
import type { FeatureWindow } from './window';

/** Signs in with the key of an account that wants a second factor, up to that question. */
export async function signInUpToFactor(
  window: FeatureWindow,
  account: Pick<OrderedAccount, 'key'>,
): Promise<void> {
  await enterKey(window, account.key);
  await window.quick.title(/^Verification Code/);
}

/** Types a key into the sign-in, whoever is signed in already. */
export async function enterKey(window: FeatureWindow, key: string): Promise<void> {
  window.view('instances').show();
  await window.computer.rest();
  window.run('Sign In…');
  await window.quick.title('Sign In');
  await window.quick.pick(window.computer.simulator.url);
  await window.quick.title('Sign In: API key');
  await window.quick.type(key);
}

/** Takes a way to prove who one is, up to the box for its code. */
export async function chooseFactor(window: FeatureWindow, label: string): Promise<void> {
  await tryFactor(window, label);
  await window.computer.until('the box for the code', () => window.quick.isOpen && !window.quick.isList);
}

/** Chooses a way that may be closed. A choice right after the question appeared does not count. */
export async function tryFactor({ quick, computer }: FeatureWindow, label: string): Promise<void> {
  await quick.row(label);
  await computer.pass(unaskedTimes.settleMs + unaskedTimes.trainMs);
  await quick.pick(label);
  await computer.pass(unaskedTimes.aloneMs);
}

/** Runs `act`, which has a code sent, and reads that code on the telephone or in the mailbox. */
export async function codeAfter(
  computer: Computer,
  channel: 'sms' | 'email',
  act: () => Promise<unknown>,
): Promise<string> {
  const { length } = await sentCodes(computer, channel);
  await act();
  return computer.until(`a code by ${channel}`, async () => {
    const codes = await sentCodes(computer, channel);
    return codes.length > length && codes.at(-1);
  });
}

/** Proves who one is by a code that comes by e-mail, where the question for the way is open. */
export async function answerByEmail(window: FeatureWindow): Promise<void> {
  const code = await codeAfter(window.computer, 'email', () => chooseFactor(window, 'E-mail'));
  await window.quick.message(/A code was sent/);
  await window.quick.type(code);
}

/** Shows that a code is needed, and closes nothing that is open. */
export const codeNeeded = /needs a verification code \(2FA\)/;

/** Ends all sessions of the service at once, and has a window ask for its instances, up to the question. */
export async function endSessions(window: FeatureWindow): Promise<void> {
  await window.computer.simulator.call('POST', '/__sim/expire-sessions/', {});
  await window.view('instances').titleAction('Refresh');
  await window.toastButton(codeNeeded, 'Enter Code');
  await window.quick.title(/^Verification Code/);
}

/** Waits until the list of instances was answered after the last log-in. */
export async function goesOn(computer: Computer): Promise<void> {
  await computer.until('the list that had waited', () => {
    const requests = computer.simulator.received();
    const logIn = requests.findLastIndex(({ path, status }) => path === '/api/v0/tfa/' && status === 200);
    return requests
      .slice(logIn + 1)
      .some(({ path, status }) => /^\/api\/v[01]\/instances\/$/.test(path) && status === 200);
  });
}
