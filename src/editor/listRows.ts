import * as vscode from 'vscode';
import { isWithin } from '../util/duration';
import { needsCode } from '../util/errors';
import { reasonOf, t } from './localize';
import { momentText } from './timeText';
import { labelOf } from './titles';

/** A row above a list that describes a problem; plain data, like all nodes of a tree. */
export type ListProblem =
  | { readonly kind: 'loadError'; readonly stale: boolean }
  /** The number of records that could not be understood; they exist at the service. */
  | { readonly kind: 'skipped'; readonly skipped: number };

/** The state of a list, independent of its content. */
interface ListState {
  readonly kind: 'idle' | 'loading' | 'ready' | 'failed';
  readonly error?: unknown;
  readonly skipped?: number;
  /** Milliseconds since 1970. */
  readonly fetchedAt?: number;
}

/** Returns the problems of a list; empty if all of it was read. */
export function listProblems(state: ListState): readonly ListProblem[] {
  if (state.kind === 'failed') {
    return [failed];
  }
  const skipped = state.skipped ?? 0;
  return [
    ...(state.kind === 'ready' && state.error !== undefined ? [stale] : []),
    ...(skipped > 0 ? [skippedNode(skipped)] : []),
  ];
}

/** Adds the time of the last good data to the figure of a list if the last refresh failed. */
export function withAge(figure: string, state: ListState, now: number): string {
  const time = timeIfStale(state, now);
  return time === undefined || figure === '' ? figure : t('{0}, as of {1}', figure, time);
}

/** Returns the number of entries that a list shows, as a lower bound if others could not be read. */
export function countOfList(entries: number, { skipped = 0 }: ListState): string {
  return skipped > 0 ? `≥ ${entries}` : String(entries);
}

/** A list that is read only on request shows its age from then on (ms). */
const oldMs = 15 * 60_000;

/** Returns when a list that is read only on request was read, once that is a while ago or the clock was set back. */
export function readLongAgo({ kind, fetchedAt }: ListState, now: number): number | undefined {
  return kind === 'ready' && fetchedAt !== undefined && !isWithin(oldMs, fetchedAt, now)
    ? fetchedAt
    : undefined;
}

function timeIfStale({ kind, error, fetchedAt }: ListState, now: number): string | undefined {
  return kind === 'ready' && error !== undefined && fetchedAt !== undefined
    ? momentText(fetchedAt, now)
    : undefined;
}

// The editor needs the same object for the same row.
const failed: ListProblem = { kind: 'loadError', stale: false };
const stale: ListProblem = { kind: 'loadError', stale: true };
// eslint-disable-next-line house/module-state -- Rows of one kind are the same object for all trees.
const skippedNodes = new Map<number, ListProblem>();

function skippedNode(skipped: number): ListProblem {
  const node = skippedNodes.get(skipped) ?? { kind: 'skipped', skipped };
  skippedNodes.set(skipped, node);
  return node;
}

/** Returns the row of a problem. `name` makes its id unique among lists. */
export function problemRow(
  problem: ListProblem,
  list: {
    readonly name: string;
    readonly state: ListState;
    readonly now: number;
    readonly retry?: string;
    /** First line of the tooltip. */
    readonly consequence?: string;
  },
): vscode.TreeItem {
  return problem.kind === 'loadError'
    ? loadErrorRow(problem.stale, list)
    : skippedRow(t('Could not be read: {0}', problem.skipped), list.name, list.consequence);
}

/**
 * Returns the row of a failed read. If the service wants a verification code, a retry would fail too, so selecting the
 * row asks for the code.
 */
function loadErrorRow(
  stale: boolean,
  { name, state, now, retry = 'gpuRental.refresh' }: Parameters<typeof problemRow>[1],
): vscode.TreeItem {
  const { error } = state;
  const time = stale ? timeIfStale(state, now) : undefined;
  const reason = reasonOf(error);
  const [failedLabel, next] = needsCode(error)
    ? [t('Could not load. Select to enter a code'), t('Select to enter a code.')]
    : [t('Could not load. Select to retry'), t('Select to retry.')];
  // The time comes first, because a narrow view cuts the row, and stays true until the next refresh.
  const label = time === undefined ? failedLabel : t('Could not refresh since {0}', time);
  const item = warningRow(`${name}-load-error`, label);
  item.description = [...(time === undefined ? [] : [next]), reason ?? ''].join(' ');
  item.tooltip = [...(time === undefined ? [] : [t('Shown as of {0}.', time)]), reason ?? String(error)].join(
    ' ',
  );
  item.contextValue = ';loadError;';
  item.command = needsCode(error)
    ? { command: 'gpuRental.tfa.signIn', title: t('Enter Code') }
    : { command: retry, title: t('Retry') };
  return item;
}

/** Returns the row for unreadable records; selecting it opens the log, which names each record and its field. */
function skippedRow(label: string, name: string, consequence?: string): vscode.TreeItem {
  const item = warningRow(`${name}-skipped`, label);
  const what = t(
    'The service sent them in an unknown form; everything else works. Select this row to see the field in the log. Refresh to try again, and report the problem if it persists.',
  );
  item.tooltip = consequence === undefined ? what : `${consequence} ${what}`;
  item.accessibilityInformation = { label: `${label}. ${item.tooltip}` };
  item.contextValue = ';skipped;';
  item.command = { command: 'gpuRental.showLog', title: labelOf('gpuRental.showLog') };
  return item;
}

/** Returns the row of entries that the disk of this computer refuses; it is read again automatically. */
export function unreadRow(id: string, label: string, error: unknown): vscode.TreeItem {
  const item = warningRow(id, label);
  item.description = reasonOf(error) ?? '';
  return item;
}

function warningRow(id: string, label: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = id;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  return item;
}
