import * as vscode from 'vscode';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { RefusedSaves } from '../../editor/refusedSaves';
import { unsavedTemplate } from '../../editor/templateTabs';
import { applyChanges, JsonPlaces } from '../../model/documents/jsonPlaces';
import { isOwnTemplate } from '../../model/templates/template';
import {
  fileNameOf,
  parseTemplateUri,
  templateIdOf,
  templateUriParts,
  type TemplateUri,
} from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { accountFor } from '../../store/accounts/sameAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { toFileError } from './fileErrors';
import type { Previews } from './previews';
import { SaveAsTargets } from './saveAsTargets';
import type { SaveFailures } from './saveFailures';
import type { SaveQuestions } from './saveQuestions';
import { isOpen, TemplateContents } from './templateContents';

type Deps = Pick<Services, 'accounts' | 'templates' | 'templateStores' | 'clock' | 'log'>;

export interface Renamed {
  readonly id: number;
  readonly from: string;
  readonly to: string;
}

/**
 * The file system of templates: a read fetches, a write saves the changes. Its errors are the editor's own.
 */
export class TemplateFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly created = new vscode.EventEmitter<{ readonly from: vscode.Uri; readonly id: number }>();
  /** Fires after a draft became a template. */
  readonly onDidCreate = this.created.event;
  private readonly renamed = new vscode.EventEmitter<Renamed>();
  /** Fires after a file and its template were renamed. */
  readonly onDidRename = this.renamed.event;
  private readonly saveAs: SaveAsTargets;
  private readonly contents: TemplateContents;
  private readonly reveals: SavedReveals;
  private readonly refusals: RefusedSaves;

  constructor(
    private readonly deps: Deps,
    previews: Previews,
    private readonly failures: SaveFailures,
    private readonly questions: SaveQuestions,
  ) {
    this.refusals = new RefusedSaves(deps.clock);
    this.saveAs = new SaveAsTargets(deps);
    this.contents = new TemplateContents(deps, previews, this.saveAs);
    this.reveals = this.store.add(new SavedReveals(deps));
    this.store.add(this.changed);
    this.store.add(this.created);
    this.store.add(this.renamed);
    this.store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.saveAs.end(uri)));
    this.store.add(deps.templateStores.documents.onDidChange((id) => this.announce(id)));
    this.store.add(
      watchAccounts(deps.accounts, () => {
        // The active account decides whether a document can be saved.
        for (const { uri } of vscode.workspace.textDocuments) {
          if (parseTemplateUri(uri)) {
            this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
          }
        }
      }),
    );
    this.store.add(
      previews.onDidChange((uri) => this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }])),
    );
  }

  watch(): vscode.Disposable {
    // Change events fire for every document, so a watch needs no work.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    if (isFolder(uri)) {
      return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    }
    this.refusals.throwRefusal(uri);
    const { text, mtime, ctime, isReadOnly } = await this.contents.read(uri);
    const read = parseTemplateUri(uri);
    const id = read?.kind === 'own' && !this.saveAs.get(uri) ? read.id : undefined;
    const isEdited = id !== undefined && !this.reveals.noteAsked(uri) && unsavedTemplate(id) !== undefined;
    return {
      type: vscode.FileType.File,
      ctime,
      // The editor would refuse to overwrite a newer file. We merge each save and ask if needed, so an edited file gets
      // time 0.
      mtime: isEdited ? 0 : mtime,
      size: Buffer.byteLength(text),
      ...(isReadOnly ? { permissions: vscode.FilePermission.Readonly } : {}),
    };
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    await this.deps.templateStores.documents.ready();
    const id = /^\/(\d+)\/?$/.exec(uri.path)?.[1];
    if (id !== undefined) {
      const known = await this.contents.known(uri, Number(id));
      this.contents.noteListed(known.id);
      return [[`${fileNameOf(known.name)}.json`, vscode.FileType.File]];
    }
    if (uri.authority !== 'templates' || !isFolder(uri)) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    if (this.deps.templates.state.kind !== 'ready') {
      await this.deps.templates.refresh().catch((error: unknown) => {
        throw toFileError(error, this.deps.log);
      });
    }
    const { state } = this.deps.templates;
    const { active } = this.deps.accounts;
    const mine = state.kind === 'ready' ? state.value : [];
    return mine
      .filter((template) => isOwnTemplate(template, active?.user.id))
      .map((template) => [String(template.id), vscode.FileType.Directory]);
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.contents.read(uri)).text);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const read = parseTemplateUri(uri);
    const { documents } = this.deps.templateStores;
    const target = this.saveAs.get(uri);
    this.refusals.clear(uri);
    const isNewFile = !target && content.length === 0 && !isOpen(uri);
    if (isNewFile && this.saveAs.begin(uri, (id) => documents.peek(id)?.name)) {
      return;
    }
    if (!read && !target) {
      throw new vscode.FileSystemError(
        t('A template can\'t be saved under this address. Use "Create Template" for another one.'),
      );
    }
    const isSave = this.questions.takeBegun(uri);
    await this.deps.templateStores.documents.ready();
    const source = new TextDecoder().decode(content);
    try {
      if (target) {
        this.created.fire({ from: uri, id: await this.saveAs.create(uri, target, source) });
      } else if (read) {
        await this.write(uri, read, source);
      }
      this.failures.clear(uri);
    } catch (error) {
      this.failures.note(uri, error, source);
      const refusal = toFileError(error, this.deps.log);
      if (!isSave) {
        throw refusal;
      }
      this.refusals.note(uri, refusal);
      return;
    }
    this.refreshList();
  }

  private async write(uri: vscode.Uri, read: TemplateUri, source: string): Promise<void> {
    const { creation } = this.deps.templateStores;
    switch (read.kind) {
      case 'own':
        await this.writeOwn(uri, read, source);
        break;
      case 'draft': {
        const id = await creation.saveDraft(read.token, source);
        this.created.fire({ from: uri, id });
        break;
      }
      case 'public':
        throw new UserError(publicReason);
      case 'theirs':
      case 'preview':
        throw vscode.FileSystemError.NoPermissions(uri);
    }
  }

  private async writeOwn(
    uri: vscode.Uri,
    { id, name }: { readonly id: number; readonly name: string },
    source: string,
  ): Promise<void> {
    const account = accountFor(this.deps.accounts);
    try {
      await this.questions.save(uri, id, source);
      this.reveals.noteWritten(uri, id);
      // A document under another file name of this template still shows the version before.
      this.announce(id, uri);
    } catch (error) {
      if (!(await this.questions.asksToRecreate(uri, id, name, error))) {
        throw error;
      }
      const { key } = account();
      const newId = await this.saveAs.recreate(uri, id, source);
      this.created.fire({ from: uri, id: newId });
      // The save does not wait for the lists of rows.
      void this.deps.templateStores.refs.noteRecreated(key, id, newId).catch((problem: unknown) => {
        this.deps.log.warn(`The new template could not be remembered: ${String(problem)}`);
      });
    }
  }

  async delete(uri: vscode.Uri): Promise<void> {
    const read = parseTemplateUri(uri);
    if (read?.kind === 'draft') {
      await this.deps.templateStores.creation.dropDraft(read.token);
      return;
    }
    if (read?.kind !== 'own') {
      throw vscode.FileSystemError.NoPermissions(uri);
    }
    const account = accountFor(this.deps.accounts);
    if (
      !(await confirm({
        message: t(
          'Delete the template {0} from the service?',
          (await this.contents.known(uri, read.id)).name,
        ),
        detail: t("This can't be undone. Instances that you already rented stay."),
        button: t('Delete'),
      }))
    ) {
      throw new vscode.FileSystemError(t('Nothing was deleted.'));
    }
    try {
      await this.deps.templateStores.creation.remove(account(), read.id);
    } catch (error) {
      throw toFileError(error, this.deps.log);
    }
    this.refreshList();
  }

  /** Renames the template to the new file name. */
  async rename(from: vscode.Uri, to: vscode.Uri): Promise<void> {
    const [old, next] = [parseTemplateUri(from), parseTemplateUri(to)];
    if (old?.kind !== 'own' || next?.kind !== 'own' || old.id !== next.id) {
      throw vscode.FileSystemError.NoPermissions(to);
    }
    await this.deps.templateStores.documents.ready();
    try {
      const known = await this.contents.known(from, old.id);
      await this.deps.templateStores.documents.save(
        old.id,
        applyChanges(known.text, new JsonPlaces(known.text).set('name', next.name)),
      );
      this.renamed.fire({ id: old.id, from: known.name, to: next.name });
    } catch (error) {
      throw toFileError(error, this.deps.log);
    }
    this.refreshList();
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Refreshes the list, because a rental reads the template's hash from it and each edit changes the hash. */
  private refreshList(): void {
    void this.deps.templates.refresh().catch((error: unknown) => {
      this.deps.log.warn(`The list of templates could not be read: ${String(error)}`);
    });
  }

  private announce(id: number, except?: vscode.Uri): void {
    const uris = vscode.workspace.textDocuments
      .map(({ uri }) => uri)
      .filter((uri) => templateIdOf(uri) === id && uri.toString() !== except?.toString());
    const known = this.deps.templateStores.documents.peek(id);
    const type = known ? vscode.FileChangeType.Changed : vscode.FileChangeType.Deleted;
    const fallback: TemplateUri = { kind: 'own', id, name: known?.name ?? '' };
    const changed = uris.length > 0 || except ? uris : [vscode.Uri.from(templateUriParts(fallback))];
    this.changed.fire(changed.map((uri) => ({ type, uri })));
  }
}

const publicReason = {
  template: 'This template belongs to another user. Save it as your own to change it.',
  args: [],
};

function isFolder(uri: vscode.Uri): boolean {
  return /^\/?(\d+|new-\w+)?\/?$/.test(uri.path);
}

type SavedRevealsDeps = Pick<Services, 'templateStores' | 'clock' | 'log'>;

/** The time (ms) within which the editor asks for the modification time of a file that it wrote. */
const revealAfterMs = 2_000;

/**
 * Delays the update of a saved text: after a write, the editor asks for the modification time and considers its text
 * current, so the merged text may replace it only after that.
 */
class SavedReveals implements vscode.Disposable {
  /** Pending updates by address: the file is written, and the editor has not asked for its new time yet. */
  private readonly written = new Map<string, { readonly id: number; readonly timer: Disposable }>();

  constructor(private readonly deps: SavedRevealsDeps) {}

  noteWritten(uri: vscode.Uri, id: number): void {
    this.schedule(uri.toString(), id, revealAfterMs);
  }

  /** Notes that the editor asked for the time; returns true if it wrote the file just before. */
  noteAsked(uri: vscode.Uri): boolean {
    const key = uri.toString();
    const written = this.written.get(key);
    if (written) {
      this.schedule(key, written.id, 0);
    }
    return written !== undefined;
  }

  dispose(): void {
    for (const { timer } of this.written.values()) {
      timer.dispose();
    }
  }

  private schedule(key: string, id: number, delayMs: number): void {
    const { templateStores, clock, log } = this.deps;
    this.written.get(key)?.timer.dispose();
    const timer = clock.schedule(() => {
      this.written.delete(key);
      void templateStores.documents.reveal(id).catch((error: unknown) => {
        log.warn(`A saved template could not be shown again: ${String(error)}`);
      });
    }, delayMs);
    this.written.set(key, { id, timer });
  }
}
