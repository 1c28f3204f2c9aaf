import { t } from '../../editor/localize';
import { interrupting } from '../../editor/quickInput';
import type { TfaLogin } from '../../model/accounts/tfa';
import type { Services } from '../../services';
import type { SecondFactorSubject } from '../../store/accounts/secondFactor';
import { tellBackupCodes } from './backupCodes';
import { proveFactor } from './proof';

/** The second factor at sign-in, or whenever a session has ended. */
export async function logIn(
  { clock, redactor }: Pick<Services, 'clock' | 'redactor'>,
  { account, user, client, admin }: SecondFactorSubject,
  signal: AbortSignal,
): Promise<TfaLogin | undefined> {
  const login = await interrupting(() =>
    proveFactor({
      title: admin
        ? t('Second Factor for an Admin Session: {0}', account.name)
        : t('Second Factor: {0}', account.name),
      client,
      person: user,
      clock,
      signal,
      use: async (proof, inner) => client.tfa.logIn(proof, { signal: inner, ...(admin ? { admin } : {}) }),
    }),
  );
  if (login) {
    redactor.addSecret(login.sessionKey);
    if (login.backupCodesRemaining !== undefined) {
      tellBackupCodes(login.backupCodesRemaining);
    }
  }
  return login;
}
