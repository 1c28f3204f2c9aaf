import { systemClock, type Clock } from '../util/clock';

let clock = systemClock;

/** Returns the clock of this window, for adapters that are plain functions and receive none. */
export function windowClock(): Clock {
  return clock;
}

/** Called once, by `createServices`. */
export function setWindowClock(own: Clock): void {
  clock = own;
}
