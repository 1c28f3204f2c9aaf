import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import type { User } from '../../model/accounts/account';
import { secondFactorStatusOf, type SecondFactorStatus } from '../../model/accounts/secondFactor';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';

/** Shows a cancellable progress message while a code is sent. */
export function withSending<T>(send: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
  return withCancellableProgress(t('Waiting for the service…'), (signal) =>
    send(outer ? AbortSignal.any([signal, outer]) : signal),
  );
}

/** Shows progress in the status bar while the 2FA settings are read. */
export async function whileReading<T>(read: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: t('Waiting for the service…') },
    read,
  );
}

/** Reads the user and the 2FA settings; `state` is `tfa_status`. */
export function readSecondFactor(
  accounts: Services['accounts'],
  { client }: Account,
): Promise<{ readonly user: User; readonly status: SecondFactorStatus; readonly state: string }> {
  return whileReading(async () => {
    const user = await accounts.refreshUser();
    const status = await client.secondFactor.status();
    return { user, status, state: secondFactorStatusOf(user, status) };
  });
}
