import * as vscode from 'vscode';

/** Says that a code is being sent, and lets it be stopped. */
export async function withSending<T>(
  send: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Sending a code…'),
      cancellable: true,
    },
    (_, token) => {
      const stop = new AbortController();
      const abort = () => {
        stop.abort();
      };
      token.onCancellationRequested(abort);
      outer?.addEventListener('abort', abort, { once: true });
      return send(stop.signal).finally(() => {
        outer?.removeEventListener('abort', abort);
      });
    },
  );
}
