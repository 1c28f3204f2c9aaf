import * as vscode from 'vscode';

/** A moment as people name it: `17:30` today, else with its day. */
export function momentText(ms: number, now: number): string {
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date(now).toDateString();
  return formatFor(vscode.env.language, isToday, at.getTimezoneOffset()).format(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format costs a millisecond to make, which a list of some hundred rows can't pay for each of them. */
function formatFor(language: string, isToday: boolean, offset: number): Intl.DateTimeFormat {
  // A format keeps the time zone that it was made in.
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
