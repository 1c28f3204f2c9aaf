import { text, type Text } from './text';

/** `45 s`, `3 min`, `2 h 5 min`, `4 d 3 h`: two units at most, rounded down. */
export function durationText(ms: number): Text {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) {
    return text('{0} s', seconds);
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return text('{0} min', minutes);
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 24) {
    return minutes % 60 === 0 ? text('{0} h', hours) : text('{0} h {1} min', hours, minutes % 60);
  }
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? text('{0} d', days) : text('{0} d {1} h', days, hours % 24);
}

/** How often the time of a wait is redrawn (ms). */
const redrawMs = 5000;

/**
 * Returns the moment for which the time of a wait is shown, and the milliseconds until the next one. They are the same
 * in all places, so that two never show different times of the same wait.
 */
export function redrawAt(now: number): { readonly now: number; readonly nextInMs: number } {
  const passed = now % redrawMs;
  return { now: now - passed, nextInMs: redrawMs - passed };
}

/**
 * Returns whether less than `ms` passed since a time of this computer. A time that
 * is further ahead than that was noted before the clock was set back, and is void.
 */
export function isWithin(ms: number, since: number, now: number): boolean {
  return Math.abs(now - since) < ms;
}
