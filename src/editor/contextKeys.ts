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

  dispose(): void {
    for (const key of this.current.keys()) {
      void vscode.commands.executeCommand('setContext', key, undefined);
    }
    this.current.clear();
  }
}
