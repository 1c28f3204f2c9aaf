import * as vscode from 'vscode';
import { UserError } from '../util/errors';
import { reasonOf, t } from './localize';

/** A row above a list that says what is wrong with it; plain data, as all nodes of a tree. */
export type ListProblem =
  | { readonly kind: 'loadError'; readonly stale: boolean }
  /** So many records could not be understood; they exist. */
  | { readonly kind: 'skipped'; readonly skipped: number };

/** How a list stands, whatever it holds. */
interface ListState {
  readonly kind: 'idle' | 'loading' | 'ready' | 'failed';
  readonly error?: unknown;
  readonly skipped?: number;
}

/** Why a list is not there or not whole; empty where all of it was read. */
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

// The same object for the same row, as the editor wants it.
const failed: ListProblem = { kind: 'loadError', stale: false };
const stale: ListProblem = { kind: 'loadError', stale: true };
const skippedNodes = new Map<number, ListProblem>();

function skippedNode(skipped: number): ListProblem {
  const node = skippedNodes.get(skipped) ?? { kind: 'skipped', skipped };
  skippedNodes.set(skipped, node);
  return node;
}

/** The row of a problem. `name` tells its id from those of other lists; `unread` is what was left out, in words. */
export function problemRow(
  problem: ListProblem,
  list: {
    readonly name: string;
    readonly state: ListState;
    readonly unread: (count: number) => string;
    readonly retry?: string;
    /** Stands before the rest of the tooltip. */
    readonly consequence?: string;
  },
): vscode.TreeItem {
  return problem.kind === 'loadError'
    ? loadErrorRow(problem.stale, list)
    : skippedRow(list.unread(problem.skipped), list.name, list.consequence);
}

/** For want of a second factor another try would be refused like the one before: selecting it asks for the code. */
function loadErrorRow(
  stale: boolean,
  { name, state: { error }, retry = 'gpuRental.refresh' }: Parameters<typeof problemRow>[1],
): vscode.TreeItem {
  const wantsCode = error instanceof UserError && error.nextStep === 'secondFactor';
  const [label, staleLabel] = wantsCode
    ? [t('Could not load. Select to enter a code'), t('Could not refresh. Select to enter a code')]
    : [t('Could not load. Select to retry'), t('Could not refresh. Select to retry')];
  const item = warningRow(`${name}-load-error`, stale ? staleLabel : label);
  item.description = reasonOf(error) ?? '';
  item.tooltip = reasonOf(error) ?? String(error);
  item.contextValue = ';loadError;';
  item.command = wantsCode
    ? { command: 'gpuRental.tfa.signIn', title: t('Enter Code') }
    : { command: retry, title: t('Retry') };
  return item;
}

/** Selecting it opens the log, which names the record and its field. */
export function skippedRow(label: string, name: string, consequence?: string): vscode.TreeItem {
  const item = warningRow(`${name}-skipped`, label);
  const what = t(
    'The service sent them in an unknown form; everything else works. Select this row to see the field in the log. Refresh to try again, and report the problem if it persists.',
  );
  item.tooltip = consequence === undefined ? what : `${consequence} ${what}`;
  item.accessibilityInformation = { label: `${label}. ${item.tooltip}` };
  item.contextValue = ';skipped;';
  item.command = { command: 'gpuRental.showLog', title: t('Show Log') };
  return item;
}

function warningRow(id: string, label: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = id;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  return item;
}
