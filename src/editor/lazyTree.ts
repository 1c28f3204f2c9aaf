import * as vscode from 'vscode';
import { plainItem } from './plainRow';
import { ShownTree } from './shownTree';

/** A tree that exists from activation; the feature that fills it loads when the tree is first shown. */
export class LazyTree implements vscode.TreeDataProvider<object>, vscode.Disposable {
  private provider: vscode.TreeDataProvider<object> | undefined;
  private readonly changed = new vscode.EventEmitter<object | object[] | undefined>();
  private subscription: vscode.Disposable | undefined;
  private readonly shown = new ShownTree(
    (parent) => this.rowsOf(parent),
    (row) => this.itemOf(row),
    (item, row) => this.withTooltip(item, row),
  );
  private readonly opening: vscode.Disposable;
  private comparing: Promise<void> | undefined;
  private hasChangedSince = false;
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<object>;

  constructor(
    private readonly id: string,
    private readonly load: () => Promise<unknown>,
    options: Pick<
      vscode.TreeViewOptions<object>,
      'canSelectMany' | 'showCollapseAll' | 'dragAndDropController'
    > = {},
  ) {
    this.opening = vscode.commands.registerCommand(openRow(id), () => this.openSelected());
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, ...options });
  }

  /** Sets the provider. Called once, by the feature that owns the tree. */
  setProvider<Node extends object>(provider: vscode.TreeDataProvider<Node>): void {
    // Only this provider makes nodes for this tree, so each node that the editor passes is its own.
    this.provider = provider;
    this.subscription = this.provider.onDidChangeTreeData?.(() => this.refresh());
    this.changed.fire(undefined);
  }

  async getChildren(element?: object): Promise<object[]> {
    if (!this.provider) {
      await this.load();
    }
    const rows = await this.rowsOf(element);
    this.shown.noteRows(element, rows);
    return rows;
  }

  async getTreeItem(element: object): Promise<vscode.TreeItem> {
    return this.shown.item(element);
  }

  /**
   * Has the editor draw changed rows again. Compares once at a time, and again if more changed during a comparison.
   */
  private refresh(): void {
    if (!this.view.visible) {
      // A hidden tree has no open menu, and a comparison would read rows that are not shown. The editor reads them when
      // it shows the tree.
      this.shown.dropMade();
      this.changed.fire(undefined);
      return;
    }
    this.hasChangedSince = true;
    this.comparing ??= this.compare().finally(() => {
      this.comparing = undefined;
    });
  }

  private async compare(): Promise<void> {
    while (this.hasChangedSince) {
      // One list makes several features report a change in the same turn: they are compared together.
      await Promise.resolve();
      this.hasChangedSince = false;
      // A row that fails reports its error when the editor reads it.
      const changes = await this.shown.changes().catch(() => undefined);
      if (changes === undefined || changes.length > 0) {
        this.changed.fire(changes && [...changes]);
      }
    }
  }

  private async rowsOf(parent: object | undefined): Promise<object[]> {
    return (await this.provider?.getChildren(parent)) ?? [];
  }

  private async itemOf(row: object): Promise<vscode.TreeItem> {
    const item = plainItem((await this.provider?.getTreeItem(row)) ?? new vscode.TreeItem(''));
    // The editor forgets the arguments of a row that is drawn again, and a click just then fails with an error.
    if (item.command?.arguments) {
      item.command = { command: openRow(this.id), title: item.command.title };
    }
    return spoken(item);
  }

  /** Runs the command of the row that was clicked: a click selects it first. */
  private async openSelected(): Promise<void> {
    const [row] = this.view.selection;
    const command = row && (await this.provider?.getTreeItem(row))?.command;
    if (command) {
      await vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
    }
  }

  /** Returns the item with the tooltip that is made when the pointer rests on the row. */
  private async withTooltip(item: vscode.TreeItem, row: object): Promise<vscode.TreeItem> {
    const source = new vscode.CancellationTokenSource();
    try {
      return (await this.provider?.resolveTreeItem?.(item, row, source.token)) ?? item;
    } finally {
      source.dispose();
    }
  }

  getParent(element: object): vscode.ProviderResult<object> {
    return this.provider?.getParent?.(element);
  }

  resolveTreeItem(item: vscode.TreeItem, element: object): Promise<vscode.TreeItem> {
    return this.shown.resolved(item, element);
  }

  dispose(): void {
    this.subscription?.dispose();
    this.opening.dispose();
    this.view.dispose();
    this.changed.dispose();
  }
}

const openRow = (id: string) => `${id}.openRow`;

/** Puts the row into its tooltip: screen readers read a plain-text tooltip instead of the row. */
function spoken(item: vscode.TreeItem): vscode.TreeItem {
  const parts = [item.label, item.description, item.tooltip].filter((part) => typeof part === 'string');
  item.accessibilityInformation ??= { label: [...new Set(parts)].filter((part) => part !== '').join(', ') };
  return item;
}
