import * as vscode from 'vscode';
import { t } from './localize';

/** A day and month this close to now can only be of one year (ms). */
const nearMs = 180 * 24 * 3_600_000;

/** Formats a time: `17:30` today, otherwise with the day, and with the year if it is far from now. */
export function momentText(ms: number, now: number): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) {
    // The service may report a time beyond the last valid date.
    return t('an unknown time');
  }
  const isToday = at.toDateString() === new Date(now).toDateString();
  const shown = isToday ? 'time' : Math.abs(ms - now) < nearMs ? 'day' : 'year';
  return formatFor(vscode.env.language, shown, at.getTimezoneOffset()).format(at);
}

/** Formats a day; `undefined` for a time beyond the last valid date. */
export function dayText(ms: number): string | undefined {
  const at = new Date(ms);
  return Number.isNaN(at.getTime()) ? undefined : at.toLocaleDateString(vscode.env.language);
}

type Shown = 'time' | 'day' | 'year';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Caches formats: each takes a millisecond to make, too long for each of several hundred rows. */
function formatFor(language: string, shown: Shown, offset: number): Intl.DateTimeFormat {
  // A format keeps the time zone in which it was made.
  const key = `${language} ${shown} ${offset}`;
  const known = formats.get(key);
  if (known) {
    return known;
  }
  const format = new Intl.DateTimeFormat(language, {
    ...(shown === 'time' ? {} : { weekday: 'short', day: 'numeric', month: 'short' }),
    ...(shown === 'year' ? { year: 'numeric' } : {}),
    hour: 'numeric',
    minute: '2-digit',
  });
  formats.set(key, format);
  return format;
}
