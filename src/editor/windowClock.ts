import { systemClock, type Clock } from '../util/clock';

let clock = systemClock;

/** The clock of this window, for adapters that are plain functions and so are given none. */
export function windowClock(): Clock {
  return clock;
}

/** Called once, by the place that makes the services. */
export function setWindowClock(own: Clock): void {
  clock = own;
}
