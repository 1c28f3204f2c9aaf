import * as vscode from 'vscode';
import { plainRow } from './plainRow';
import type { LevelRow, ListLevel } from './quickLevels';
import { windowClock } from './windowClock';

/** An editor that has not told by then tells nothing. */
const toldWithinMs = 1000;

/** A list on the screen. */
export class QuickList {
  readonly widget = vscode.window.createQuickPick<LevelRow>();
  /** The rows that the editor may still show, since when others were set. */
  private before: { readonly rows: readonly LevelRow[]; readonly at: number } | undefined;

  constructor(readonly level: ListLevel) {
    const { widget } = this;
    // The editor has the switch without declaring it; where it is missing, rows are sorted by their label.
    if ('sortByLabel' in widget) {
      (widget as typeof widget & { sortByLabel: boolean }).sortByLabel = false;
    }
    widget.keepScrollPosition = true;
    widget.matchOnDescription = true;
    widget.matchOnDetail = true;
    widget.canSelectMany = level.many !== undefined;
    widget.onDidTriggerItemButton(({ item, button }) => {
      item.buttons?.find((one) => one === button)?.run();
    });
    widget.onDidChangeActive(([row]) => {
      const isLost = row === undefined && this.isUntold;
      this.before = undefined;
      if (row) {
        level.active?.(row);
      } else if (isLost) {
        // The row that was to be active is hidden by what was typed meanwhile. A new list begins at its first row.
        widget.items = [...widget.items];
      }
    });
  }

  /** The editor has not told yet which row of the new list is active. */
  private get isUntold(): boolean {
    return this.before !== undefined && windowClock().elapsed() - this.before.at <= toldWithinMs;
  }

  private get activeId(): string | undefined {
    return this.widget.activeItems[0]?.id;
  }

  /** True where they are to be renewed. */
  setWords(): boolean {
    const { placeholder } = this.level;
    this.widget.placeholder = typeof placeholder === 'string' ? placeholder : placeholder();
    return typeof placeholder !== 'string';
  }

  fill(): void {
    const { level, widget } = this;
    this.renew(this.activeId ?? level.activeId?.());
    if (level.many) {
      const { ticked } = level.many;
      widget.selectedItems = widget.items.filter(({ id = '' }) => ticked.includes(id));
    }
  }

  /** Makes the rows anew, which loses ticks. */
  renew(activeId = this.activeId): void {
    const { level, widget } = this;
    this.before ??= { rows: widget.items, at: windowClock().elapsed() };
    // Where the editor filters none out as well, an Enter that comes before the new rows is for the first place,
    // which is what was typed.
    const shown = level.followsTyping === true ? { alwaysShow: true } : {};
    const rows: readonly LevelRow[] = level.rows(widget.value).map((row) => ({ ...row, ...shown }));
    widget.items = rows.map(plainRow);
    const wanted = level.ownPlace ? level.ownPlace() : activeId;
    const active = widget.items.find(({ id }) => id !== undefined && id === wanted);
    if (active) {
      widget.activeItems = [active];
    }
    widget.busy = level.busy?.() ?? false;
  }

  typed(value: string): void {
    const { level } = this;
    level.typed?.(value);
    if (level.followsTyping) {
      this.renew(level.followsTyping === 'filtered' ? this.activeId : '');
    }
  }

  accept(): void {
    const { level, widget } = this;
    if (level.many) {
      const ids = widget.selectedItems.map(({ id }) => id).filter((id) => id !== undefined);
      const problem = level.many.problem?.(ids);
      if (problem === undefined) {
        level.many.accept(ids);
      } else {
        widget.title = problem;
      }
      return;
    }
    if (widget.activeItems.length === 0) {
      // The editor goes on to name the row that was accepted before.
      return;
    }
    const row = this.meant(widget.selectedItems[0]);
    if (row?.run && row.isGuarded && level.guard) {
      level.guard.accept(row.run);
    } else if (row?.run) {
      level.guard?.note();
      row.run();
    }
  }

  /**
   * The editor names a row by its place. Until it has told which row is active in the new list, an accept was
   * meant for the row at that place of the old one; where that is gone, nothing is done.
   */
  private meant(row: LevelRow | undefined): LevelRow | undefined {
    const { before, level, widget } = this;
    if (!row || !before || !this.isUntold || level.followsTyping) {
      return row;
    }
    const old = before.rows[widget.items.indexOf(row)];
    const isSame = old?.id === undefined ? old?.label === row.label : old.id === row.id;
    return isSame || old === undefined
      ? row
      : widget.items.find(({ id }) => id !== undefined && id === old.id);
  }
}
