import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { interrupting, offeringInterruption } from '../../editor/quickInput';
import type { SecondFactorLogin } from '../../model/accounts/secondFactor';
import type { Services } from '../../services';
import type { SecondFactorSubject } from '../../store/accounts/secondFactor';
import { showRemainingCodes } from './backupCodes';
import { proveFactor } from './proof';

type Deps = Pick<Services, 'accounts' | 'clock' | 'redactor'>;

/**
 * Asks for a verification code at sign-in, or after a session has ended. Unless the user started it, a message
 * announces the question so that it does not interrupt typing elsewhere.
 */
export async function logIn(
  deps: Deps,
  subject: SecondFactorSubject,
  signal: AbortSignal,
  wanted: AbortSignal,
): Promise<SecondFactorLogin | undefined> {
  const { account, user, client, admin } = subject;
  const prove = () =>
    proveFactor({
      title: admin
        ? t('Verification Code for an Admin Session: {0}', account.name)
        : t('Verification Code: {0}', account.name),
      client,
      person: user,
      clock: deps.clock,
      signal,
      use: async (proof, inner) => client.secondFactor.logIn(proof, { signal: inner, admin }),
    });
  const login = await offeringInterruption(async () =>
    (await isAgreed(deps, subject, signal, wanted)) ? interrupting(prove) : undefined,
  );
  if (login) {
    deps.redactor.addSecret(login.sessionKey);
    if (login.backupCodesRemaining !== undefined) {
      showRemainingCodes(login.backupCodesRemaining);
    }
  }
  return login;
}

/** Returns false if the user closes the message. A code entered elsewhere leaves the message open. */
async function isAgreed(
  { accounts }: Deps,
  { account: { key, name } }: SecondFactorSubject,
  signal: AbortSignal,
  wanted: AbortSignal,
): Promise<boolean> {
  const sessionKey = () => accounts.session(key)?.sessionKey;
  const before = sessionKey();
  let isOpen = true;
  const enter = async () => {
    if (!isOpen && (accounts.active?.key !== key || sessionKey() !== before)) {
      message('info', t('The verification code is no longer needed.'));
    } else if (!isOpen) {
      await runCommand('gpuRental.tfa.signIn');
    }
    return true;
  };
  const answers: Promise<boolean | undefined>[] = [fires(wanted).then(() => true)];
  if (!wanted.aborted) {
    // The editor keeps an error message with a button until the user answers it.
    const sentence = t('{0} needs a verification code (2FA). Enter it to continue.', name);
    answers.push(suggest('error', sentence, { label: t('Enter Code'), run: enter }));
  }
  const isAgreed = await Promise.race([...answers, fires(signal)]);
  isOpen = false;
  return isAgreed === true;
}

function fires(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve());
  });
}
