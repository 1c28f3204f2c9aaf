import { isOwnTemplate, type Template } from '../../model/templates/template';
import {
  documentFields,
  renderDocument,
  withoutValues,
  type DocumentFields,
} from '../../model/templates/templateDocument';
import type { HeldReferences } from '../../model/templates/templateReference';
import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import type { Account } from '../accounts/accounts';
import { findTemplate } from './findTemplate';
import type { TemplateSecrets } from './templateSecrets';
import { digestOf, type TemplatesOfAccount, type TemplateStorage } from './templateStorage';

/** A template as this window last read or saved it. */
export interface KnownTemplate {
  readonly id: number;
  readonly accountKey: string;
  readonly hashId: string;
  readonly name: string;
  readonly isMine: boolean;
  /** The document. */
  readonly fields: DocumentFields;
  /**
   * The fields of the text on the screen while they differ from the document: right after a save that merged changes
   * by others, or replaced a password with a reference. Edits are compared with these fields. Without secrets.
   */
  readonly shown?: DocumentFields | undefined;
  readonly raw: Readonly<Record<string, unknown>>;
  /** The text of the document and its time (ms); both stay the same during an edit. */
  readonly text: string;
  readonly mtime: number;
}

type Version = Pick<KnownTemplate, 'id' | 'accountKey' | 'hashId' | 'text'>;

/** Reads templates and converts them to documents whose time changes only with their text. */
export class TemplateReader {
  private readonly reading = new Map<string, Promise<Template | undefined>>();

  constructor(
    private readonly memory: TemplateStorage,
    private readonly secrets: TemplateSecrets,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Reads a template for display: `undefined` if the account sees no such template; callers share a read that is
   * under way.
   */
  read(account: Account, id: number): Promise<Template | undefined> {
    const key = `${account.key}/${id}`;
    const running = this.reading.get(key);
    if (running) {
      return running;
    }
    const result = this.readNow(account, id).finally(() => this.reading.delete(key));
    this.reading.set(key, result);
    return result;
  }

  /** Reads a template for a decision: a read under way may have been answered before the edit that it must show. */
  readNow(account: Account, id: number): Promise<Template | undefined> {
    return findTemplate(account.client, { templateId: id });
  }

  /**
   * Returns the document of a record; `before` is the version on the screen, if any. Values of `sent` are hidden as
   * well, because an edit without an answer may have brought them to the service.
   */
  async toKnown(
    account: Account,
    template: Template,
    before: KnownTemplate | undefined,
    {
      remembered,
      sent = new Map(),
    }: { readonly remembered?: TemplatesOfAccount; readonly sent?: HeldReferences } = {},
  ): Promise<KnownTemplate> {
    const current = remembered ?? (await this.memory.account(account.key));
    const isMine = isOwnTemplate(template, account.user.id);
    const memory = isMine ? await this.secrets.reclaim(account.key, template, current) : current;
    const held = await this.secrets.held(account.key, template.id, memory);
    const fields = withoutValues(documentFields(template.raw, held), sent);
    const known = {
      id: template.id,
      accountKey: account.key,
      hashId: template.hashId,
      name: template.name,
      isMine,
      fields,
      raw: template.raw,
      text: renderDocument(fields),
    };
    return { ...known, mtime: this.decideTime(known, before, memory) };
  }

  /** Returns when this text was first seen here, always later than any other text of the document. */
  async timeOf(version: Version, before: KnownTemplate | undefined): Promise<number> {
    return before?.text === version.text
      ? before.mtime
      : this.decideTime(version, before, await this.memory.account(version.accountKey));
  }

  /** Chooses the time without waiting for the disk: a new time is written after the document is shown. */
  private decideTime(
    version: Version,
    before: KnownTemplate | undefined,
    memory: TemplatesOfAccount,
  ): number {
    if (before?.text === version.text) {
      return before.mtime;
    }
    const key = String(version.id);
    const digest = digestOf(version.text);
    const remembered = memory.versions[key];
    if (remembered?.digest === digest && (before === undefined || remembered.mtime > before.mtime)) {
      return remembered.mtime;
    }
    const others = [before, remembered].flatMap((one) => (one ? [one.mtime + 1] : []));
    const mtime = Math.max(this.clock.now(), ...others);
    const decided = { hash: version.hashId, digest, mtime };
    this.memory
      .change(version.accountKey, (current) => {
        // Another window may have seen the text first, and the editor treats only a later time as a change.
        const known = current.versions[key];
        return known?.digest === digest && known.mtime <= mtime
          ? current
          : { ...current, versions: { ...current.versions, [key]: decided } };
      })
      .catch((error: unknown) => {
        this.log.warn(`The time of a template could not be remembered: ${String(error)}`);
      });
    return mtime;
  }
}

/** The templates of the last list. */
export class ListedTemplates {
  private accountKey: string | undefined;
  private templates = new Map<number, Template>();

  get(accountKey: string, id: number): Template | undefined {
    return accountKey === this.accountKey ? this.templates.get(id) : undefined;
  }

  /** Sets the list of an account, which replaces the one before. */
  remember(accountKey: string, templates: readonly Template[]): void {
    this.accountKey = accountKey;
    this.templates = new Map(templates.map((template) => [template.id, template]));
  }

  /** Notes that a template was deleted. */
  delete(id: number): void {
    this.templates.delete(id);
  }
}
