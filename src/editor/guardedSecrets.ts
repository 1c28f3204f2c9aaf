import type * as vscode from 'vscode';
import { placementProblem, WrongPlaceError, type Placement } from './placement';

/** The secret store, which refuses with the reason where no key may be read. */
export class GuardedSecrets implements vscode.SecretStorage {
  readonly onDidChange: vscode.Event<vscode.SecretStorageChangeEvent>;

  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly placement: Placement,
  ) {
    this.onDidChange = secrets.onDidChange;
  }

  get(key: string): Thenable<string | undefined> {
    return this.guarded(() => this.secrets.get(key));
  }

  keys(): Thenable<string[]> {
    return this.guarded(() => this.secrets.keys());
  }

  store(key: string, value: string): Thenable<void> {
    return this.guarded(() => this.secrets.store(key, value));
  }

  delete(key: string): Thenable<void> {
    return this.guarded(() => this.secrets.delete(key));
  }

  /** Always a promise: a store that throws at once is one that refuses. */
  private async guarded<T>(use: () => Thenable<T>): Promise<T> {
    const problem = placementProblem(this.placement);
    if (problem) {
      throw new WrongPlaceError(problem);
    }
    return use();
  }
}
