import type * as vscode from 'vscode';
import type { AcceptGuard } from '../model/rentals/acceptGuard';
import type { Text } from '../util/text';
import type { PickRow } from './plainRow';

/** A button of the title or of a row. */
export interface LevelButton extends vscode.QuickInputButton {
  readonly run: () => void;
}

export interface LevelRow extends PickRow {
  /** Identifies the row after the list was renewed. */
  readonly id?: string;
  /** The action on Enter; a row without it only informs. */
  readonly run?: (() => void) | undefined;
  readonly buttons?: readonly LevelButton[];
  /** A held Enter does not run this row; the level's guard decides. */
  readonly isGuarded?: boolean;
}

/** Fields that lists and text boxes share. Texts from functions are renewed each second. */
interface AnyLevel {
  readonly title: string;
  readonly step?: number | undefined;
  readonly totalSteps?: number | undefined;
  readonly buttons?: readonly LevelButton[];
  /** The action of Back at the first level; deeper levels return to the level before. */
  readonly back?: (() => void) | undefined;
  readonly ignoreFocusOut?: boolean | undefined;
  /** The text in the box whenever the level is shown; by default what the user typed before. */
  readonly line?: () => string;
}

export interface ListLevel extends AnyLevel {
  readonly placeholder: string | (() => string);
  readonly rows: (typed: string) => readonly LevelRow[];
  /** The row to make active when the level opens. */
  readonly activeId?: () => string | undefined;
  /** The row to activate whenever rows are renewed, for levels that track the active row themselves. */
  readonly ownPlace?: () => string | undefined;
  /** Called with the typed text before the rows are renewed. */
  readonly typed?: (value: string) => void;
  /** Renews the rows for each typed letter: `true` shows all of them, `filtered` applies the editor's filter. */
  readonly followsTyping?: true | 'filtered' | undefined;
  /** Allows several ticked rows. */
  readonly many?: {
    readonly ticked: readonly string[];
    /** Returns why these rows can't be accepted; shown in the title. */
    readonly problem?: (ids: readonly string[]) => string | undefined;
    readonly accept: (ids: readonly string[]) => void;
  };
  /** Returns true while more rows are loading. */
  readonly busy?: () => boolean;
  /** Called when a row becomes active, by the user or by the editor after a renewal. */
  readonly active?: (row: LevelRow) => void;
  readonly guard?: AcceptGuard | undefined;
}

export interface TextLevel extends AnyLevel {
  readonly prompt: string | (() => string);
  readonly placeholder?: string | undefined;
  readonly password?: boolean | undefined;
  /** Returns why a text can't be accepted; anything below an error only warns. */
  readonly problem?: ((value: string) => Problem) | undefined;
  /** Returns the text to show while the user types; by default the problem. */
  readonly hint?: (value: string) => Problem;
  /** Uses the text; the box is busy until this ends. */
  readonly accept: (value: string, signal: AbortSignal) => unknown;
  /** Returns the text for a failure that the user can correct in the box; other failures end the input. */
  readonly failure?: (error: unknown) => string | undefined;
  /**
   * True: the work continues after the user closes the box, which returns if the work fails. Otherwise closing the box
   * cancels the work.
   */
  readonly keepsWorking?: boolean;
}

export type Level = ListLevel | TextLevel;
export type Problem = string | Text | vscode.InputBoxValidationMessage | undefined;
