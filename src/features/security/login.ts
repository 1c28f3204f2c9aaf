import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import type { TfaLogin } from '../../model/tfa';
import type { Services } from '../../services';
import type { SecondFactorSubject } from '../../store/secondFactor';
import { prove } from './proof';

/** The second factor at sign-in, or whenever a session has ended. */
export async function logIn(
  { clock, redactor }: Pick<Services, 'clock' | 'redactor'>,
  { account, user, client }: SecondFactorSubject,
  signal: AbortSignal,
): Promise<TfaLogin | undefined> {
  const login = await prove({
    title: vscode.l10n.t('Second Factor: {0}', account.name),
    client,
    person: user,
    clock,
    signal,
    use: async (proof, inner) => client.tfa.logIn(proof, { signal: inner }),
  });
  if (login) {
    redactor.addSecret(login.sessionKey);
    if (login.backupCodesRemaining !== undefined) {
      void tellBackupCodes(login.backupCodesRemaining);
    }
  }
  return login;
}

/** Few codes are a reason to make others; none means that the next lost phone locks the account. */
async function tellBackupCodes(left: number): Promise<void> {
  const make = vscode.l10n.t('Make New Codes');
  const chosen =
    left === 0
      ? await vscode.window.showWarningMessage(
          vscode.l10n.t(
            'That was your last backup code. Make new ones, so that a lost phone does not lock you out.',
          ),
          make,
        )
      : await vscode.window.showInformationMessage(
          vscode.l10n.t('The backup code was used. {0} are left.', left),
          ...(left <= 3 ? [make] : []),
        );
  if (chosen === make) {
    await runCommand('gpuRental.tfa.regenerateBackupCodes');
  }
}
