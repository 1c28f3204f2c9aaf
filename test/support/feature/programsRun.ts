import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';

/** The programs that are started until `end`, each with its arguments in one line. */
export function watchPrograms(): { readonly lines: readonly string[]; end(): void } {
  const lines: string[] = [];
  const seen = (message: unknown) => {
    const child = (message as { process: ChildProcess }).process;
    // What a program is called is known once it was started.
    queueMicrotask(() => lines.push(child.spawnargs.join(' ')));
  };
  diagnostics.subscribe('child_process', seen);
  return { lines, end: () => void diagnostics.unsubscribe('child_process', seen) };
}
