import * as vscode from 'vscode';
import type { AcceptGuard } from '../model/rentals/acceptGuard';
import { t } from './localize';
import type { PickRow } from './plainRow';
import { QuickInput } from './quickInput';
import type { LevelRow, ListLevel, TextLevel } from './quickLevels';

/** How a step ended. */
export type StepAnswer<T> =
  | { readonly kind: 'picked'; readonly value: T }
  | { readonly kind: 'back' }
  /** The user keeps the defaults of this and all further steps. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'cancelled' };

/** A row with a value; a row without one only informs. */
export interface Row<T> extends PickRow {
  readonly value?: T;
  /** Identifies the row after the list was renewed. */
  readonly id?: string;
  /** A held Enter does not pick this row; the step's guard decides. */
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
  /** The rows, or a function that makes them for the typed text. */
  readonly rows: readonly Row<T>[] | ((typed: string) => readonly Row<T>[]);
  readonly activeId?: string | undefined;
  readonly guard?: AcceptGuard;
  readonly ignoreFocusOut?: boolean;
  /** Closes the question. */
  readonly signal?: AbortSignal | undefined;
}

export interface TextStep
  extends StepTitle, Pick<TextLevel, 'placeholder' | 'password' | 'ignoreFocusOut' | 'problem'> {
  readonly prompt: string;
  readonly value?: string;
}

/** Returns title, steps and buttons, which lists and texts share. */
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

/** The texts of a list; each list also finds rows by description and detail. */
type ListOptions = Pick<vscode.QuickPickOptions, 'title' | 'placeHolder' | 'ignoreFocusOut'>;

/** Shows a list from which the user picks one row. */
export function pickOne<T extends PickRow>(
  rows: readonly T[],
  { title = '', placeHolder = '', ignoreFocusOut }: ListOptions,
): Promise<T | undefined> {
  const input = new QuickInput<T>();
  const rowOf = (row: T) => ({ ...row, buttons: [], run: () => input.close(row) });
  return input.open({ title, placeholder: placeHolder, ignoreFocusOut, rows: () => rows.map(rowOf) });
}

interface ManyOptions extends ListOptions {
  /** More ticked rows are not accepted, and the title explains that. */
  readonly mostRows?: number;
}

/** Shows a list from which the user ticks rows; returns `undefined` if the user cancels. */
export function pickMany<T extends PickRow>(
  rows: readonly T[],
  { title = '', placeHolder = '', ignoreFocusOut, mostRows = rows.length }: ManyOptions,
): Promise<readonly T[] | undefined> {
  const input = new QuickInput<readonly T[]>();
  return input.open({
    title,
    placeholder: placeHolder,
    ignoreFocusOut,
    rows: () => rows.map((row: PickRow, at) => ({ ...row, buttons: [], id: String(at) })),
    many: {
      ticked: rows.flatMap(({ picked }, at) => (picked ? [String(at)] : [])),
      problem: ({ length }) =>
        length > mostRows ? t('Select {0} at most. Selected: {1}', mostRows, length) : undefined,
      accept: (ids) => input.close(rows.filter((_, at) => ids.includes(String(at)))),
    },
  });
}

/** Shows one step with a list. */
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

/** Shows one step with a text; Enter is blocked while there is a problem. */
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

/** Asks for one text; returns `undefined` if the user cancels. */
export async function askLine(step: Omit<TextStep, 'canGoBack' | 'canSkip'>): Promise<string | undefined> {
  const answer = await askText(step);
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** Asks for the number that the service has given to something; returns `undefined` if the user cancels. */
export async function askNumber(step: Pick<TextStep, 'title' | 'prompt'>): Promise<number | undefined> {
  const digits = (typed: string) => /^#?(\d{1,15})$/.exec(typed.trim())?.[1];
  const typed = await askLine({
    ...step,
    ignoreFocusOut: true,
    problem: (value) => (value === '' || digits(value) !== undefined ? undefined : t('Enter a number.')),
  });
  const number = Number(digits(typed ?? ''));
  return number > 0 ? number : undefined;
}
