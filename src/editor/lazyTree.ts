import * as vscode from 'vscode';
import { plainItem } from './plainRow';

/**
 * A tree that exists from the start and is filled by a feature that loads when the tree is first
 * looked at.
 */
export class LazyTree implements vscode.TreeDataProvider<object>, vscode.Disposable {
  private provider: vscode.TreeDataProvider<object> | undefined;
  private readonly changed = new vscode.EventEmitter<object | object[] | undefined>();
  private subscription: vscode.Disposable | undefined;
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<object>;

  constructor(
    id: string,
    private readonly load: () => Promise<unknown>,
    options: { readonly canSelectMany?: boolean; readonly showCollapseAll?: boolean } = {},
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, ...options });
  }

  /** Called once by the feature that owns the tree. */
  setProvider<Node extends object>(provider: vscode.TreeDataProvider<Node>): void {
    // Only this provider makes nodes for this tree, so every node that comes back is one of its own.
    this.provider = provider;
    this.subscription = this.provider.onDidChangeTreeData?.((node) => {
      this.changed.fire(node ?? undefined);
    });
    this.changed.fire(undefined);
  }

  async getChildren(element?: object): Promise<object[]> {
    if (!this.provider) {
      await this.load();
    }
    return (await this.provider?.getChildren(element)) ?? [];
  }

  async getTreeItem(element: object): Promise<vscode.TreeItem> {
    return spoken(plainItem((await this.provider?.getTreeItem(element)) ?? new vscode.TreeItem('')));
  }

  getParent(element: object): vscode.ProviderResult<object> {
    return this.provider?.getParent?.(element);
  }

  resolveTreeItem(
    item: vscode.TreeItem,
    element: object,
    token: vscode.CancellationToken,
  ): vscode.ProviderResult<vscode.TreeItem> {
    return this.provider?.resolveTreeItem?.(item, element, token) ?? item;
  }

  dispose(): void {
    this.subscription?.dispose();
    this.view.dispose();
    this.changed.dispose();
  }
}

/** Where a row has a tooltip that is plain text, the editor lets screen readers say that and not the row. */
function spoken(item: vscode.TreeItem): vscode.TreeItem {
  const parts = [item.label, item.description, item.tooltip].filter((part) => typeof part === 'string');
  item.accessibilityInformation ??= { label: [...new Set(parts)].filter((part) => part !== '').join(', ') };
  return item;
}
