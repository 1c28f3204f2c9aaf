import * as vscode from 'vscode';
import { isOwnTemplate, type Template } from '../../model/templates/template';
import type { TemplateRef } from '../../model/templates/templateRef';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore } from '../../util/disposable';
import type { TemplateGroup } from './templateNodes';

type Deps = Pick<Services, 'accounts' | 'templates' | 'templateStores'>;

/** The templates of the active account by group, with favorites and recent ones. */
export class TemplateLists implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = new vscode.EventEmitter<TemplateGroup | undefined>();
  /** Fires with the group if only its order changed. */
  readonly onDidChange = this.changed.event;
  private byId = new Map<number, Template>();

  constructor(private readonly deps: Deps) {
    this.store.add(this.changed);
    this.store.add(deps.templates.onDidChange(() => this.follow()));
    this.store.add(watchAccounts(deps.accounts, () => this.follow()));
    const { refs } = deps.templateStores;
    this.store.add(refs.onDidChange((what) => this.changed.fire(what === 'recents' ? 'recent' : undefined)));
    this.follow();
    refs.show();
  }

  find(id: number): Template | undefined {
    return this.byId.get(id);
  }

  /** Returns whether the account owns the template. */
  isMine(template: Template): boolean {
    return isOwnTemplate(template, this.deps.accounts.active?.user.id);
  }

  get mine(): readonly Template[] {
    return [...this.byId.values()].filter((template) => this.isMine(template));
  }

  get recommended(): readonly Template[] {
    return [...this.byId.values()].filter(({ recommended }) => recommended === true);
  }

  get favourites(): readonly TemplateRef[] {
    return this.deps.templateStores.refs.favourites;
  }

  get recents(): readonly TemplateRef[] {
    return this.deps.templateStores.refs.recents;
  }

  isFavourite(id: number): boolean {
    return this.favourites.some((ref) => ref.id === id);
  }

  async setFavourite(ref: TemplateRef, isFavourite: boolean): Promise<void> {
    const { accounts, templateStores } = this.deps;
    if (accounts.active) {
      await templateStores.refs.setFavourite(accounts.active.key, ref, isFavourite);
    }
  }

  async noteUse(ref: TemplateRef): Promise<void> {
    const { accounts, templateStores } = this.deps;
    if (accounts.active) {
      await templateStores.refs.noteUse(accounts.active.key, ref);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private follow(): void {
    const { state } = this.deps.templates;
    const isSignedIn = this.deps.accounts.active !== undefined;
    const templates = isSignedIn && state.kind === 'ready' ? state.value : [];
    this.byId = new Map(templates.map((template) => [template.id, template]));
    this.changed.fire(undefined);
  }
}
