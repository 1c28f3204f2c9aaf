import type * as vscode from 'vscode';

/** What a user does in both editors. */
export interface Hands {
  /** Enter in the list or box that is open. */
  enter(): Promise<void>;
  /** The arrow down key. */
  down(): Promise<void>;
  /** Escape. */
  escape(): Promise<void>;
  /** Closes every pop-up. */
  clearMessages(): Promise<void>;
  /** Lets the editor tell what it has to tell. */
  rest(): Promise<void>;
}

/** A part of the editor's behaviour that the product relies on, as a script that says what it sees. */
export interface EditorScript {
  readonly name: string;
  run(editor: typeof vscode, hands: Hands, print: (line: string) => void): Promise<void>;
}
