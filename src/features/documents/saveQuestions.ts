import * as vscode from 'vscode';
import { choose, confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { templateName } from '../../model/templates/templateName';
import type { Services } from '../../services';
import { SaveError, TemplateConflictError, TemplateGoneError } from '../../store/templates/templateErrors';
import { DisposableStore } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { compareWithTheirs, mergedText, showMerged } from './conflictCommands';

type Deps = Pick<Services, 'templateStores'>;

/**
 * Asks questions during a save, so that the editor reports nothing after the user answered. The editor shows its own
 * message for each refused save; ours must not appear beside it.
 */
export class SaveQuestions implements vscode.Disposable {
  private readonly store = new DisposableStore();
  /** Documents with auto save, where a dialog would take the focus while the user types. */
  private readonly automatic = new Set<string>();

  constructor(private readonly deps: Deps) {
    this.store.add(
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        const key = document.uri.toString();
        if (reason === vscode.TextDocumentSaveReason.Manual) {
          this.automatic.delete(key);
        } else {
          this.automatic.add(key);
        }
      }),
    );
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
        case 'merge': {
          const kept = await showMerged(this.deps, id);
          if (!kept) {
            // The conflict ended elsewhere during the question.
            return this.save(uri, id, source);
          }
          throw new MergedError(mergedText(kept));
        }
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
    return choose<'mine' | 'theirs' | 'merge'>(
      {
        message: t(
          '“{0}” was changed elsewhere, in the same places as here. Which version do you want to keep?',
          templateName({ id, name }),
        ),
        detail: t(
          'Changed in both: {0}. "Use Mine" keeps your version of these places, "Use Theirs" discards all your changes, and "Merge" shows the result before you save it.',
          conflicts.map(({ path }) => plainLabel(path.join('.'))).join(', '),
        ),
        keep: t('Compare'),
      },
      { label: t('Use Mine'), run: () => 'mine' as const },
      { label: t('Use Theirs'), run: () => 'theirs' as const },
      { label: t('Merge'), run: () => 'merge' as const },
    );
  }
}

/** Ends a save after a merge: the merged text is open, and the user checks and saves it. */
class MergedError extends SaveError {}
