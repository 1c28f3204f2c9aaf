import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import type { Writable } from 'node:stream';

/** The programs that are started until `end`, each with its arguments in one line, and the texts that they are sent. */
export function watchPrograms(): {
  readonly lines: readonly string[];
  readonly inputs: readonly string[];
  end(): void;
} {
  const lines: string[] = [];
  const inputs: string[] = [];
  const seen = (message: unknown) => {
    const child = (message as { process: ChildProcess }).process;
    // What a program is called is known once it was started, and its input is sent in the same turn.
    queueMicrotask(() => lines.push(child.spawnargs.join(' ')));
    Object.defineProperty(child, 'stdin', {
      configurable: true,
      set: (stdin: Writable | null) => {
        Object.defineProperty(child, 'stdin', { value: stdin, writable: true, enumerable: true });
        if (stdin) {
          noteInput(stdin, inputs);
        }
      },
    });
  };
  diagnostics.subscribe('child_process', seen);
  return { lines, inputs, end: () => void diagnostics.unsubscribe('child_process', seen) };
}

function noteInput(stdin: Writable, inputs: string[]): void {
  const end = stdin.end.bind(stdin) as (...given: unknown[]) => Writable;
  stdin.end = (...given: unknown[]) => {
    if (typeof given[0] === 'string') {
      inputs.push(given[0]);
    }
    return end(...given);
  };
}
