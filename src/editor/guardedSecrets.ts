import * as vscode from 'vscode';
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

  private guarded<T>(use: () => Thenable<T>): Thenable<T> {
    const problem = placementProblem(this.placement);
    return problem ? Promise.reject(new WrongPlaceError(problem)) : use();
  }
}

/** Where this extension host runs. */
export function currentPlacement(context: vscode.ExtensionContext): Placement {
  return {
    isWorkspaceExtension:
      vscode.env.remoteName !== undefined &&
      context.extension.extensionKind === vscode.ExtensionKind.Workspace,
    isBrowserEditor: vscode.env.uiKind === vscode.UIKind.Web,
    hasContainerKey: process.env['CONTAINER_API_KEY'] !== undefined,
  };
}
