import type { Disposable } from '../util/disposable';
import { message, type Action } from './message';

interface OneWindow {
  offer(key: string, run: () => unknown): void;
}

/** The message about a damaged file, which is kept under this path. */
interface DamagedFileTexts {
  readonly sentence: (path: string) => string;
  readonly next: Action;
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
    oneWindow.offer(`${kind}:damaged:${path}`, () => {
      message('warning', texts.sentence(path), texts.next);
    });
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
