import * as vscode from 'vscode';

/** A moment as people name it: `17:30` today, else with its day. */
export function momentText(ms: number, now: number): string {
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date(now).toDateString();
  return at.toLocaleString(vscode.env.language, {
    ...(isToday ? {} : { weekday: 'short', day: 'numeric', month: 'short' }),
    hour: 'numeric',
    minute: '2-digit',
  });
}
