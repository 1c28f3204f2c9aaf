import { renderDocument } from '../../model/templates/templateDocument';
import type { KnownTemplate } from './templateReader';
import type { TemplatesOfAccount, TemplateStorage } from './templateStorage';

type Base = TemplatesOfAccount['bases'][string];

/**
 * The originals of edited documents, on disk, so that they can be merged after a restart. Each window has its own: two
 * windows may edit one template, each from another version.
 */
export class TemplateBases {
  /** Templates whose original this window keeps; what another window keeps stays. */
  private readonly kept = new Set<number>();

  constructor(
    private readonly memory: TemplateStorage,
    /** The name of this window, which stays the same after a restart. */
    private readonly windowName: string,
  ) {}

  /** Returns whether this window keeps the original of an edit. */
  has(id: number): boolean {
    return this.kept.has(id);
  }

  async keep(known: KnownTemplate): Promise<void> {
    const { id, hashId: hash, mtime } = known;
    const fields = known.shown ?? known.fields;
    // The typed text may hold a password in clear until the document shows its reference.
    const text = known.shown ? renderDocument(known.shown) : known.text;
    const own = this.keyOf(id);
    this.kept.add(id);
    await this.memory.change(known.accountKey, (memory) => ({
      ...memory,
      // The newest is the last one.
      bases: { ...without(memory.bases, own), [own]: { hash, mtime, text, fields } },
    }));
  }

  /** Returns whether this window had kept an original. */
  async drop({ id, accountKey }: KnownTemplate): Promise<boolean> {
    if (!this.kept.delete(id)) {
      return false;
    }
    await this.memory.change(accountKey, (memory) => ({
      ...memory,
      bases: without(memory.bases, this.keyOf(id)),
    }));
    return true;
  }

  /**
   * Returns the template that the edit from before a restart was based on. If that is lost, the edit is compared with an
   * empty document, so that saving asks about each difference instead of undoing changes made elsewhere.
   */
  resume(fresh: KnownTemplate, { bases }: Pick<TemplatesOfAccount, 'bases'>): KnownTemplate {
    const base = bases[this.keyOf(fresh.id)];
    return base ? this.from(base, fresh) : { ...fresh, shown: {} };
  }

  /**
   * Returns the original of an edit from before a restart if it belongs to another account: services number their
   * templates alike, and an edit must reach no other template than its own.
   */
  async ofOtherAccount(id: number, accountKey: string | undefined): Promise<KnownTemplate | undefined> {
    const accounts = await this.memory.accounts();
    const found = Object.entries(accounts).flatMap(([key, { bases }]) => {
      const base = bases[this.keyOf(id)];
      return base ? [{ key, base }] : [];
    });
    const [other] = found;
    if (!other || found.some(({ key }) => key === accountKey)) {
      return undefined;
    }
    const name = other.base.fields['name'];
    const unread = { id, accountKey: other.key, name: typeof name === 'string' ? name : '', isMine: true };
    return this.from(other.base, { ...unread, hashId: '', fields: {}, raw: {}, text: '', mtime: 0 });
  }

  private keyOf(id: number): string {
    return `${this.windowName}/${id}`;
  }

  private from({ hash, fields, text, mtime }: Base, template: KnownTemplate): KnownTemplate {
    this.kept.add(template.id);
    return { ...template, hashId: hash, fields, text, mtime };
  }
}

function without(bases: TemplatesOfAccount['bases'], own: string): TemplatesOfAccount['bases'] {
  return Object.fromEntries(Object.entries(bases).filter(([key]) => key !== own));
}
