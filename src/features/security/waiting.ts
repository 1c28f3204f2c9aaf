import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';

/** Says that a code is being sent, and lets it be stopped. */
export function withSending<T>(send: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
  return withCancellableProgress(t('Sending a code…'), (signal) =>
    send(outer ? AbortSignal.any([signal, outer]) : signal),
  );
}

/** Says in the status bar what is read before a question can be asked. */
export async function whileReading<T>(read: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: t('Reading the 2FA settings…') },
    read,
  );
}
