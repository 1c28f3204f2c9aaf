import * as vscode from 'vscode';
import { CancelledError } from '../util/errors';

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

/** Says that the list of instances is being read; cancelling it ends the waiting, and the list is read for all windows. */
export function whileReadingInstances(work: Promise<void>): Promise<void> {
  return withCancellableProgress(vscode.l10n.t('Reading the instances…'), (signal) =>
    Promise.race([work, untilAborted(signal)]),
  );
}

/** For what is read for all windows and goes on; whoever asked stops waiting. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new CancelledError());
    });
  });
}
