import * as vscode from 'vscode';
import { contextKeyDefaults, type ContextKey } from '../contributions';

/** Sets the context keys of our `when` clauses when they change. */
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
   * Sets the keys that are true again after `act`. Otherwise, the editor does not tick walkthrough steps that were done
   * before it first shows the walkthrough.
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
