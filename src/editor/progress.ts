import * as vscode from 'vscode';

/** A progress notification with *Cancel*; the signal fires on cancel. */
export function withCancellableProgress<T>(
  title: string,
  run: (signal: AbortSignal, say: (message: string) => void) => Promise<T>,
): Promise<T> {
  return Promise.resolve(
    vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, token) => {
        const stop = new AbortController();
        const subscription = token.onCancellationRequested(() => {
          stop.abort();
        });
        return run(stop.signal, (message) => {
          progress.report({ message });
        }).finally(() => {
          subscription.dispose();
        });
      },
    ),
  );
}
