import * as vscode from 'vscode';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { DocumentError } from '../../model/templates/templateDocument';
import { MissingSecretError } from '../../model/templates/templateWire';
import { SaveError, TemplateConflictError } from '../../store/templates/templateErrors';
import { UserError } from '../../util/errors';
import type { Text } from '../../util/text';

export interface SaveFailure {
  readonly message: Text;
  /** The place in the document; empty for the whole document. */
  readonly path: readonly string[];
  /** The secret whose value was missing. */
  readonly reference: string | undefined;
  /** The failure applies only while the conflict is open. */
  readonly isConflict: boolean;
  /** The refused value at `path`; the refusal applies until this value changes. */
  readonly refused: unknown;
}

/** The reasons why documents were not saved, kept until the document is saved or reverted. */
export class SaveFailures implements vscode.Disposable {
  private readonly failures = new Map<string, SaveFailure>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  get(uri: vscode.Uri): SaveFailure | undefined {
    return this.failures.get(uri.toString());
  }

  note(uri: vscode.Uri, error: unknown, source: string): void {
    if (error instanceof UserError) {
      const path = error instanceof SaveError || error instanceof DocumentError ? error.path : [];
      this.failures.set(uri.toString(), {
        message: error.text,
        path,
        reference: error instanceof MissingSecretError ? error.reference : undefined,
        isConflict: error instanceof TemplateConflictError,
        refused: new JsonPlaces(source).value(path),
      });
      this.changed.fire(uri);
    }
  }

  clear(uri: vscode.Uri): void {
    if (this.failures.delete(uri.toString())) {
      this.changed.fire(uri);
    }
  }

  dispose(): void {
    this.changed.dispose();
  }
}
