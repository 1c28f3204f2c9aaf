import * as vscode from 'vscode';
import { contextKeyDefaults, type ContextKey } from '../contributions';

/** Sets the keys of our `when` clauses, and only when they change. */
export class ContextKeySetter implements vscode.Disposable {
  private readonly current = new Map<ContextKey, boolean>();

  set(key: ContextKey, value: boolean): void {
    if ((this.current.get(key) ?? contextKeyDefaults[key]) === value && this.current.has(key)) {
      return;
    }
    this.current.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }

  /**
   * Sets the keys that are true once more, after `act`. What was done before the editor first shows a walkthrough is not
   * ticked otherwise.
   */
  async setAgain(keys: readonly ContextKey[], act: () => Thenable<unknown>): Promise<void> {
    const done = keys.filter((key) => this.current.get(key) === true);
    for (const key of done) {
      this.set(key, false);
    }
    try {
      await act();
    } finally {
      for (const key of done) {
        this.set(key, true);
      }
    }
  }

  dispose(): void {
    for (const key of this.current.keys()) {
      void vscode.commands.executeCommand('setContext', key, undefined);
    }
    this.current.clear();
  }
}
