import type { AnyCommandId } from '../commandSpecs';
import { atTruePace, systemClock, type Clock } from '../util/clock';

/** The parts of this window for adapters that are plain functions and receive no services. */
interface WindowParts {
  readonly clock: Clock;
  /** Reports an error of an action that continues. */
  readonly report: (error: unknown) => void;
  /** Runs the commands that the editor does not know. */
  readonly commands?: { run(id: AnyCommandId, args: readonly unknown[]): unknown };
}

// eslint-disable-next-line house/module-state -- These adapters stand beside functions of the editor, which has one window in a process.
let parts: WindowParts = {
  clock: systemClock,
  report: (error) => {
    throw error;
  },
};

export function windowParts(): WindowParts {
  return parts;
}

/** Called by `createServices`, as soon as each part is made. */
export function setWindowParts(own: Partial<WindowParts>): void {
  parts = { ...parts, ...own };
}

/** Milliseconds since some moment of this window, for limits on what the editor does itself. */
export function editorElapsed(): number {
  return atTruePace(parts.clock).elapsed();
}
