import * as vscode from 'vscode';
import type { ViewId } from '../contributions';
import { orCancelled } from '../util/cancellation';
import { wait } from '../util/clock';
import { t } from './localize';
import { windowParts } from './windowParts';

/**
 * Returns options for a progress notification with another button than *Cancel*, for work that continues after it. The
 * editor accepts the label in `cancellable`, although its types omit that; older editors show *Cancel*.
 */
export function progressWithButton(
  title: string,
  button: string,
): Pick<vscode.ProgressOptions, 'location' | 'title'> {
  const usual: vscode.ProgressOptions = { location: vscode.ProgressLocation.Notification, title };
  const options = { ...usual, cancellable: button };
  return options;
}

/**
 * Shows a progress notification with *Cancel* or another button; the signal fires when it is pressed. Work that ends
 * before a user could read the notification shows none.
 */
export async function withCancellableProgress<T>(
  title: string,
  run: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
  button = t('Cancel'),
  afterMs = soonMs,
): Promise<T> {
  const stop = new AbortController();
  let latest: string | undefined;
  let report = (message: string) => {
    latest = message;
  };
  const work = run(stop.signal, (message) => {
    report(message);
  });
  return unlessSoon(work, afterMs, () =>
    vscode.window.withProgress(progressWithButton(title, button), (progress, token) => {
      report = (message) => {
        progress.report({ message });
      };
      if (latest !== undefined) {
        report(latest);
      }
      const subscription = token.onCancellationRequested(() => {
        stop.abort();
      });
      return work.finally(() => {
        subscription.dispose();
      });
    }),
  );
}

/** Shows progress above a view while its rows are refreshed, for example by a retry in a row. */
export async function inView<T>(viewId: ViewId, read: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: { viewId } }, read);
}

/** Work that takes less than this shows no notification (ms). */
const soonMs = 700;

/** Shows progress while a read waits for the service or its rate limits; *Cancel* only ends the waiting. */
export function whileAsking<T>(work: Promise<T>, afterMs = soonMs): Promise<T> {
  return withCancellableProgress(
    t('Waiting for the service…'),
    (signal) => orCancelled(work, signal),
    undefined,
    afterMs,
  );
}

/** Like `whileAsking`, for a change: the end of the waiting does not undo it. */
export function whileSending<T>(work: Promise<T>): Promise<T> {
  return unlessSoon(work, soonMs, () =>
    vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: t('Waiting for the service…') },
      () => work,
    ),
  );
}

async function unlessSoon<T>(work: Promise<T>, afterMs: number, show: () => PromiseLike<T>): Promise<T> {
  const stop = new AbortController();
  const done = () => true;
  const late = () => false;
  const isSoon = await Promise.race([
    work.then(done, done),
    wait(windowParts().clock, afterMs, stop.signal).then(late, late),
  ]);
  stop.abort();
  return isSoon ? work : show();
}

/** Shows progress while the instances are read. *Cancel* only ends the waiting, because all windows share this read. */
export function whileReadingInstances(work: Promise<void>): Promise<void> {
  return withCancellableProgress(t('Waiting for the service…'), (signal) => orCancelled(work, signal));
}
