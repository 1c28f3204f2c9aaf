import type * as vscode from 'vscode';

/** What of a tree the editor has to read again; `undefined` stands for all of it. */
export type TreeChange = readonly object[] | undefined;

/**
 * Remembers what the editor was given of a tree. A menu that is open on a row loses it when the rows around it are read
 * again, so only those rows are that changed, and a list as a whole only where other rows are in it.
 */
export class ShownTree {
  private readonly rows = new Map<object | undefined, readonly object[]>();
  private readonly looks = new WeakMap<object, string>();

  constructor(
    private readonly rowsOf: (parent: object | undefined) => Promise<readonly object[]>,
    /** The row with its tooltip. */
    private readonly itemOf: (row: object) => Promise<vscode.TreeItem>,
  ) {}

  /** The rows below `parent` as the editor gets them. */
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

  /** What differs from what the editor has; empty where nothing does. */
  async changes(): Promise<TreeChange> {
    return this.changesBelow(undefined);
  }

  private async changesBelow(parent: object | undefined): Promise<TreeChange> {
    const before = this.rows.get(parent);
    if (before === undefined) {
      // The editor asks when it is opened.
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

/** All that is drawn or read out of a row, and what decides about its menu. */
function lookOf(item: vscode.TreeItem): string {
  return JSON.stringify(item, (name, value: unknown) =>
    name === 'tooltip' && value === item.tooltip ? tooltipText(item) : value,
  );
}

function tooltipText({ tooltip }: vscode.TreeItem): string | undefined {
  return typeof tooltip === 'object' ? tooltip.value : tooltip;
}
