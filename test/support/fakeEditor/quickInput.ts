import type * as vscode from 'vscode';
import { FakeEventEmitter } from './events';
import { FakeThemeIcon } from './values';

export const backButton: vscode.QuickInputButton = {
  iconPath: new FakeThemeIcon('arrow-left'),
  tooltip: 'Back',
};

type ShownInput = FakeInputBox | FakeQuickPick<vscode.QuickPickItem>;

/** The one place of a window in which quick picks and input boxes are shown, one at a time. */
export class QuickInputPlace {
  current: ShownInput | undefined;

  /** As if a user clicked elsewhere, which closes what does not ignore that. */
  loseFocus(): void {
    if (this.current?.ignoreFocusOut === false) {
      this.current.leave();
    }
  }
}

/** What lists and boxes have in common. */
export abstract class FakeQuickInput implements vscode.QuickInput {
  title: string | undefined;
  step: number | undefined;
  totalSteps: number | undefined;
  enabled = true;
  busy = false;
  ignoreFocusOut = false;
  placeholder: string | undefined;
  buttons: readonly vscode.QuickInputButton[] = [];
  private isVisible = false;
  private reportsHide = false;
  protected typed = '';
  protected readonly valueChanged = new FakeEventEmitter<string>();
  private readonly buttonPressed = new FakeEventEmitter<vscode.QuickInputButton>();
  private readonly hidden = new FakeEventEmitter<undefined>();
  readonly onDidChangeValue = this.valueChanged.event;
  readonly onDidTriggerButton = this.buttonPressed.event;
  readonly onDidHide = this.hidden.event as vscode.Event<void>;

  constructor(protected readonly place: QuickInputPlace) {}

  get value(): string {
    return this.typed;
  }

  set value(value: string) {
    this.typed = value;
  }

  show(): void {
    const before = this.place.current;
    if (before !== this.self) {
      before?.leave();
    }
    this.place.current = this.self;
    this.isVisible = true;
    this.reportsHide = true;
  }

  hide(): void {
    this.isVisible = false;
    this.leave();
  }

  /** As if a user pressed Escape, or another question took the place. */
  leave(): void {
    if (this.place.current !== this.self) {
      return;
    }
    this.place.current = undefined;
    this.reportHidden();
  }

  dispose(): void {
    if (this.place.current === this.self) {
      this.place.current = undefined;
    }
    this.reportHidden();
    this.reportsHide = false;
  }

  /** As the editor, which tells a disposal again if the product did not hide the input itself. */
  private reportHidden(): void {
    if (!this.reportsHide) {
      return;
    }
    this.reportsHide = this.isVisible;
    this.hidden.fire(undefined);
  }

  /** There are no other kinds than the two below. */
  protected get self(): ShownInput {
    return this as unknown as ShownInput;
  }

  /** As if a user typed over what stands there. */
  type(text: string): void {
    if (!this.enabled) {
      throw new Error(`"${String(this.title)}" takes no input now`);
    }
    this.typed = text;
    this.valueChanged.fire(text);
  }

  /** Presses the button in the title whose tooltip begins so. */
  pressButton(tooltip: string): void {
    const button = this.buttons.find((one) => one.tooltip?.startsWith(tooltip));
    if (!button) {
      const there = this.buttons.map((one) => one.tooltip).join(', ');
      throw new Error(`"${String(this.title)}" has no button "${tooltip}"; it has: ${there}`);
    }
    this.buttonPressed.fire(button);
  }

  /** The text below or in the box. */
  abstract get message(): string;
  abstract accept(): void;
}

export class FakeInputBox extends FakeQuickInput implements vscode.InputBox {
  password = false;
  prompt: string | undefined;
  valueSelection: readonly [number, number] | undefined;
  validationMessage: string | vscode.InputBoxValidationMessage | undefined;
  private readonly accepted = new FakeEventEmitter<undefined>();
  readonly onDidAccept = this.accepted.event as vscode.Event<void>;

  get message(): string {
    const { validationMessage: problem } = this;
    const text = typeof problem === 'object' ? problem.message : problem;
    return text !== undefined && text !== '' ? text : (this.prompt ?? '');
  }

  accept(): void {
    if (!this.enabled) {
      return;
    }
    this.accepted.fire(undefined);
  }
}

const separator: vscode.QuickPickItemKind = -1;

export class FakeQuickPick<T extends vscode.QuickPickItem>
  extends FakeQuickInput
  implements vscode.QuickPick<T>
{
  canSelectMany = false;
  matchOnDescription = false;
  matchOnDetail = false;
  keepScrollPosition = false;
  prompt: string | undefined;
  /** The editor has it without declaring it. */
  sortByLabel = true;
  private rows: readonly T[] = [];
  private active: readonly T[] = [];
  private selected: readonly T[] = [];
  private wanted: T | undefined;
  private isReporting = false;
  /** What is typed has changed, which first leaves no row active. */
  private isFiltered = false;
  /** The rows are new, and begin at the first one, before one of them is made active. */
  private isRenewed = false;
  private readonly activeChanged = new FakeEventEmitter<readonly T[]>();
  private readonly selectionChanged = new FakeEventEmitter<readonly T[]>();
  private readonly itemButtonPressed = new FakeEventEmitter<vscode.QuickPickItemButtonEvent<T>>();
  private readonly accepted = new FakeEventEmitter<undefined>();
  readonly onDidAccept = this.accepted.event as vscode.Event<void>;
  readonly onDidChangeActive = this.activeChanged.event;
  readonly onDidChangeSelection = this.selectionChanged.event;
  readonly onDidTriggerItemButton = this.itemButtonPressed.event;

  get message(): string {
    return this.placeholder ?? '';
  }

  get items(): readonly T[] {
    return this.rows;
  }

  set items(rows: readonly T[]) {
    // What is set in one turn reaches the editor at once, and rows are known there by their place.
    const place = this.wanted === undefined ? -1 : this.rows.indexOf(this.wanted);
    this.rows = rows;
    this.wanted = rows[place];
    this.isRenewed = true;
    if (this.canSelectMany) {
      this.selected = this.selected.filter((row) => rows.includes(row));
    }
    this.reportActiveLater();
  }

  get activeItems(): readonly T[] {
    return this.active;
  }

  set activeItems(rows: readonly T[]) {
    this.wanted = rows.find((row) => this.rows.includes(row));
    this.active = this.wanted === undefined ? [] : [this.wanted];
    this.reportActiveLater();
  }

  get selectedItems(): readonly T[] {
    return this.selected;
  }

  set selectedItems(rows: readonly T[]) {
    this.selected = rows.filter((row) => this.rows.includes(row));
  }

  override get value(): string {
    return super.value;
  }

  override set value(value: string) {
    super.value = value;
    this.isFiltered = true;
    this.reportActiveLater();
  }

  override type(text: string): void {
    super.type(text);
    this.isFiltered = true;
    this.wanted = undefined;
    this.reportActiveLater();
  }

  /** The rows that the editor's filter leaves, without separators. */
  visible(): readonly T[] {
    const typed = this.value.trim().toLowerCase();
    return this.rows.filter((row) => {
      if (row.kind === separator) {
        return false;
      }
      if (typed === '' || row.alwaysShow === true) {
        return true;
      }
      const parts = [
        row.label,
        this.matchOnDescription ? row.description : undefined,
        this.matchOnDetail ? row.detail : undefined,
      ];
      return parts.some((part) => part?.toLowerCase().includes(typed));
    });
  }

  /** Moves the cursor to a row, as the arrow keys do. */
  move(row: T): void {
    this.wanted = undefined;
    this.active = [row];
    this.activeChanged.fire([row]);
  }

  /** Names a row, or none, as active before the last changes of the product have reached the editor. */
  reportEarly(row: T | undefined): void {
    this.active = row ? [row] : [];
    this.activeChanged.fire(this.active);
  }

  accept(): void {
    if (!this.enabled) {
      return;
    }
    // The editor keeps the row before where none is active.
    if (!this.canSelectMany && this.active.length > 0) {
      this.selected = this.active.slice(0, 1);
      this.selectionChanged.fire(this.selected);
    }
    this.accepted.fire(undefined);
  }

  /** A click on a row at a place that the product's new rows, which are on their way, no longer have. */
  clickGone(): void {
    this.reportEarly(undefined);
    this.selected = [];
    this.selectionChanged.fire([]);
    this.accepted.fire(undefined);
  }

  /** Ticks or unticks a row of a list in which many can be chosen. */
  toggle(row: T): void {
    this.selected = this.selected.includes(row)
      ? this.selected.filter((other) => other !== row)
      : [...this.selected, row];
    this.selectionChanged.fire(this.selected);
  }

  pressItemButton(row: T, tooltip: string): void {
    const button = row.buttons?.find((one) => one.tooltip?.startsWith(tooltip));
    if (!button) {
      throw new Error(`"${row.label}" has no button "${tooltip}"`);
    }
    this.itemButtonPressed.fire({ item: row, button });
  }

  /**
   * The editor names the active row one turn later, and again for each new list. A timer sends what is set in a turn,
   * so timers that are set after it run later.
   */
  private reportActiveLater(): void {
    if (this.isReporting) {
      return;
    }
    this.isReporting = true;
    const report = () => {
      clearImmediate(soon);
      clearTimeout(late);
      this.isReporting = false;
      this.reportActive();
    };
    const [soon, late] = [setImmediate(report), setTimeout(report, 0)];
  }

  private reportActive(): void {
    const shown = this.visible();
    const { wanted } = this;
    this.wanted = undefined;
    const next = wanted === undefined ? shown.slice(0, 1) : shown.filter((row) => row === wanted);
    if (this.isFiltered && this.active.length > 0) {
      this.active = [];
      this.activeChanged.fire([]);
    }
    this.isFiltered = false;
    const [first] = shown;
    if (this.isRenewed && wanted !== undefined && first !== undefined && first !== next[0]) {
      this.active = [first];
      this.activeChanged.fire(this.active);
    }
    this.isRenewed = false;
    const [before] = this.active;
    this.active = next;
    if (next[0] !== before || wanted !== undefined) {
      this.activeChanged.fire(next);
    }
  }
}

/** The text of a row, in one line, without its icons. */
export function rowText(row: vscode.QuickPickItem): string {
  return [row.label, row.description, row.detail]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .replace(/\$\([a-z0-9~-]+\)\s?/g, '');
}
