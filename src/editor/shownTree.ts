import { setImmediate as otherWork } from 'node:timers/promises';
import type * as vscode from 'vscode';

/** The rows that the editor must read again; `undefined` means the whole tree. */
export type TreeChange = readonly object[] | undefined;

/** The editor redraws each of these rows by itself, which takes longer than all at once for more than this. */
const mostRows = 100;

/** Rows compared before other work of the extension host gets its turn. */
const slice = 100;

/** What the editor has of a row. */
interface Appearance {
  readonly item: string;
  /** The text of a tooltip that the editor asked for; it keeps that text until it reads the row again. */
  readonly tooltip?: string;
}

/**
 * Remembers the rows that the editor received. An open menu loses its row when the rows around it are read again, so
 * only changed rows are refreshed, and a whole list only if its members changed. A row is made once per change, and its
 * tooltip only if the editor has it: a list may have thousands of rows.
 */
export class ShownTree {
  private readonly rows = new Map<object | undefined, readonly object[]>();
  private readonly appearances = new WeakMap<object, Appearance>();
  /** The rows that the last comparison found to differ, until the editor reads them. */
  private changed = new WeakMap<object, { readonly item: vscode.TreeItem; readonly appearance: string }>();

  constructor(
    private readonly rowsOf: (parent: object | undefined) => Promise<readonly object[]>,
    private readonly itemOf: (row: object) => Promise<vscode.TreeItem>,
    /** Returns the item of a row with the tooltip that the editor asks for later. */
    private readonly withTooltip: (item: vscode.TreeItem, row: object) => Promise<vscode.TreeItem>,
  ) {}

  /** Notes the rows that the editor received below `parent`. */
  noteRows(parent: object | undefined, rows: readonly object[]): void {
    const kept = new Set(rows);
    for (const row of this.rows.get(parent) ?? []) {
      if (!kept.has(row)) {
        this.forget(row);
      }
    }
    this.rows.set(parent, rows);
  }

  /** Returns the item of a row for the editor. */
  async item(row: object): Promise<vscode.TreeItem> {
    const { item, appearance } = this.changed.get(row) ?? (await this.made(row));
    this.changed.delete(row);
    this.appearances.set(row, { item: appearance });
    return item;
  }

  /** Returns the item with its tooltip for the editor, which keeps the tooltip. */
  async resolved(item: vscode.TreeItem, row: object): Promise<vscode.TreeItem> {
    const whole = await this.withTooltip(item, row);
    const appearance = this.appearances.get(row);
    if (appearance) {
      this.appearances.set(row, { ...appearance, tooltip: tooltipText(whole) });
    }
    return whole;
  }

  /** Returns the rows that differ from what the editor has; empty if none do. */
  async changes(): Promise<TreeChange> {
    this.dropMade();
    return this.changesBelow(undefined);
  }

  /** Has the editor get each row as it is by then. */
  dropMade(): void {
    this.changed = new WeakMap();
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
    const changed: object[] = [];
    for (const [index, row] of now.entries()) {
      if (index > 0 && index % slice === 0) {
        await otherWork();
      }
      changed.push(...(await this.changesOf(row)));
      if (changed.length > mostRows) {
        return parent === undefined ? undefined : [parent];
      }
    }
    return changed;
  }

  private async changesOf(row: object): Promise<readonly object[]> {
    const made = await this.made(row);
    if (await this.differs(row, made.appearance)) {
      this.changed.set(row, made);
      return [row];
    }
    this.changed.delete(row);
    return this.rows.has(row) ? ((await this.changesBelow(row)) ?? []) : [];
  }

  private async made(row: object) {
    const item = await this.itemOf(row);
    return { item, appearance: appearanceOf(item) };
  }

  private async differs(row: object, appearance: string): Promise<boolean> {
    if (this.appearances.get(row)?.item !== appearance) {
      return true;
    }
    const tooltip = this.appearances.get(row)?.tooltip;
    // The tooltip is written into an item of its own, because the editor asks for it again after a change.
    return (
      tooltip !== undefined && tooltip !== tooltipText(await this.withTooltip(await this.itemOf(row), row))
    );
  }

  private forget(row: object): void {
    for (const child of this.rows.get(row) ?? []) {
      this.forget(child);
    }
    this.rows.delete(row);
    this.appearances.delete(row);
    this.changed.delete(row);
  }
}

/** Returns everything of a row that is drawn, read aloud, or decides about its menu. */
function appearanceOf(item: vscode.TreeItem): string {
  return typeof item.tooltip !== 'object'
    ? JSON.stringify(item)
    : JSON.stringify(item, (name, value: unknown) =>
        name === 'tooltip' && value === item.tooltip ? tooltipText(item) : value,
      );
}

function tooltipText({ tooltip }: vscode.TreeItem): string {
  return (typeof tooltip === 'object' ? tooltip.value : tooltip) ?? '';
}
