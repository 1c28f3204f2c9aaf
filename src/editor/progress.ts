import * as vscode from 'vscode';
import { orCancelled } from '../util/cancellation';
import { wait } from '../util/clock';
import type { ViewId } from '../contributions';
import { t } from './localize';
import { windowClock } from './windowClock';

/**
 * Options of a progress notification whose button is not *Cancel*, because what it shows goes on without it. The editor
 * takes the label in `cancellable`, which its types leave out; an editor that does not know that shows *Cancel*.
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
 * A progress notification with *Cancel* or another button, for what is not done at once; the signal fires on cancel.
 * Work of which the notification would be gone again before it is read gets none.
 */
export async function withCancellableProgress<T>(
  title: string,
  run: (signal: AbortSignal, say: (message: string) => void) => Promise<T>,
  button = t('Cancel'),
): Promise<T> {
  const stop = new AbortController();
  let said: string | undefined;
  let say = (message: string) => {
    said = message;
  };
  const work = run(stop.signal, (message) => {
    say(message);
  });
  return unlessSoon(work, () =>
    vscode.window.withProgress(progressWithButton(title, button), (progress, token) => {
      say = (message) => {
        progress.report({ message });
      };
      if (said !== undefined) {
        say(said);
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

/** Moves the bar above a view while its rows are read anew, as a retry in a row of it does. */
export async function inView<T>(viewId: ViewId, read: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: { viewId } }, read);
}

/** What is answered sooner is not worth a notification. */
const soonMs = 700;

/** For a question to the service that may have to wait for its limits; whoever asked may stop waiting. */
export function whileAsking<T>(work: Promise<T>): Promise<T> {
  return withCancellableProgress(t('Waiting for the service…'), (signal) => orCancelled(work, signal));
}

/** The same for a change, which is not taken back by not waiting for it. */
export function whileSending<T>(work: Promise<T>): Promise<T> {
  return unlessSoon(work, () =>
    vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: t('Waiting for the service…') },
      () => work,
    ),
  );
}

async function unlessSoon<T>(work: Promise<T>, show: () => PromiseLike<T>): Promise<T> {
  const stop = new AbortController();
  const done = () => true;
  const late = () => false;
  const isSoon = await Promise.race([
    work.then(done, done),
    wait(windowClock(), soonMs, stop.signal).then(late, late),
  ]);
  stop.abort();
  return isSoon ? work : show();
}

/** Says that the list of instances is being read; cancelling it ends the waiting, and the list is read for all windows. */
export function whileReadingInstances(work: Promise<void>): Promise<void> {
  return withCancellableProgress(t('Reading the instances…'), (signal) => orCancelled(work, signal));
}
