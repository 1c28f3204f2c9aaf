import * as z from 'zod';
import type { Template } from '../../model/templates/template';
import { sameDocument } from '../../model/templates/templateConflict';
import { renderDocument } from '../../model/templates/templateDocument';
import { templateOwner } from '../../model/templates/templateReference';
import { channel } from '../../shared/channel';
import { accountsLoaded } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { Account, Accounts } from '../accounts/accounts';
import type { WindowHub } from '../windows/windowHub';
import { TemplateBases } from './templateBases';
import { TemplateConflicts } from './templateConflicts';
import { TemplateEdits, type MergedText } from './templateEdits';
import { readOnlyReason, ReadOnlyTemplateError } from './templateErrors';
import { ListedTemplates, TemplateReader, type KnownTemplate } from './templateReader';
import type { PendingConflict } from './templateSaving';
import type { TemplateSecrets } from './templateSecrets';
import type { TemplateStorage } from './templateStorage';
import { TemplatesOnScreen } from './templatesOnScreen';

interface Deps {
  readonly accounts: Accounts;
  readonly memory: TemplateStorage;
  readonly secrets: TemplateSecrets;
  readonly hub: WindowHub;
  /** The name of this window, which stays the same after a restart. */
  readonly windowName: string;
  readonly clock: Clock;
  readonly log: Log;
}

const saves = channel('templates.saved', z.number());

/**
 * The templates behind the documents of this window. Saving sends only the changes, merged with those saved
 * elsewhere. An edit that was not read first is never overwritten.
 */
export class TemplateDocuments implements Disposable {
  private readonly known = new TemplatesOnScreen();
  private readonly listed = new ListedTemplates();
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<number>());
  private readonly conflicts = this.store.add(new TemplateConflicts());
  private isDirty: (id: number) => boolean = () => false;
  /** Fires when the text of a document changes while the user is not editing it. */
  readonly onDidChange = this.changed.event;
  /** Fires when a document needs a notice: a conflict, or a change elsewhere during an edit. */
  readonly onDidNotice = this.conflicts.onDidNotice;

  private readonly bases: TemplateBases;
  private readonly reader: TemplateReader;
  private readonly edits: TemplateEdits;

  constructor(private readonly deps: Deps) {
    this.reader = new TemplateReader(deps.memory, deps.secrets, deps.clock, deps.log);
    this.bases = new TemplateBases(deps.memory, deps.windowName);
    this.edits = new TemplateEdits({
      ...deps,
      known: this.known,
      conflicts: this.conflicts,
      bases: this.bases,
      reader: this.reader,
      open: (id) => this.open(id),
      account: () => this.account(),
      readOnlyReason: (template) => this.readOnlyReason(template),
      onSaved: (id) => saves.send(deps.hub, id),
    });
    this.store.add(
      saves.on(deps.hub, (id) => {
        if (this.known.has(id)) {
          void this.refresh(id).catch((error: unknown) => {
            deps.log.warn(`A template could not be read again: ${String(error)}`);
          });
        }
      }),
    );
  }

  /** Sets the function that knows which documents are being edited. */
  setDirtyProbe(isDirty: (id: number) => boolean): void {
    this.isDirty = isDirty;
  }

  peek(id: number): KnownTemplate | undefined {
    return this.known.get(id);
  }

  conflict(id: number): PendingConflict | undefined {
    return this.conflicts.get(id);
  }

  /** Returns true if the template was changed elsewhere while the user edits it. Saving merges both. */
  isBehind(id: number): boolean {
    return this.conflicts.isBehind(id);
  }

  /** Returns why the document can't be saved, or `undefined` if it can. */
  readOnlyReason(template: KnownTemplate): ReadOnlyTemplateError | undefined {
    return readOnlyReason(this.deps.accounts.active, template);
  }

  /** Returns the document, read from the service unless it is known. `undefined` if the template does not exist. */
  async open(id: number): Promise<KnownTemplate | undefined> {
    const known = this.known.get(id);
    if (known) {
      return known;
    }
    const elsewhere = this.isDirty(id)
      ? await this.bases.ofOtherAccount(id, this.deps.accounts.active?.key)
      : undefined;
    if (elsewhere) {
      this.known.set(id, elsewhere);
      return elsewhere;
    }
    const account = this.account();
    // The listed record is enough to show. Saving reads the current one.
    const found = this.listed.get(account.key, id) ?? (await this.reader.read(account, id));
    if (!found) {
      return undefined;
    }
    const memory = await this.deps.memory.account(account.key);
    const fresh = await this.reader.toKnown(account, found, this.known.get(found.id), { remembered: memory });
    // Another read may have finished first. A document on the screen is never replaced without notice.
    const raced = this.known.get(id);
    if (raced) {
      return raced;
    }
    // The original of an edit may belong to another window, which needs it once it is open again.
    const shown = this.isDirty(id) ? this.bases.resume(fresh, memory) : fresh;
    this.known.set(id, shown);
    return shown;
  }

  /** Like `open`, but reads a known template again unless a list follows its changes, as lists of the account do. */
  async openCurrent(id: number): Promise<KnownTemplate | undefined> {
    const known = this.known.get(id);
    if (known && !this.listed.get(known.accountKey, id)) {
      await this.refresh(id);
    }
    return this.open(id);
  }

  /**
   * Resumes an unsaved document from before a restart. The editor may have opened it before it reports it as unsaved.
   */
  async resume(id: number): Promise<void> {
    await this.ready();
    if (this.bases.has(id)) {
      return;
    }
    const elsewhere = await this.bases.ofOtherAccount(id, this.deps.accounts.active?.key);
    if (elsewhere) {
      this.known.set(id, elsewhere);
      this.changed.fire(id);
    } else {
      const known = await this.open(id);
      const memory = known && (await this.deps.memory.account(known.accountKey));
      if (memory && !this.bases.has(id)) {
        this.known.set(id, this.bases.resume(known, memory));
      }
      await this.keepBase(id);
    }
  }

  /** A restored window opens documents before the sign-in is known. */
  ready(): Promise<void> {
    return accountsLoaded(this.deps.accounts);
  }

  /** Drops a document of another account, so that the active account's document is opened. */
  close(id: number): void {
    this.known.delete(id);
    this.conflicts.forget(id);
  }

  /** Refreshes the template. The shown text follows unless the user is editing it. */
  async refresh(id: number): Promise<void> {
    const known = this.known.get(id);
    const account = this.deps.accounts.active;
    if (!known || account?.key !== known.accountKey) {
      return;
    }
    const found = await this.reader.read(account, id);
    const fresh = found && (await this.reader.toKnown(account, found, this.known.get(id)));
    if (this.known.get(id)?.hashId !== known.hashId) {
      // The template was saved or read during this read, so the result may be outdated.
      await this.refresh(id);
    } else if (fresh) {
      await this.apply(fresh);
    } else if (!this.isDirty(id)) {
      // The template was deleted elsewhere. An unsaved document stays, and its save reports the deletion.
      this.listed.delete(id);
      this.close(id);
      this.changed.fire(id);
    }
  }

  /** Updates from a list that was read. */
  async noteListed(account: Account, templates: readonly Template[]): Promise<void> {
    this.listed.remember(account.key, templates);
    for (const { id, hashId } of templates) {
      const known = this.known.get(id);
      if (known?.accountKey === account.key && known.hashId !== hashId) {
        // The list may date from before this window saved.
        await this.refresh(id);
      }
    }
  }

  /** Called by the editor's side whenever a document shows another text. */
  noteShown(id: number, text: string): void {
    this.known.noteShown(id, text);
  }

  /**
   * Called when the user starts to type. A change that has not reached the screen yet must not become part of the
   * base of the edit, or saving would undo it.
   */
  async beginEdit(id: number): Promise<void> {
    if (!this.known.isShown(id)) {
      // The editor restores an unsaved document, and reports only now that it is unsaved.
      await this.resume(id);
      return;
    }
    if (this.known.goBackToShown(id)) {
      this.conflicts.noteBehind(id);
    }
    await this.keepBase(id);
  }

  /** Stores the base of an edited document, so that it can be merged after a restart. */
  async keepBase(id: number): Promise<void> {
    const known = this.known.get(id);
    if (known) {
      await this.bases.keep(known);
    }
  }

  /** Called when the document is no longer edited: drops the stored base and shows the current text. */
  async settle(id: number): Promise<void> {
    this.conflicts.end(id);
    const known = this.known.get(id);
    const wasBehind = this.conflicts.endBehind(id);
    if ((known && (await this.bases.drop(known))) || wasBehind) {
      await this.refresh(id);
    }
    await this.reveal(id);
  }

  /**
   * Saves the text of a document. Sends only the changed fields, merged with the changes at the service; `peek` then
   * has the resulting text. @throws SaveError with the place, DocumentError, or ApiError; then nothing here has
   * changed.
   */
  save(id: number, source: string): Promise<void> {
    return this.edits.save(id, source);
  }

  /** Lets my version win where both changed the same place, from the next save on. */
  useMine(id: number): void {
    this.conflicts.overrule(id);
  }

  /** From now on, edits are compared with their version, whose text is returned. */
  useTheirs(id: number): string | undefined {
    return this.edits.useTheirs(id);
  }

  /** Replaces `source` by their version while it is being saved. */
  acceptTheirs(id: number, source: string): Promise<void> {
    return this.edits.acceptTheirs(id, source);
  }

  /**
   * Merges `source`, the text in the editor, with their version. Once the caller shows the merged text, it calls
   * `useTheirs`, and the user saves. @throws DocumentError if the text can't be parsed.
   */
  merge(id: number, source: string): MergedText | undefined {
    return this.edits.merge(id, source);
  }

  /** Called after a template was deleted, here or elsewhere. */
  async forget(id: number): Promise<void> {
    const known = this.known.get(id);
    this.close(id);
    this.listed.delete(id);
    if (known) {
      // An unsaved document may become a template again, with its secrets.
      if (!this.isDirty(id)) {
        await this.deps.secrets.release(known.accountKey, templateOwner(id));
      }
      this.changed.fire(id);
      saves.send(this.deps.hub, id);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Returns the account to work with. */
  account(): Account {
    const { active } = this.deps.accounts;
    if (!active) {
      throw new ReadOnlyTemplateError(text('You are not signed in. Sign in first.'), [], {
        nextStep: 'signIn',
      });
    }
    return active;
  }

  /** Shows the result of a save: changes made elsewhere, and references in place of passwords. */
  async reveal(id: number): Promise<void> {
    const known = this.known.get(id);
    if (!known?.shown) {
      return;
    }
    const text = renderDocument(known.fields);
    const mtime = await this.reader.timeOf({ ...known, text }, known);
    // A user who keeps typing continues from the text on the screen; the rest appears after the next save.
    if (this.known.get(id) === known && !this.isDirty(id)) {
      this.known.set(id, { ...known, text, mtime, shown: undefined });
      this.changed.fire(id);
    }
  }

  /** Applies a newer record: shows it at once, or only marks it while the document is being edited. */
  private async apply(fresh: KnownTemplate): Promise<void> {
    const { id, hashId, name, raw } = fresh;
    const known = this.known.get(id);
    // Checked after the last wait, because the user may have started to type on the text on the screen.
    if (!known || this.isDirty(id)) {
      if (known && known.hashId !== hashId && this.conflicts.noteBehind(id)) {
        // Another save may have dropped the base of this edit.
        await this.keepBase(id);
      }
      return;
    }
    if (sameDocument(known.fields, fresh.fields)) {
      this.known.set(id, { ...known, hashId, name, raw });
    } else {
      this.known.set(id, fresh);
      this.changed.fire(id);
    }
  }
}
