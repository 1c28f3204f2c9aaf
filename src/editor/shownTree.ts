import type * as vscode from 'vscode';

/** The rows that the editor must read again; `undefined` means the whole tree. */
export type TreeChange = readonly object[] | undefined;

/**
 * Remembers the rows that the editor received. An open menu loses its row when the rows around it are read again, so
 * only changed rows are refreshed, and a whole list only if its members changed.
 */
export class ShownTree {
  private readonly rows = new Map<object | undefined, readonly object[]>();
  private readonly looks = new WeakMap<object, string>();

  constructor(
    private readonly rowsOf: (parent: object | undefined) => Promise<readonly object[]>,
    /** Returns the item of a row with its tooltip. */
    private readonly itemOf: (row: object) => Promise<vscode.TreeItem>,
  ) {}

  /** Notes the rows that the editor received below `parent`. */
  noteRows(parent: object | undefined, rows: readonly object[]): void {
    for (const row of this.rows.get(parent) ?? []) {
      if (!rows.includes(row)) {
        this.forget(row);
      }
    }
    this.rows.set(parent, rows);
  }

  async noteItem(row: object): Promise<void> {
    this.looks.set(row, lookOf(await this.itemOf(row)));
  }

  /** Returns the rows that differ from what the editor has; empty if none do. */
  async changes(): Promise<TreeChange> {
    return this.changesBelow(undefined);
  }

  private async changesBelow(parent: object | undefined): Promise<TreeChange> {
    const before = this.rows.get(parent);
    if (before === undefined) {
      // The editor reads a closed row when the user opens it.
      return parent === undefined ? undefined : [];
    }
    const now = await this.rowsOf(parent);
    if (now.length !== before.length || now.some((row, place) => row !== before[place])) {
      return parent === undefined ? undefined : [parent];
    }
    const changed = await Promise.all(now.map((row) => this.changesOf(row)));
    return changed.flat();
  }

  private async changesOf(row: object): Promise<readonly object[]> {
    const look = lookOf(await this.itemOf(row));
    if (this.looks.get(row) !== look) {
      return [row];
    }
    return (await this.changesBelow(row)) ?? [];
  }

  private forget(row: object): void {
    for (const child of this.rows.get(row) ?? []) {
      this.forget(child);
    }
    this.rows.delete(row);
    this.looks.delete(row);
  }
}

/** Returns everything of a row that is drawn, read aloud, or decides about its menu. */
function lookOf(item: vscode.TreeItem): string {
  return JSON.stringify(item, (name, value: unknown) =>
    name === 'tooltip' && value === item.tooltip ? tooltipText(item) : value,
  );
}

function tooltipText({ tooltip }: vscode.TreeItem): string | undefined {
  return typeof tooltip === 'object' ? tooltip.value : tooltip;
}
