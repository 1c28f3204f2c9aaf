import * as vscode from 'vscode';
import { titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { labelOf } from '../../editor/titles';
import { consoleAddress, consolePages } from '../../model/accounts/webConsole';
import type { Account } from '../../store/accounts/accounts';

/** Shows that the e-mail address must be verified first. Setting up 2FA begins with a code by e-mail. */
export async function reportUnverified(account: Account): Promise<void> {
  const target = consoleAddress(account.serviceUrl, consolePages.user);
  await ask(
    'warning',
    {
      message: t('The e-mail address of this account is not verified.'),
      detail: t(
        'Setting up 2FA starts with a code by e-mail, even for an authenticator app. Verify the address in the web console, then try again.',
      ),
    },
    target !== undefined && {
      label: labelOf('gpuRental.openConsole'),
      run: () => vscode.env.openExternal(vscode.Uri.parse(target)),
    },
  );
}

/** Shows why a method is unavailable, with a button for the web console if the problem can be solved there. */
export function reportUnavailable(reason: string, isMendedInConsole: boolean): void {
  const open = titledAction('gpuRental.openConsole', { kind: 'user' });
  message('warning', reason, isMendedInConsole && open);
}
