import type * as vscode from 'vscode';
import { FakeEventEmitter, resolved } from './events';

export interface ShownRow {
  /** What commands of the row's menu get. */
  readonly node: object;
  readonly item: vscode.TreeItem;
  readonly depth: number;
  /** Label and description, in one line. */
  readonly text: string;
}

/** A view that draws nothing. As the editor does, it asks its provider again only for rows that this says have changed. */
export class FakeTreeView {
  visible = false;
  selection: readonly object[] = [];
  message: string | undefined;
  title: string | undefined;
  description: string | undefined;
  badge: vscode.ViewBadge | undefined;
  private readonly visibilityChanged = new FakeEventEmitter<vscode.TreeViewVisibilityChangeEvent>();
  private readonly selectionChanged = new FakeEventEmitter<vscode.TreeViewSelectionChangeEvent<object>>();
  private readonly expanded = new FakeEventEmitter<vscode.TreeViewExpansionEvent<object>>();
  private readonly collapsed = new FakeEventEmitter<vscode.TreeViewExpansionEvent<object>>();
  private readonly checkboxes = new FakeEventEmitter<vscode.TreeCheckboxChangeEvent<object>>();
  readonly onDidChangeVisibility = this.visibilityChanged.event;
  readonly onDidChangeSelection = this.selectionChanged.event;
  readonly onDidExpandElement = this.expanded.event;
  readonly onDidCollapseElement = this.collapsed.event;
  readonly onDidChangeCheckboxState = this.checkboxes.event;
  /** Rows that a user opened or closed, by label, because nodes are made again. */
  private readonly openedByUser = new Map<string, boolean>();
  /** What the provider answered, until it says that this has changed. */
  private readonly children = new Map<object | undefined, readonly object[]>();
  private readonly items = new Map<object, vscode.TreeItem>();
  /** What rows were called that the provider wants drawn again one by one. */
  private readonly before = new Map<object, string>();
  private changes = 0;

  constructor(
    readonly id: string,
    private readonly provider: vscode.TreeDataProvider<object>,
    private readonly onDispose: () => void,
    readonly drops?: vscode.TreeDragAndDropController<object>,
  ) {
    this.onDidRefresh((what) => {
      this.changes += 1;
      if (what === undefined) {
        this.children.clear();
        this.items.clear();
        this.before.clear();
      } else {
        for (const node of [what].flat() as object[]) {
          const item = this.items.get(node);
          if (item) {
            this.before.set(node, nameOf(item));
          }
          this.forget(node);
        }
      }
    });
  }

  private forget(node: object): void {
    this.items.delete(node);
    for (const child of this.children.get(node) ?? []) {
      this.forget(child);
    }
    this.children.delete(node);
  }

  /** Keeps an answer unless the provider said during the question that something changed. */
  private async kept<Key, Answer>(
    answers: Map<Key, Answer>,
    key: Key,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    const before = answers.get(key);
    if (before !== undefined) {
      return before;
    }
    const { changes } = this;
    const answer = await ask();
    if (changes === this.changes) {
      answers.set(key, answer);
    }
    return answer;
  }

  /** Called with what the provider wants drawn again: some nodes, or everything. */
  onDidRefresh(listener: (what: unknown) => void): void {
    this.provider.onDidChangeTreeData?.(listener);
  }

  setVisible(visible: boolean): void {
    if (this.visible === visible) {
      return;
    }
    this.visible = visible;
    this.visibilityChanged.fire({ visible });
  }

  /** The rows from top to bottom. As in the editor, no two of them may have the same id. */
  async rows(): Promise<ShownRow[]> {
    const rows = await this.rowsOf(undefined, 0);
    const ids = rows.map(({ item }) => item.id).filter((id) => id !== undefined);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) {
      throw new Error(`Element with id ${twice} is already registered`);
    }
    return rows;
  }

  private async rowsOf(parent: object | undefined, depth: number): Promise<ShownRow[]> {
    const rows: ShownRow[] = [];
    const nodes = await this.kept(
      this.children,
      parent,
      async () => (await resolved(this.provider.getChildren(parent))) ?? [],
    );
    for (const node of nodes) {
      const item = await this.kept(this.items, node, () => resolved(this.provider.getTreeItem(node)));
      const before = this.before.get(node);
      // The editor loses the place of a row that it draws again by itself under another name.
      if (before !== undefined && before !== nameOf(item)) {
        throw new Error(`The row ${before} was drawn again as ${nameOf(item)}: give it an id`);
      }
      const label = labelOf(item);
      const description = typeof item.description === 'string' ? item.description : '';
      rows.push({ node, item, depth, text: [label, description].filter((part) => part !== '').join(' ') });
      const isOpen = this.openedByUser.get(label) ?? item.collapsibleState === 2;
      if (item.collapsibleState !== 0 && item.collapsibleState !== undefined && isOpen) {
        rows.push(...(await this.rowsOf(node, depth + 1)));
      }
    }
    return rows;
  }

  /** Opens a row, as a click on its arrow does. */
  expand({ node, item }: ShownRow): void {
    if (item.collapsibleState === undefined || item.collapsibleState === 0) {
      throw new Error(`"${labelOf(item)}" has no rows below it`);
    }
    this.openedByUser.set(labelOf(item), true);
    this.expanded.fire({ element: node });
  }

  collapse({ node, item }: ShownRow): void {
    this.openedByUser.set(labelOf(item), false);
    this.collapsed.fire({ element: node });
  }

  select(rows: readonly ShownRow[]): void {
    this.selection = rows.map(({ node }) => node);
    this.selectionChanged.fire({ selection: this.selection });
  }

  /** The tooltip of a row as text, made when a pointer rests on it. */
  async tooltip({ node, item }: ShownRow): Promise<string> {
    const token = { isCancellationRequested: false, onCancellationRequested: this.expanded.event as never };
    const made =
      item.tooltip === undefined
        ? await resolved(this.provider.resolveTreeItem?.(item, node, token))
        : undefined;
    const tooltip = item.tooltip ?? made?.tooltip ?? '';
    return typeof tooltip === 'string' ? tooltip : tooltip.value;
  }

  async reveal(node: object, options: { readonly select?: boolean } = {}): Promise<void> {
    if (options.select !== false) {
      this.selection = [node];
    }
    this.setVisible(true);
    return Promise.resolve();
  }

  dispose(): void {
    this.onDispose();
  }
}

/** By what the editor knows a row: its id, or else its label. */
function nameOf(item: vscode.TreeItem): string {
  return item.id ?? labelOf(item);
}

export function labelOf({ label }: vscode.TreeItem): string {
  return typeof label === 'string' ? label : (label?.label ?? '');
}
