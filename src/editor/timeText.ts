import * as vscode from 'vscode';
import { t } from './localize';

/** A day and month this close to now can only be of one year (ms). */
const nearMs = 180 * 24 * 3_600_000;

/** Formats a time: `17:30` today, otherwise with the day, and with the year if it is far from now. */
export function momentText(ms: number, now: number): string {
  const shown = shownAs(ms, (at) => {
    const isToday = at.toDateString() === new Date(now).toDateString();
    return isToday ? 'time' : Math.abs(ms - now) < nearMs ? 'day' : 'year';
  });
  return shown ?? t('an unknown time');
}

/** Formats the day of a time alone, always with its year: `Jan 9, 2027`. `undefined` beyond the last valid date. */
export function dayText(ms: number): string | undefined {
  return shownAs(ms, () => 'date');
}

/** Formats a time for a text that stays on the screen, so that it is true on a later day: `Jan 9, 2027, 5:30 PM`. */
export function stampText(ms: number): string {
  return shownAs(ms, () => 'stamp') ?? t('an unknown time');
}

/** Formats a time of today with its seconds. */
export function secondText(ms: number): string {
  return shownAs(ms, () => 'second') ?? t('an unknown time');
}

type Shown = 'time' | 'second' | 'day' | 'year' | 'date' | 'stamp';

/** Returns nothing for a time beyond the last valid date, which the service may report. */
function shownAs(ms: number, how: (at: Date) => Shown): string | undefined {
  const at = new Date(ms);
  return Number.isNaN(at.getTime())
    ? undefined
    : formatFor(vscode.env.language, how(at), at.getTimezoneOffset()).format(at);
}

// eslint-disable-next-line house/module-state -- A cache of what depends on its key alone.
const formats = new Map<string, Intl.DateTimeFormat>();

/** Caches formats: each takes a millisecond to make, too long for each of several hundred rows. */
function formatFor(language: string, shown: Shown, offset: number): Intl.DateTimeFormat {
  // A format keeps the time zone in which it was made.
  const key = `${language} ${shown} ${offset}`;
  const known = formats.get(key);
  if (known) {
    return known;
  }
  const format = new Intl.DateTimeFormat(
    language,
    shown === 'date' || shown === 'stamp'
      ? { dateStyle: 'medium', ...(shown === 'stamp' ? { timeStyle: 'short' } : {}) }
      : {
          ...(shown === 'time' || shown === 'second'
            ? {}
            : { weekday: 'short', day: 'numeric', month: 'short' }),
          ...(shown === 'year' ? { year: 'numeric' } : {}),
          hour: 'numeric',
          minute: '2-digit',
          ...(shown === 'second' ? { second: '2-digit' } : {}),
        },
  );
  formats.set(key, format);
  return format;
}
