import * as vscode from 'vscode';
import { DisposableStore } from '../util/disposable';
import { keepOrder, setRows, type PickRow } from './quickPick';
import { comeBack } from './unasked';
import { windowClock } from './windowClock';

export interface LevelRow extends PickRow {
  /** Finds the row again after the list was made anew. */
  readonly id?: string;
  /** What Enter does; a row without it only informs. */
  readonly run?: () => void;
  readonly onButton?: (button: vscode.QuickInputButton) => void;
}

/** What one quick pick shows at a time. */
export interface Level {
  readonly title: string;
  readonly placeholder: string;
  rows(typed: string): readonly LevelRow[];
  /** The row to make active when the level opens. */
  activeId?(): string | undefined;
  /** `activeId` counts whenever rows are made, not only at first: the level follows the user itself. */
  readonly ownPlace?: boolean;
  /** Told what is typed, before the rows are made. */
  typed?(value: string): void;
  /** What the box holds when the level is shown again. */
  line?(): string;
  /** Several rows can be ticked; told their ids when they are accepted. */
  readonly many?: { readonly ticked: readonly string[]; accept(ids: readonly string[]): void };
  readonly buttons?: readonly LevelButton[];
  /** More rows are on their way. */
  busy?(): boolean;
  /** The rows follow what is typed, so they are made anew for each letter. */
  readonly followsTyping?: boolean;
  active?(row: LevelRow): void;
}

export interface LevelButton extends vscode.QuickInputButton {
  readonly run: () => void;
}

/** An editor that has not told by then tells nothing. */
const toldWithinMs = 1000;

/**
 * A quick pick with levels: deeper ones open in its place, and Back returns to the one before with
 * what was typed and active there. Escape closes it at any level.
 */
export class LevelPicker {
  private readonly store = new DisposableStore();
  private readonly picker: vscode.QuickPick<LevelRow>;
  private readonly levels: { readonly level: Level; line: string; activeId: string | undefined }[] = [];
  private closed: ((byUser: boolean) => void) | undefined;
  /** The rows that the editor may still show, since when others were set. */
  private before: { readonly rows: readonly LevelRow[]; readonly at: number } | undefined;

  constructor(private readonly firstCanGoBack: () => (() => void) | undefined = () => undefined) {
    this.picker = this.store.add(vscode.window.createQuickPick<LevelRow>());
    keepOrder(this.picker);
    this.picker.matchOnDescription = true;
    this.picker.matchOnDetail = true;
    this.store.add(this.picker.onDidAccept(() => this.accept()));
    this.store.add(this.picker.onDidChangeValue((value) => this.typed(value)));
    this.store.add(this.picker.onDidTriggerButton((button) => this.press(button)));
    this.store.add(
      this.picker.onDidTriggerItemButton(({ item, button }) => {
        item.onButton?.(button);
      }),
    );
    this.store.add(
      this.picker.onDidChangeActive(([row]) => {
        this.before = undefined;
        if (row) {
          this.top?.level.active?.(row);
        }
      }),
    );
    this.store.add(comeBack(this.picker, { ended: () => this.close(true) }));
  }

  /** Shows the level and resolves once the picker is closed: true when the user closed it. */
  open(level: Level): Promise<boolean> {
    return new Promise((resolve) => {
      this.closed = resolve;
      this.push(level);
      this.picker.show();
    });
  }

  close(byUser = false): void {
    const { closed } = this;
    this.closed = undefined;
    this.store.dispose();
    closed?.(byUser);
  }

  push(level: Level): void {
    this.remember();
    this.levels.push({ level, line: '', activeId: undefined });
    this.show();
  }

  /** Returns to the level before; at the first level it does nothing. */
  pop(): void {
    if (this.levels.length > 1) {
      this.levels.pop();
      this.show();
    }
  }

  /** Makes the rows of the level anew. */
  refresh(): void {
    this.remake(this.picker.activeItems[0]?.id);
  }

  private remake(activeId: string | undefined): void {
    const { top } = this;
    if (top && !top.level.many) {
      const rows = rowsOf(top.level, this.picker.value);
      const own = top.level.ownPlace === true ? top.level.activeId?.() : undefined;
      this.set(rows, own ?? activeId);
    }
  }

  set busy(busy: boolean) {
    this.picker.busy = busy;
  }

  set title(title: string) {
    this.picker.title = title;
  }

  isTop(level: Level): boolean {
    return this.top?.level === level;
  }

  private get top() {
    return this.levels[this.levels.length - 1];
  }

  private remember(): void {
    const { top } = this;
    if (top) {
      top.line = this.picker.value;
      top.activeId = this.picker.activeItems[0]?.id;
    }
  }

  private show(): void {
    const { top, picker } = this;
    if (!top) {
      return;
    }
    const { level } = top;
    const back = this.levels.length > 1 || this.firstCanGoBack() !== undefined;
    picker.title = level.title;
    picker.placeholder = level.placeholder;
    picker.buttons = [...(back ? [vscode.QuickInputButtons.Back] : []), ...(level.buttons ?? [])];
    picker.canSelectMany = level.many !== undefined;
    picker.busy = level.busy?.() ?? false;
    const line = level.line?.() ?? top.line;
    picker.value = line;
    const rows = rowsOf(level, line);
    const own = level.activeId?.();
    this.set(rows, level.ownPlace === true ? own : (top.activeId ?? own));
    if (level.many) {
      const { ticked } = level.many;
      picker.selectedItems = picker.items.filter((row) => row.id !== undefined && ticked.includes(row.id));
    }
  }

  private accept(): void {
    const { top } = this;
    if (top?.level.many) {
      const ids = this.picker.selectedItems.map((row) => row.id).filter((id) => id !== undefined);
      top.level.many.accept(ids);
      return;
    }
    this.meant(this.picker.selectedItems[0])?.run?.();
  }

  private set(rows: readonly LevelRow[], activeId: string | undefined): void {
    this.before ??= { rows: this.picker.items, at: windowClock().now() };
    setRows(this.picker, rows, activeId);
  }

  /**
   * The editor names a row by its place. Until it has told which row is active in the new list, an accept was
   * meant for the row at that place of the old one; where that is gone, nothing is done.
   */
  private meant(row: LevelRow | undefined): LevelRow | undefined {
    const { before, picker, top } = this;
    if (
      !row ||
      !before ||
      windowClock().now() - before.at > toldWithinMs ||
      top?.level.followsTyping === true
    ) {
      return row;
    }
    const old = before.rows[picker.items.indexOf(row)];
    const isSame = old?.id === undefined ? old?.label === row.label : old.id === row.id;
    return isSame || old === undefined
      ? row
      : picker.items.find(({ id }) => id !== undefined && id === old.id);
  }

  private typed(value: string): void {
    const { top } = this;
    top?.level.typed?.(value);
    if (top?.level.followsTyping === true && this.isTop(top.level)) {
      this.remake(undefined);
    }
  }

  private press(button: vscode.QuickInputButton): void {
    if (button !== vscode.QuickInputButtons.Back) {
      this.top?.level.buttons?.find((one) => one === button)?.run();
      return;
    }
    if (this.levels.length > 1) {
      this.pop();
    } else {
      this.firstCanGoBack()?.();
    }
  }
}

/**
 * Where rows follow what is typed none is filtered out by the editor as well: then an Enter that comes before
 * the new rows is for the first place, which is what was typed.
 */
function rowsOf(level: Level, typed: string): readonly LevelRow[] {
  const rows = level.rows(typed);
  return level.followsTyping === true ? rows.map((row) => ({ ...row, alwaysShow: true })) : rows;
}
