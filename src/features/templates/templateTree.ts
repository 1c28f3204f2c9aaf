import * as vscode from 'vscode';
import { countOfList, listProblems, problemRow } from '../../editor/listRows';
import { t } from '../../editor/localize';
import type { Template } from '../../model/templates/template';
import { parseTemplateUri } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { whileLoading } from '../../shared/reading';
import { DisposableStore } from '../../util/disposable';
import { groupItem, moreItem, templateItem, templateTooltip, type ItemFacts } from './templateItem';
import type { TemplateLists } from './templateLists';
import { groups, TemplateNodes, rowsAtOnce, type TemplateGroup, type TemplateNode } from './templateNodes';

type Deps = Pick<Services, 'accounts' | 'templates' | 'trees' | 'clock'>;

/** The templates view with the user's own, favorite, recent and recommended templates. */
export class TemplateTree implements vscode.TreeDataProvider<TemplateNode>, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = new vscode.EventEmitter<TemplateNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly nodes = new TemplateNodes();
  private readonly limits = new Map<TemplateGroup, number>();
  private unsaved: ReadonlySet<number> = new Set();

  constructor(
    private readonly deps: Deps,
    private readonly lists: TemplateLists,
  ) {
    this.store.add(this.changed);
    this.store.add(
      lists.onDidChange((group) =>
        group === undefined ? this.refresh() : this.changed.fire(this.nodes.group(group)),
      ),
    );
    this.store.add(vscode.workspace.onDidOpenTextDocument((document) => this.noteEdit(document)));
    this.store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.noteEdit(document)));
    this.store.add(vscode.workspace.onDidSaveTextDocument((document) => this.noteEdit(document)));
    this.store.add(vscode.workspace.onDidCloseTextDocument((document) => this.noteEdit(document)));
    // Unsaved documents of a restored window exist before any event arrives.
    this.countUnsaved();
    this.refresh();
  }

  async getChildren(node?: TemplateNode): Promise<TemplateNode[]> {
    if (!this.deps.accounts.active) {
      return [];
    }
    if (node) {
      return node.kind === 'group' ? this.rowsOf(node.group) : [];
    }
    const { templates } = this.deps;
    if (templates.state.kind === 'idle') {
      // The state shows the failure.
      await templates.refresh({ isUnasked: true }).catch(() => undefined);
    }
    await whileLoading(templates);
    const { state } = templates;
    const shown = state.kind === 'ready' ? groups.filter((group) => this.idsOf(group).length > 0) : [];
    return [
      ...listProblems(state),
      // An empty tree lets the view's welcome text offer to create a template.
      ...shown.map((group) => this.nodes.group(group)),
    ];
  }

  getParent(node: TemplateNode): TemplateNode | undefined {
    return node.kind === 'template' || node.kind === 'more' ? this.nodes.group(node.group) : undefined;
  }

  getTreeItem(node: TemplateNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(node.group, this.countOf(node.group));
      case 'more':
        return moreItem(node.group, this.idsOf(node.group).length - this.limitOf(node.group));
      case 'loadError':
      case 'skipped':
        return problemRow(node, {
          name: 'templates',
          state: this.deps.templates.state,
          now: this.deps.clock.now(),
        });
      case 'template': {
        const template = this.lists.find(node.templateId);
        return template ? templateItem(node, template, this.factsOf(template)) : this.missingItem(node);
      }
    }
  }

  resolveTreeItem(item: vscode.TreeItem, node: TemplateNode): vscode.TreeItem {
    const template = node.kind === 'template' ? this.lists.find(node.templateId) : undefined;
    if (template) {
      item.tooltip = templateTooltip(template, this.factsOf(template));
    }
    return item;
  }

  /** Shows the next rows of a group. */
  showMore(group: TemplateGroup): void {
    this.limits.set(group, this.limitOf(group) + rowsAtOnce);
    this.changed.fire(this.nodes.group(group));
  }

  dispose(): void {
    this.store.dispose();
  }

  private limitOf(group: TemplateGroup): number {
    return this.limits.get(group) ?? rowsAtOnce;
  }

  private rowsOf(group: TemplateGroup): TemplateNode[] {
    const ids = this.idsOf(group);
    const limit = this.limitOf(group);
    const rows = this.nodes.list(group, ids.slice(0, limit));
    return ids.length > limit ? [...rows, this.nodes.more(group)] : rows;
  }

  private idsOf(group: TemplateGroup): readonly number[] {
    switch (group) {
      case 'mine':
        return this.lists.mine.map(({ id }) => id);
      case 'recommended':
        return this.lists.recommended.map(({ id }) => id);
      case 'favourites':
        return this.lists.favourites.map(({ id }) => id);
      case 'recent':
        return this.lists.recents.map(({ id }) => id);
    }
  }

  /** Returns the number of rows; a template that could not be read may belong to a group of the service. */
  private countOf(group: TemplateGroup): string {
    const { length } = this.idsOf(group);
    return group === 'mine' || group === 'recommended'
      ? countOfList(length, this.deps.templates.state)
      : String(length);
  }

  private factsOf(template: Template): ItemFacts {
    return {
      isMine: this.lists.isMine(template),
      isFavourite: this.lists.isFavourite(template.id),
      isUnsaved: this.unsaved.has(template.id),
    };
  }

  /** Returns the row of a remembered template that is missing from the list, because it was deleted or made private. */
  private missingItem(node: TemplateNode & { readonly kind: 'template' }): vscode.TreeItem {
    const ref = [...this.lists.favourites, ...this.lists.recents].find(({ id }) => id === node.templateId);
    const item = new vscode.TreeItem(ref?.name ?? `#${node.templateId}`);
    item.id = `template-${node.group}-${node.templateId}`;
    item.description = t('not in the list');
    const { state } = this.deps.templates;
    item.tooltip =
      state.kind === 'ready' && state.skipped !== undefined
        ? t('It may be among the templates that could not be read.')
        : t('This template was deleted or made private by its owner.');
    item.iconPath = new vscode.ThemeIcon('question');
    item.contextValue = this.lists.isFavourite(node.templateId) ? ';missing;favourite;' : ';missing;';
    return item;
  }

  /** Marks unsaved templates and counts them on the view. */
  private noteEdit(document: vscode.TextDocument): void {
    if (parseTemplateUri(document.uri)) {
      this.countUnsaved();
    }
  }

  private countUnsaved(): void {
    const unsaved = new Set<number>();
    let count = 0;
    for (const { uri, isDirty } of vscode.workspace.textDocuments) {
      const read = isDirty ? parseTemplateUri(uri) : undefined;
      if (read?.kind === 'own') {
        unsaved.add(read.id);
      }
      count += read ? 1 : 0;
    }
    const { view } = this.deps.trees['gpuRental.templates'];
    if (count !== (view.badge?.value ?? 0)) {
      view.badge =
        count === 0
          ? undefined
          : {
              value: count,
              tooltip: t('Not saved: {0}', count),
            };
    }
    if (unsaved.size !== this.unsaved.size || [...unsaved].some((id) => !this.unsaved.has(id))) {
      this.unsaved = unsaved;
      this.changed.fire(undefined);
    }
  }

  private refresh(): void {
    this.changed.fire(undefined);
    const { view } = this.deps.trees['gpuRental.templates'];
    view.message = this.deps.templates.state.kind === 'loading' ? t('Loading…') : '';
  }
}
