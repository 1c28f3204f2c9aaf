import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';

/** Shows a cancellable progress message while a code is sent. */
export function withSending<T>(send: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
  return withCancellableProgress(t('Sending a code…'), (signal) =>
    send(outer ? AbortSignal.any([signal, outer]) : signal),
  );
}

/** Shows progress in the status bar while the 2FA settings are read. */
export async function whileReading<T>(read: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: t('Reading the 2FA settings…') },
    read,
  );
}
