import { isReadableEnv } from '../../model/documents/envObject';
import { mergeDocuments, sameDocument, type Conflict } from '../../model/templates/templateConflict';
import {
  documentChanges,
  documentFields,
  parseDocument,
  referencesIn,
  renderDocument,
  type DocumentFields,
} from '../../model/templates/templateDocument';
import {
  makeReference,
  referenceName,
  registryReference,
  templateOwner,
} from '../../model/templates/templateReference';
import type { Log } from '../../util/log';
import type { Account } from '../accounts/accounts';
import type { TemplateBases } from './templateBases';
import type { TemplateConflicts } from './templateConflicts';
import { TemplateConflictError, TemplateGoneError, type ReadOnlyTemplateError } from './templateErrors';
import type { KnownTemplate, TemplateReader } from './templateReader';
import { TemplateSaving } from './templateSaving';
import type { TemplateSecrets } from './templateSecrets';
import type { TemplatesOnScreen } from './templatesOnScreen';

interface Deps {
  readonly known: TemplatesOnScreen;
  readonly conflicts: TemplateConflicts;
  readonly bases: TemplateBases;
  readonly reader: TemplateReader;
  readonly secrets: TemplateSecrets;
  readonly log: Log;
  readonly open: (id: number) => Promise<KnownTemplate | undefined>;
  /** Returns the account to work with; throws if there is none. */
  readonly account: () => Account;
  readonly readOnlyReason: (template: KnownTemplate) => ReadOnlyTemplateError | undefined;
  /** Called when the template at the service has changed. */
  readonly onSaved: (id: number) => void;
}

export interface MergedText {
  readonly text: string;
  /** The places where the user's version was kept. */
  readonly conflicts: readonly Conflict[];
}

/** Saves the text of documents and carries out the user's decisions about conflicts. */
export class TemplateEdits {
  private readonly saving: TemplateSaving;

  constructor(private readonly deps: Deps) {
    this.saving = new TemplateSaving(deps.reader, deps.secrets);
  }

  /** See `TemplateDocuments.save`. */
  async save(id: number, source: string): Promise<void> {
    const known = this.deps.known.get(id) ?? (await this.deps.open(id));
    if (!known) {
      throw new TemplateGoneError();
    }
    const readOnly = this.deps.readOnlyReason(known);
    if (readOnly) {
      throw readOnly;
    }
    const account = this.deps.account();
    const base = known.shown ?? known.fields;
    const typed = parseDocument(source, base);
    const mine = await this.withKnownPassword(account, id, typed);
    if (documentChanges(base, mine).size === 0) {
      await this.adopt(account, { ...known, text: source }, mine, typed);
      return;
    }
    const sent = await this.saving.send(account, {
      id,
      base,
      mine,
      known: () => this.deps.known.get(id),
      isOverruled: (hashId, conflicts) => this.deps.conflicts.isOverruled(id, hashId, conflicts),
    });
    if (sent.kind === 'conflict') {
      this.deps.conflicts.begin(id, sent.pending);
      throw new TemplateConflictError(id, sent.pending.conflicts);
    }
    await this.adopt(account, { ...sent.saved, text: source }, sent.target, typed);
  }

  /** Returns the text of their version. From now on, edits are compared with it. */
  useTheirs(id: number): string | undefined {
    return this.rebase(id)?.text;
  }

  /**
   * Replaces `source` by their version during its save. The document shows their version once the editor regards it
   * as saved.
   */
  async acceptTheirs(id: number, source: string): Promise<void> {
    const theirs = this.deps.conflicts.get(id)?.theirs;
    if (!theirs || this.deps.readOnlyReason(theirs)) {
      return this.save(id, source);
    }
    await this.adopt(this.deps.account(), { ...theirs, text: source }, theirs.fields, parseDocument(source));
  }

  /** See `TemplateDocuments.merge`. */
  merge(id: number, source: string): MergedText | undefined {
    const theirs = this.deps.conflicts.get(id)?.theirs;
    const known = this.deps.known.get(id);
    if (!theirs || !known) {
      return undefined;
    }
    const base = known.shown ?? known.fields;
    const { fields, conflicts } = mergeDocuments(base, parseDocument(source, base), theirs.fields);
    return { text: renderDocument(fields), conflicts };
  }

  /**
   * Remembers the saved version as the base of the next edit. The document keeps showing the user's text until
   * `reveal`, because the editor would miss another text at the same moment.
   */
  private async adopt(
    account: Account,
    saved: KnownTemplate,
    target: DocumentFields,
    typed: DocumentFields,
  ): Promise<void> {
    const { id } = saved;
    const held = await this.deps.secrets.held(account.key, id);
    // A variable may still be in an environment that can't be read; without its slot, its value would be shown.
    const kept = isReadableEnv(target['env']) ? [] : [...held].filter(([slot]) => slot.startsWith('env.'));
    const references = new Map([
      ...kept.map(([slot, { name }]) => [slot, name] as const),
      ...referencesIn(target),
    ]);
    const password = target['docker_login_pass'];
    if (typeof password === 'string' && password !== '' && referenceName(password) === undefined) {
      const name = await this.deps.secrets.kept.add(
        account.key,
        registryReference(id),
        password,
        templateOwner(id),
      );
      references.set('docker_login_pass', name);
    }
    await this.deps.secrets.bind(account.key, id, references);
    const fields = documentFields(saved.raw, await this.deps.secrets.held(account.key, id));
    const before = this.deps.known.get(id);
    const name = typeof fields['name'] === 'string' ? fields['name'] : saved.name;
    const next = { ...saved, name, fields };
    // Keep the user's own layout unless the document has to show something else.
    const shown = sameDocument(fields, typed)
      ? {}
      : { shown: { ...typed, docker_login_pass: fields['docker_login_pass'] } };
    this.deps.known.adopt(id, { ...next, ...shown, mtime: await this.deps.reader.timeOf(next, before) });
    this.deps.conflicts.saved(id);
    await this.deps.bases.drop(saved);
    if (before?.hashId !== saved.hashId) {
      this.deps.onSaved(id);
    }
  }

  /** If the user types the stored password again, replaces it by its reference. */
  private async withKnownPassword(
    account: Account,
    id: number,
    mine: DocumentFields,
  ): Promise<DocumentFields> {
    const held = (await this.deps.secrets.held(account.key, id)).get('docker_login_pass');
    return held?.value !== undefined && held.value === mine['docker_login_pass']
      ? { ...mine, docker_login_pass: makeReference(held.name) }
      : mine;
  }

  /** Compares edits with their version from now on, and returns it. */
  private rebase(id: number): KnownTemplate | undefined {
    const pending = this.deps.conflicts.get(id);
    const known = this.deps.known.get(id);
    if (!pending || !known) {
      return undefined;
    }
    const { theirs } = pending;
    // Keep the shown text and its time, because the editor compares them when it saves.
    const rebased = { ...theirs, text: known.text, mtime: known.mtime };
    this.deps.known.adopt(id, rebased);
    void this.deps.bases.keep(rebased).catch((error: unknown) => {
      this.deps.log.warn(`The base of a template could not be kept: ${String(error)}`);
    });
    this.deps.conflicts.end(id);
    return theirs;
  }
}
