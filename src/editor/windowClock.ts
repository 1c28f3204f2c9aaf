import { atTruePace, systemClock, type Clock } from '../util/clock';

let clock = systemClock;

/** Returns the clock of this window, for adapters that are plain functions and receive none. */
export function windowClock(): Clock {
  return clock;
}

/** Milliseconds since some moment of this window, for limits on what the editor does itself. */
export function editorElapsed(): number {
  return atTruePace(clock).elapsed();
}

/** Called once, by `createServices`. */
export function setWindowClock(own: Clock): void {
  clock = own;
}
