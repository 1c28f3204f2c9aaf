import * as vscode from 'vscode';
import { choose, confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { templateName } from '../../model/templates/templateName';
import type { Services } from '../../services';
import { TemplateConflictError, TemplateGoneError } from '../../store/templates/templateErrors';
import { DisposableStore } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { compareWithTheirs } from './conflictCommands';

type Deps = Pick<Services, 'templateStores'>;

/**
 * Asks questions during a save, so that the editor reports nothing after the user answered. The editor shows its own
 * message for each refused save; ours must not appear beside it.
 */
export class SaveQuestions implements vscode.Disposable {
  private readonly store = new DisposableStore();
  /** Saves by the editor that have not been written yet. */
  private readonly begun = new Set<string>();
  /** Documents with auto save, where a dialog would take the focus while the user types. */
  private readonly automatic = new Set<string>();

  constructor(private readonly deps: Deps) {
    this.store.add(
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        const key = document.uri.toString();
        this.begun.add(key);
        if (reason === vscode.TextDocumentSaveReason.Manual) {
          this.automatic.delete(key);
        } else {
          this.automatic.add(key);
        }
      }),
    );
  }

  /** Returns true if the editor writes the file to save its document, and not for another extension. */
  takeBegun(uri: vscode.Uri): boolean {
    return this.begun.delete(uri.toString());
  }

  /** Saves a template of the account, and asks if the same places were changed elsewhere. */
  async save(uri: vscode.Uri, id: number, source: string): Promise<void> {
    const { documents } = this.deps.templateStores;
    try {
      await documents.save(id, source);
    } catch (error) {
      if (!(error instanceof TemplateConflictError) || this.automatic.has(uri.toString())) {
        throw error;
      }
      switch (await this.askConflict(error)) {
        case 'mine':
          documents.useMine(id);
          return this.save(uri, id, source);
        case 'theirs':
          return documents.acceptTheirs(id, source);
        case undefined:
          await compareWithTheirs(this.deps, id);
          throw error;
      }
    }
  }

  /** Returns true if the user wants to create a deleted template again from its document. */
  async asksToRecreate(uri: vscode.Uri, id: number, name: string, error: unknown): Promise<boolean> {
    return (
      error instanceof TemplateGoneError &&
      !this.automatic.has(uri.toString()) &&
      confirm({
        message: t('“{0}” was deleted at the service. Create it again?', templateName({ id, name })),
        detail: t('The document becomes a new template.'),
        button: t('Create Again'),
      })
    );
  }

  dispose(): void {
    this.store.dispose();
  }

  private askConflict({ templateId: id, conflicts }: TemplateConflictError) {
    const name = this.deps.templateStores.documents.peek(id)?.name;
    return choose<'mine' | 'theirs'>(
      {
        message: t(
          '“{0}” was changed elsewhere, in the same places as here. Which version do you want to keep?',
          templateName({ id, name }),
        ),
        detail: t(
          'Changed in both: {0}. "Use Mine" keeps your version of these places, and "Use Theirs" discards all your changes.',
          conflicts.map(({ path }) => plainLabel(path.join('.'))).join(', '),
        ),
        keep: t('Compare'),
      },
      { label: t('Use Mine'), run: () => 'mine' as const },
      { label: t('Use Theirs'), run: () => 'theirs' as const },
    );
  }
}
