import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { consoleAddress, consolePages } from '../../model/accounts/webConsole';
import type { Account } from '../../store/ports';

/** A second factor begins with a code by e-mail, so without a verified address nothing can begin. */
export async function tellUnverified(account: Account): Promise<void> {
  const open = t('Open Web Console');
  const target = consoleAddress(account.serviceUrl, consolePages.user);
  const chosen = await vscode.window.showWarningMessage(
    t('The e-mail address of this account is not verified.'),
    {
      modal: true,
      detail: t(
        'Setting up 2FA begins with a code by e-mail, for an authenticator app as well. Verify the address in the web console, then try again. Everything else works as before.',
      ),
    },
    ...(target ? [open] : []),
  );
  if (chosen === open && target) {
    await vscode.env.openExternal(vscode.Uri.parse(target));
  }
}

/** Why a way is closed, and where it opens again where that is the web console. */
export async function tellClosed(reason: string, isMendedInConsole: boolean): Promise<void> {
  const open = t('Open Web Console');
  const chosen = await vscode.window.showWarningMessage(reason, ...(isMendedInConsole ? [open] : []));
  if (chosen === open) {
    await runCommand('gpuRental.openConsole', { kind: 'user' });
  }
}
