import * as z from 'zod';
import type { Template } from '../../model/templates/template';
import { sameDocument } from '../../model/templates/templateConflict';
import { renderDocument } from '../../model/templates/templateDocument';
import { watchAccounts } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { channel } from '../../shared/channel';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { Account, Accounts, WindowHub } from '../ports';
import { TemplateBases } from './templateBases';
import { TemplateConflicts } from './templateConflicts';
import { TemplateEdits } from './templateEdits';
import { readOnlyReason, ReadOnlyTemplateError } from './templateErrors';
import type { TemplateStorage } from './templateStorage';
import { TemplateReader, type KnownTemplate } from './templateReader';
import type { PendingConflict } from './templateSaving';
import type { TemplateSecrets } from './templateSecrets';
import { TemplatesOnScreen } from './templatesOnScreen';

interface Deps {
  readonly accounts: Accounts;
  readonly memory: TemplateStorage;
  readonly secrets: TemplateSecrets;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
}

const saves = channel('templates.saved', z.number());

/**
 * The templates behind the documents of this window: read, saved by sending only what changed, and merged
 * with what others saved meanwhile. Never overwrites an edit that it has not seen.
 */
export class TemplateDocuments implements Disposable {
  private readonly known = new TemplatesOnScreen();
  /** By account and id, as last listed. */
  private listed: ReadonlyMap<string, Template> = new Map();
  private readonly store = new DisposableStore();
  private readonly changed = new Emitter<number>();
  private readonly conflicts = new TemplateConflicts();
  private isDirty: (id: number) => boolean = () => false;
  /** The text of a document changed, and nobody is editing it. */
  readonly onDidChange = this.changed.event;
  /** Something is to be said beside a document: a conflict, or a change elsewhere while it is edited. */
  readonly onDidNotice = this.conflicts.onDidNotice;

  private readonly bases: TemplateBases;
  private readonly reader: TemplateReader;
  private readonly edits: TemplateEdits;

  constructor(private readonly deps: Deps) {
    this.reader = new TemplateReader(deps.memory, deps.secrets, deps.clock, deps.log);
    this.bases = new TemplateBases(deps.memory);
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
    this.store.add(this.changed);
    this.store.add(this.conflicts);
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

  /** Told by the editor's side, which knows what is being edited. */
  setDirtyProbe(isDirty: (id: number) => boolean): void {
    this.isDirty = isDirty;
  }

  peek(id: number): KnownTemplate | undefined {
    return this.known.get(id);
  }

  conflict(id: number): PendingConflict | undefined {
    return this.conflicts.get(id);
  }

  /** True while the document is edited and the template was changed elsewhere; saving merges the two. */
  isBehind(id: number): boolean {
    return this.conflicts.isBehind(id);
  }

  /** Why the document cannot be saved; `undefined` where it can. */
  readOnlyReason(template: KnownTemplate): ReadOnlyTemplateError | undefined {
    return readOnlyReason(this.deps.accounts.active, template);
  }

  /** The document, read from the service unless it is known. `undefined` where there is no such template. */
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
    // What the list says is enough to show; saving reads what is there at that moment.
    const listed = this.listed.get(`${account.key}/${id}`);
    const found = listed ?? (await this.reader.read(account, id));
    if (!found) {
      return undefined;
    }
    const memory = await this.deps.memory.account(account.key);
    const fresh = await this.reader.toKnown(account, found, this.known.get(found.id), memory);
    // Another read may have come first; a document that is shown is never replaced unannounced.
    const raced = this.known.get(id);
    if (raced) {
      return raced;
    }
    const shown = this.bases.resume(fresh, memory);
    this.known.set(id, shown);
    return shown;
  }

  /** An unsaved document of before a restart, which the editor may have asked about before it said so. */
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
      await this.open(id);
      await this.keepBase(id);
    }
  }

  /** Documents of a restored window are asked for before it is known who is signed in. */
  async ready(): Promise<void> {
    const { accounts } = this.deps;
    while (accounts.state.kind === 'loading') {
      await new Promise<void>((resolve) => {
        const subscription = watchAccounts(accounts, () => {
          subscription.dispose();
          resolve();
        });
      });
    }
  }

  /** Forgets a document of another account, so that the active account's is opened. */
  close(id: number): void {
    this.known.delete(id);
    this.conflicts.forget(id);
  }

  /** Reads again; the shown text follows unless it is being edited. */
  async refresh(id: number): Promise<void> {
    const known = this.known.get(id);
    const account = this.deps.accounts.active;
    if (!known || account?.key !== known.accountKey) {
      return;
    }
    const found = await this.reader.read(account, id);
    if (this.known.get(id)?.hashId !== known.hashId) {
      // Saved or read meanwhile: what was read may be older than what is known.
      await this.refresh(id);
    } else if (found) {
      await this.take(account, found);
    } else if (!this.isDirty(id)) {
      // Deleted elsewhere; an unsaved document stays, and says so when it is saved.
      this.listed = new Map([...this.listed].filter(([, template]) => template.id !== id));
      this.close(id);
      this.changed.fire(id);
    }
  }

  /** A list as it was read. */
  async noteListed(account: Account, templates: readonly Template[]): Promise<void> {
    this.listed = new Map(templates.map((template) => [`${account.key}/${template.id}`, template]));
    for (const { id, hashId } of templates) {
      const known = this.known.get(id);
      if (known?.accountKey === account.key && known.hashId !== hashId) {
        // The list may have been read before this window saved.
        await this.refresh(id);
      }
    }
  }

  /** Told by the editor's side whenever a document shows another text. */
  noteShown(id: number, text: string): void {
    this.known.noteShown(id, text);
  }

  /**
   * The user began to type. An announced change that had not reached the screen yet is no part of what the edit is
   * made from, or saving would take it back.
   */
  async beginEdit(id: number): Promise<void> {
    if (this.known.goBackToShown(id)) {
      this.conflicts.noteBehind(id);
    }
    await this.keepBase(id);
  }

  /** Remembers what an edited document was made from, so that it can be merged after a restart. */
  async keepBase(id: number): Promise<void> {
    const known = this.known.get(id);
    if (known) {
      await this.bases.keep(known);
    }
  }

  /** The document is not being edited: what was kept for merging is dropped, and it shows what is there. */
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
   * Saves the text of a document: only the fields that changed are sent, merged with what changed at the
   * service meanwhile. What the document shows afterwards is in `peek`.
   * @throws SaveError with the place, DocumentError, or ApiError; then nothing here has changed.
   */
  save(id: number, source: string): Promise<void> {
    return this.edits.save(id, source);
  }

  /** Mine wins where both changed something; takes effect with the next save. */
  useMine(id: number): void {
    this.conflicts.overrule(id);
  }

  /** From now on edits are compared with theirs; the caller shows `text` and saves it. */
  useTheirs(id: number): string | undefined {
    return this.edits.useTheirs(id);
  }

  /** Discards `source` for theirs while it is being saved. */
  takeTheirs(id: number, source: string): Promise<void> {
    return this.edits.takeTheirs(id, source);
  }

  /** From now on edits are compared with theirs; the caller shows the merged text, and the user saves it. */
  merge(id: number): string | undefined {
    return this.edits.merge(id);
  }

  /** After a template was deleted, by whomever. */
  async forget(id: number): Promise<void> {
    const known = this.known.get(id);
    this.close(id);
    this.listed = new Map([...this.listed].filter(([, template]) => template.id !== id));
    if (known) {
      await this.deps.secrets.bind(known.accountKey, id, new Map());
      this.changed.fire(id);
      saves.send(this.deps.hub, id);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  /** The account to work with. */
  account(): Account {
    const { active } = this.deps.accounts;
    if (!active) {
      throw new ReadOnlyTemplateError(text('You are signed out. Sign in to work with templates.'), [], {
        nextStep: 'signIn',
      });
    }
    return active;
  }

  /** Shows what a save made of the text: what others added, references in place of passwords. */
  async reveal(id: number): Promise<void> {
    const known = this.known.get(id);
    if (!known?.shown) {
      return;
    }
    const text = renderDocument(known.fields);
    const mtime = await this.reader.timeOf({ ...known, text }, known);
    // Who types on does so from the text on the screen; the rest is shown once that is saved.
    if (this.known.get(id) === known && !this.isDirty(id)) {
      this.known.set(id, { ...known, text, mtime, shown: undefined });
      this.changed.fire(id);
    }
  }

  /** A newer record: shown at once, or only noticed while the document is being edited. */
  private async take(account: Account, found: Template): Promise<void> {
    const fresh = await this.reader.toKnown(account, found, this.known.get(found.id));
    const known = this.known.get(found.id);
    // Asked after the last wait: who began to type meanwhile goes on from what is on the screen.
    if (!known || this.isDirty(found.id)) {
      if (known && known.hashId !== found.hashId && this.conflicts.noteBehind(found.id)) {
        // Whoever saved may have dropped what this edit was made from.
        await this.keepBase(found.id);
      }
      return;
    }
    if (sameDocument(known.fields, fresh.fields)) {
      this.known.set(found.id, { ...known, hashId: fresh.hashId, name: fresh.name, raw: fresh.raw });
    } else {
      this.known.set(found.id, fresh);
      this.changed.fire(found.id);
    }
  }
}
