import * as vscode from 'vscode';
import type { Template } from '../../model/templates/template';
import { mostRecents, remember, type TemplateRef } from '../../model/templates/templateRef';
import type { Services } from '../../services';
import { DisposableStore } from '../../util/disposable';
import type { TemplateGroup } from './templateNodes';

type Deps = Pick<Services, 'accounts' | 'templates' | 'templateDesk' | 'hub' | 'log'>;

const mostFavourites = 200;
const topic = 'templates.lists';

/** The templates of the active account in their groups, with favourites and recents. */
export class TemplateLists implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = new vscode.EventEmitter<TemplateGroup | undefined>();
  /** Tells the group where only its order changed. */
  readonly onDidChange = this.changed.event;
  private byId = new Map<number, Template>();
  private favouriteRefs: readonly TemplateRef[] = [];
  private recentRefs: readonly TemplateRef[] = [];

  constructor(private readonly deps: Deps) {
    this.store.add(this.changed);
    this.store.add(deps.templates.onDidChange(() => this.follow()));
    this.store.add(
      deps.accounts.onDidChange(() => {
        this.follow();
        this.reload();
      }),
    );
    this.store.add(deps.hub.on(topic, () => this.reload()));
    this.follow();
    this.reload();
  }

  find(id: number): Template | undefined {
    return this.byId.get(id);
  }

  /** Whether a template is the account's own; where the record does not say, it counts as own. */
  isMine(template: Template): boolean {
    return template.creatorId === undefined || template.creatorId === this.deps.accounts.active?.user.id;
  }

  get mine(): readonly Template[] {
    return [...this.byId.values()].filter((template) => this.isMine(template));
  }

  get recommended(): readonly Template[] {
    return [...this.byId.values()].filter(({ recommended }) => recommended === true);
  }

  get favourites(): readonly TemplateRef[] {
    return this.favouriteRefs;
  }

  get recents(): readonly TemplateRef[] {
    return this.recentRefs;
  }

  isFavourite(id: number): boolean {
    return this.favouriteRefs.some((ref) => ref.id === id);
  }

  async setFavourite(ref: TemplateRef, isFavourite: boolean): Promise<void> {
    await this.change((memory) => ({
      ...memory,
      favourites: isFavourite
        ? [...remember(memory.favourites.map(clean), ref, mostFavourites)]
        : memory.favourites.filter(({ id }) => id !== ref.id),
    }));
  }

  async noteUse(ref: TemplateRef): Promise<void> {
    await this.change((memory) => ({
      ...memory,
      recents: [...remember(memory.recents.map(clean), ref, mostRecents)],
    }));
  }

  dispose(): void {
    this.store.dispose();
  }

  private async change(change: Parameters<Services['templateDesk']['memory']['change']>[1]): Promise<void> {
    const { active } = this.deps.accounts;
    if (active) {
      await this.deps.templateDesk.memory.change(active.key, change);
      this.deps.hub.broadcast(topic, active.key);
      await this.read();
    }
  }

  private follow(): void {
    const { state } = this.deps.templates;
    const isSignedIn = this.deps.accounts.active !== undefined;
    const templates = isSignedIn && state.kind === 'ready' ? state.value : [];
    this.byId = new Map(templates.map((template) => [template.id, template]));
    this.changed.fire(undefined);
  }

  private reload(): void {
    void this.read().catch((error: unknown) => {
      this.deps.log.warn(`Favourite templates could not be read: ${String(error)}`);
    });
  }

  private async read(): Promise<void> {
    const { active } = this.deps.accounts;
    const memory = active && (await this.deps.templateDesk.memory.account(active.key));
    const before = { favourites: this.favouriteRefs, recents: this.recentRefs };
    this.favouriteRefs = (memory?.favourites ?? []).map(clean);
    this.recentRefs = (memory?.recents ?? []).map(clean);
    const isOther = !sameRefs(before.favourites, this.favouriteRefs);
    if (isOther || (before.recents.length === 0) !== (this.recentRefs.length === 0)) {
      this.changed.fire(undefined);
    } else if (!sameRefs(before.recents, this.recentRefs)) {
      // Hundreds of other rows need not be made anew whenever a document is opened.
      this.changed.fire('recent');
    }
  }
}

function sameRefs(one: readonly TemplateRef[], other: readonly TemplateRef[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function clean(ref: { id: number; name?: string | undefined; hash?: string | undefined }): TemplateRef {
  return {
    id: ref.id,
    ...(ref.name === undefined ? {} : { name: ref.name }),
    ...(ref.hash === undefined ? {} : { hash: ref.hash }),
  };
}
