import * as vscode from 'vscode';
import type { AcceptGuard } from '../model/rentals/acceptGuard';
import { plainLabel } from '../util/plainLabel';
import { t } from './localize';
import type { PickRow } from './plainRow';
import { QuickInput } from './quickInput';
import type { LevelRow, ListLevel, TextLevel } from './quickLevels';

export { plainLabel };
export type { PickRow } from './plainRow';

/** How a step ended. */
export type StepAnswer<T> =
  | { readonly kind: 'picked'; readonly value: T }
  | { readonly kind: 'back' }
  /** This and all further steps keep their defaults. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'cancelled' };

/** A row that stands for a value; without one it only informs. */
export interface Row<T> extends PickRow {
  readonly value?: T;
  /** Finds the row again after the list was made anew. */
  readonly id?: string;
  /** An Enter held down does not pick it: the guard of the step decides. */
  readonly isGuarded?: boolean;
}

export interface StepTitle {
  readonly title: string;
  readonly step?: number;
  readonly totalSteps?: number;
  readonly canGoBack?: boolean;
  /** Offers to keep all further defaults. */
  readonly canSkip?: boolean;
}

export interface ListStep<T> extends StepTitle {
  readonly placeholder: ListLevel['placeholder'];
  /** A function makes them for what is typed. */
  readonly rows: readonly Row<T>[] | ((typed: string) => readonly Row<T>[]);
  readonly activeId?: string | undefined;
  readonly guard?: AcceptGuard;
  readonly ignoreFocusOut?: boolean;
  /** Takes the question away. */
  readonly signal?: AbortSignal | undefined;
}

export interface TextStep
  extends StepTitle, Pick<TextLevel, 'placeholder' | 'password' | 'ignoreFocusOut' | 'problem'> {
  readonly prompt: string;
  readonly value?: string;
}

/** Title, steps and buttons, the same for lists and texts. */
function frame<T>(input: QuickInput<StepAnswer<T>>, { canGoBack, canSkip, ...title }: StepTitle) {
  const skip = {
    iconPath: new vscode.ThemeIcon('debug-step-over'),
    tooltip: t('Keep the Defaults and Review'),
    run: () => input.close({ kind: 'skip' }),
  };
  return {
    title: title.title,
    step: title.step,
    totalSteps: title.totalSteps,
    back: canGoBack ? () => input.close({ kind: 'back' }) : undefined,
    buttons: canSkip ? [skip] : [],
  };
}

/** Shows a list of which one row is picked. */
export function pickOne<T extends PickRow>(
  rows: readonly T[],
  { title = '', placeHolder = '', ignoreFocusOut }: vscode.QuickPickOptions,
): Promise<T | undefined> {
  const input = new QuickInput<T>();
  const rowOf = (row: T) => ({ ...row, buttons: [], run: () => input.close(row) });
  return input.open({ title, placeholder: placeHolder, ignoreFocusOut, rows: () => rows.map(rowOf) });
}

/** Shows a list of which several rows can be ticked; undefined when it is left. */
export function pickMany<T extends PickRow>(
  rows: readonly T[],
  { title = '', placeHolder = '', ignoreFocusOut }: vscode.QuickPickOptions,
): Promise<readonly T[] | undefined> {
  const input = new QuickInput<readonly T[]>();
  return input.open({
    title,
    placeholder: placeHolder,
    ignoreFocusOut,
    rows: () => rows.map((row: PickRow, at) => ({ ...row, buttons: [], id: String(at) })),
    many: {
      ticked: rows.flatMap(({ picked }, at) => (picked ? [String(at)] : [])),
      accept: (ids) => input.close(rows.filter((_, at) => ids.includes(String(at)))),
    },
  });
}

/** One step with a list. */
export async function pickFromList<T>(step: ListStep<T>): Promise<StepAnswer<T>> {
  const input = new QuickInput<StepAnswer<T>>();
  const { rows } = step;
  const rowOf = ({ value, ...row }: Row<T>): LevelRow => ({
    ...row,
    buttons: [],
    run: value === undefined ? undefined : () => input.close({ kind: 'picked', value }),
  });
  const answer = await input.open(
    {
      ...frame(input, step),
      placeholder: step.placeholder,
      rows: (typed) => (typeof rows === 'function' ? rows(typed) : rows).map(rowOf),
      followsTyping: typeof rows === 'function' ? 'filtered' : undefined,
      activeId: () => step.activeId,
      guard: step.guard,
      ignoreFocusOut: step.ignoreFocusOut,
    },
    step.signal,
  );
  return answer ?? { kind: 'cancelled' };
}

/** One step with a text; Enter is blocked while there is a problem. */
export async function askText({ value = '', ...step }: TextStep): Promise<StepAnswer<string>> {
  const input = new QuickInput<StepAnswer<string>>();
  const answer = await input.open({
    ...step,
    ...frame(input, step),
    line: () => value,
    accept: (typed) => input.close({ kind: 'picked', value: typed }),
  });
  return answer ?? { kind: 'cancelled' };
}

/** One text by itself; undefined when it is left. */
export async function askLine(step: Omit<TextStep, 'canGoBack' | 'canSkip'>): Promise<string | undefined> {
  const answer = await askText(step);
  return answer.kind === 'picked' ? answer.value : undefined;
}
