import type * as vscode from 'vscode';
import { FakeEventEmitter, resolved } from './events';
import { FakeThemeIcon } from './values';

export interface ShownRow {
  /** What commands of the row's menu get. */
  readonly node: object;
  readonly item: vscode.TreeItem;
  readonly depth: number;
  /** Label and description, in one line. */
  readonly text: string;
}

/** A view that draws nothing: rows are read from its provider whenever a test looks. */
export class FakeTreeView {
  visible = false;
  /** What a look at the rows found, a line each, for records. */
  readonly drawn = new Set<string>();
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
  /** Rows that a user opened or closed, by label, because nodes are made anew. */
  private readonly openedByUser = new Map<string, boolean>();

  constructor(
    readonly id: string,
    private readonly provider: vscode.TreeDataProvider<object>,
    private readonly onDispose: () => void,
  ) {}

  /** Told what the provider wants drawn again: some nodes, or everything. */
  onDidRefresh(listener: (what: unknown) => void): void {
    this.provider.onDidChangeTreeData?.(listener);
  }

  setVisible(visible: boolean): void {
    if (this.visible === visible) return;
    this.visible = visible;
    this.visibilityChanged.fire({ visible });
  }

  /** The rows from top to bottom. As in the editor, no two of them may have the same id. */
  async rows(): Promise<ShownRow[]> {
    const rows = await this.rowsOf(undefined, 0);
    const ids = rows.map(({ item }) => item.id).filter((id) => id !== undefined);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw new Error(`Element with id ${twice} is already registered`);
    return rows;
  }

  private async rowsOf(parent: object | undefined, depth: number): Promise<ShownRow[]> {
    const rows: ShownRow[] = [];
    for (const node of (await resolved(this.provider.getChildren(parent))) ?? []) {
      const item = await resolved(this.provider.getTreeItem(node));
      const label = labelOf(item);
      const description = typeof item.description === 'string' ? item.description : '';
      rows.push({ node, item, depth, text: [label, description].filter((part) => part !== '').join(' ') });
      this.drawn.add(this.lineOf(item, label, description, depth));
      const isOpen = this.openedByUser.get(label) ?? item.collapsibleState === 2;
      if (item.collapsibleState !== 0 && item.collapsibleState !== undefined && isOpen) {
        rows.push(...(await this.rowsOf(node, depth + 1)));
      }
    }
    return rows;
  }

  private lineOf(item: vscode.TreeItem, label: string, description: string, depth: number): string {
    const { tooltip, contextValue = '', iconPath, command, accessibilityInformation, checkboxState } = item;
    const hint = typeof tooltip === 'object' ? tooltip.value : (tooltip ?? '');
    const icon = iconPath instanceof FakeThemeIcon ? `${iconPath.id} ${iconPath.color?.id ?? ''}` : '';
    const rest = [item.collapsibleState, checkboxState, command?.command, accessibilityInformation?.label];
    return `tree ${this.id} ${depth} ${label} | ${description} | ${hint} | ${contextValue} | ${icon} | ${JSON.stringify(rest)}`;
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
    if (options.select !== false) this.selection = [node];
    this.setVisible(true);
    return Promise.resolve();
  }

  dispose(): void {
    this.onDispose();
  }
}

export function labelOf({ label }: vscode.TreeItem): string {
  return typeof label === 'string' ? label : (label?.label ?? '');
}
