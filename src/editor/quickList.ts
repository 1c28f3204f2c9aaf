import * as vscode from 'vscode';
import { MutableDisposable, type Disposable } from '../util/disposable';
import { t } from './localize';
import { plainRow } from './plainRow';
import type { LevelRow, ListLevel } from './quickLevels';
import { editorElapsed, windowParts } from './windowParts';

/** After this time (ms), the editor no longer reports an active row. */
const activeWithinMs = 1000;

/** The list that is shown. */
export class QuickList {
  readonly widget = vscode.window.createQuickPick<LevelRow>();
  /** The rows that the editor may still show, and when new rows replaced them. */
  private before: { readonly rows: readonly LevelRow[]; readonly at: number } | undefined;
  /** The next look at the active row. */
  private readonly nextCheck = new MutableDisposable<Disposable>();
  /** True since a row was made active, which leaves the editor without an active row if the typed text hides it. */
  private isPlaced = false;
  /** The row that was active last. */
  private lastId: string | undefined;
  /** An Enter for the row that was active before the editor was left without one. */
  private held: { readonly id: string | undefined; readonly typed: string; readonly at: number } | undefined;

  constructor(readonly level: ListLevel) {
    const { widget } = this;
    // The editor has this property without declaring it; without it, rows are sorted by label.
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
    widget.onDidChangeSelection(([row]) => {
      // An Enter without an active row selects nothing; this is a click on a row that is gone by now.
      this.lastId = row ? this.lastId : undefined;
    });
    widget.onDidChangeActive(([row]) => {
      this.before = undefined;
      if (row) {
        level.active?.(row);
      }
      this.checkLater();
    });
  }

  /** True until the editor reports the active row of the new list. */
  private get isActiveUnknown(): boolean {
    return this.before !== undefined && editorElapsed() - this.before.at <= activeWithinMs;
  }

  private get activeId(): string | undefined {
    return this.widget.activeItems[0]?.id;
  }

  /** Sets the texts; returns true if they need renewing. */
  setTexts(): boolean {
    const { placeholder } = this.level;
    this.widget.placeholder = typeof placeholder === 'string' ? placeholder : placeholder();
    return typeof placeholder !== 'string';
  }

  fill(): void {
    const { level, widget } = this;
    this.held = undefined;
    this.renew(this.activeId ?? level.activeId?.());
    if (level.many) {
      const { ticked } = level.many;
      widget.selectedItems = widget.items.filter(({ id = '' }) => ticked.includes(id));
    }
  }

  /** Renews the rows, which loses ticks. */
  renew(activeId = this.activeId): void {
    const { level, widget } = this;
    this.before ??= { rows: widget.items, at: editorElapsed() };
    // If the editor filters no rows, an Enter before the new rows arrive is meant for the first row, which is the typed
    // text.
    const shown = level.followsTyping === true ? { alwaysShow: true } : {};
    const rows: readonly LevelRow[] = level.rows(widget.value).map((row) => ({ ...row, ...shown }));
    widget.items = rows.map(plainRow);
    const wanted = level.ownPlace ? level.ownPlace() : activeId;
    const active = widget.items.find(({ id }) => id !== undefined && id === wanted);
    if (active) {
      widget.activeItems = [active];
      this.isPlaced = true;
    }
    widget.busy = level.busy?.() ?? false;
  }

  /**
   * Looks at the active row in the next turn. The editor is sent together what is set in one turn, and reports several
   * rows in one: for new rows first the first of them, and a row that it finds before the text that was typed for it.
   * A report puts the look off: what was set before it has been sent by then.
   */
  private checkLater(): void {
    this.nextCheck.value = windowParts().clock.schedule(() => this.check(), 0);
  }

  private check(): void {
    const { held, level, widget } = this;
    const [row] = widget.activeItems;
    if (row) {
      this.held = undefined;
      this.lastId = row.id;
      const isMeant = held?.id !== undefined && held.id === row.id && held.typed === widget.value;
      if (isMeant && editorElapsed() - held.at <= activeWithinMs) {
        this.run(row);
      }
    } else if (this.isPlaced && !level.many) {
      // A new list starts at its first row, without ticks.
      this.isPlaced = false;
      widget.items = [...widget.items];
    }
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
      // The editor still reports the row that was accepted before.
      this.held = { id: this.lastId, typed: widget.value, at: editorElapsed() };
      return;
    }
    this.run(this.meant(widget.selectedItems[0]));
  }

  private run(row: LevelRow | undefined): void {
    const { guard } = this.level;
    if (row?.run && row.isGuarded && guard) {
      if (!guard.accept(row.run)) {
        this.widget.placeholder = t('Press Enter once: a repeated Enter does nothing');
      }
    } else if (row?.run) {
      guard?.note();
      row.run();
    }
  }

  /**
   * Returns the row that an accept was meant for. The editor identifies rows by position: until it reports the active
   * row of the new list, the position refers to the old list. Returns `undefined` if that row is gone.
   */
  private meant(row: LevelRow | undefined): LevelRow | undefined {
    const { before, level, widget } = this;
    if (!row || !before || !this.isActiveUnknown || level.followsTyping) {
      return row;
    }
    const old = before.rows[widget.items.indexOf(row)];
    const isSame = old?.id === undefined ? old?.label === row.label : old.id === row.id;
    return isSame || old === undefined
      ? row
      : widget.items.find(({ id }) => id !== undefined && id === old.id);
  }
}
