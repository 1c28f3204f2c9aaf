import type * as vscode from 'vscode';
import type { AcceptGuard } from '../model/rentals/acceptGuard';
import type { Text } from '../util/text';
import type { PickRow } from './plainRow';

/** A button of the title or of a row. */
export interface LevelButton extends vscode.QuickInputButton {
  readonly run: () => void;
}

export interface LevelRow extends PickRow {
  /** Finds the row again after the list was made anew. */
  readonly id?: string;
  /** What Enter does; a row without it only informs. */
  readonly run?: (() => void) | undefined;
  readonly buttons?: readonly LevelButton[];
  /** An Enter held down runs nothing: the guard of the level decides. */
  readonly isGuarded?: boolean;
}

/** What a list and a box for a text have in common. Words that a function gives are renewed each second. */
interface AnyLevel {
  readonly title: string;
  readonly step?: number | undefined;
  readonly totalSteps?: number | undefined;
  readonly buttons?: readonly LevelButton[];
  /** What Back does at the first level; deeper ones return to the one before. */
  readonly back?: (() => void) | undefined;
  readonly ignoreFocusOut?: boolean | undefined;
  /** What stands in the box when the level is shown, and shown again; by default what was typed there. */
  readonly line?: () => string;
}

export interface ListLevel extends AnyLevel {
  readonly placeholder: string | (() => string);
  readonly rows: (typed: string) => readonly LevelRow[];
  /** The row to make active when the level opens. */
  readonly activeId?: () => string | undefined;
  /** The row to make active whenever rows are made, where the level follows the user itself. */
  readonly ownPlace?: () => string | undefined;
  /** Told what is typed, before the rows are made. */
  readonly typed?: (value: string) => void;
  /** Rows are made anew for each letter: all are shown, or those that the editor's filter leaves. */
  readonly followsTyping?: true | 'filtered' | undefined;
  /** Several rows can be ticked. */
  readonly many?: {
    readonly ticked: readonly string[];
    /** Why these cannot be accepted; shown in the title. */
    readonly problem?: (ids: readonly string[]) => string | undefined;
    readonly accept: (ids: readonly string[]) => void;
  };
  /** More rows are on their way. */
  readonly busy?: () => boolean;
  /** The user, or the editor after rows were made, has come to this row. */
  readonly active?: (row: LevelRow) => void;
  readonly guard?: AcceptGuard | undefined;
}

export interface TextLevel extends AnyLevel {
  readonly prompt: string | (() => string);
  readonly placeholder?: string | undefined;
  readonly password?: boolean | undefined;
  /** Why a text cannot be accepted; what is less than an error only warns. */
  readonly problem?: ((value: string) => Problem) | undefined;
  /** What is said while the user types; by default the problem. */
  readonly hint?: (value: string) => Problem;
  /** Uses the text, with the box busy until then. */
  readonly accept: (value: string, signal: AbortSignal) => unknown;
  /** What the box says of a failure, so that the user can try again; other failures end the input. */
  readonly failure?: (error: unknown) => string | undefined;
  /** Work goes on when the user closes the box, which comes back with its failure; else closing stops the work. */
  readonly keepsWorking?: boolean;
}

export type Level = ListLevel | TextLevel;
export type Problem = string | Text | vscode.InputBoxValidationMessage | undefined;
