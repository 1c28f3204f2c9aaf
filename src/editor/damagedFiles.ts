import * as vscode from 'vscode';
import type { Disposable } from '../util/disposable';
import { t } from './localize';
import { message, type Action } from './message';
import { openNamedDocument } from './namedDocument';

interface OneWindow {
  offer(key: string, run: () => unknown): void;
}

/** What a damaged file that was set aside means. */
interface DamagedFileTexts {
  /** What is missing, and what may cost money. */
  readonly effect: string;
  /** Makes again what the file held. */
  readonly startOver?: () => unknown;
  readonly next?: Action;
}

/** Returns the sentences about a damaged file. */
export function damagedText(effect: string): string {
  return t('{0} Its file is damaged and was set aside.', effect);
}

/** Shows the message about a damaged file, which is kept under this path. */
export function showDamagedFile(path: string, { effect, startOver, next }: DamagedFileTexts): void {
  message(
    'warning',
    damagedText(effect),
    next,
    { label: t('Show File'), run: () => showFile(path) },
    startOver && { label: t('Start Over'), run: startOver },
  );
}

async function showFile(path: string): Promise<void> {
  await vscode.window.showTextDocument(await openNamedDocument(vscode.Uri.file(path)));
}

/** Names each damaged file once, in one window. */
export function offerDamagedFiles(
  oneWindow: OneWindow,
  /** The owner and the content of the files. */
  kind: string,
  paths: Iterable<string>,
  texts: DamagedFileTexts,
): void {
  for (const path of paths) {
    oneWindow.offer(`${kind}:damaged:${path}`, () => showDamagedFile(path, texts));
  }
}

interface AccountDeps {
  readonly accounts: { readonly active: { readonly key: string } | undefined };
  readonly oneWindow: OneWindow;
}

/** Names each damaged file of a list of the active account once: what it held is gone from the list. */
export function reportDamagedFiles(
  { accounts, oneWindow }: AccountDeps,
  list: { readonly damaged: Iterable<string>; readonly onDidChange: (listener: () => void) => Disposable },
  /** What the files hold. */
  kind: string,
  texts: DamagedFileTexts,
): Disposable {
  const report = () => {
    const account = accounts.active?.key;
    if (account !== undefined) {
      offerDamagedFiles(oneWindow, `${account}:${kind}`, list.damaged, texts);
    }
  };
  report();
  return list.onDidChange(report);
}
