import * as vscode from 'vscode';
import { t } from './localize';

/** Formats a time: `17:30` today, otherwise with the day. */
export function momentText(ms: number, now: number): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) {
    // The service may report a time beyond the last valid date.
    return t('an unknown time');
  }
  const isToday = at.toDateString() === new Date(now).toDateString();
  return formatFor(vscode.env.language, isToday, at.getTimezoneOffset()).format(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Caches formats: each takes a millisecond to make, too long for each of several hundred rows. */
function formatFor(language: string, isToday: boolean, offset: number): Intl.DateTimeFormat {
  // A format keeps the time zone in which it was made.
  const key = `${language} ${isToday} ${offset}`;
  const known = formats.get(key);
  if (known) {
    return known;
  }
  const format = new Intl.DateTimeFormat(language, {
    ...(isToday ? {} : { weekday: 'short', day: 'numeric', month: 'short' }),
    hour: 'numeric',
    minute: '2-digit',
  });
  formats.set(key, format);
  return format;
}
