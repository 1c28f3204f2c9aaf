import { message, type Action } from './message';

/** Names each damaged file once, in one window: what it held may cost money. */
export function offerDamagedFiles(
  oneWindow: { offer(key: string, run: () => unknown): void },
  /** Whose files they are and what they hold. */
  kind: string,
  paths: Iterable<string>,
  said: { readonly sentence: (path: string) => string; readonly next: Action },
): void {
  for (const path of paths) {
    oneWindow.offer(`${kind}:damaged:${path}`, () => {
      message('warning', said.sentence(path), said.next);
    });
  }
}
