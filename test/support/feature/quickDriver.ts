import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { FakeQuickPick, rowText, type FakeInputBox } from '../fakeEditor/quickInput';
import type { Screen } from '../fakeEditor/screen';
import type { Computer } from './computer';
import { fits, type Wanted } from './wanted';

type Row = vscode.QuickPickItem;

/** The quick pick or input box that is open, used as by the keyboard. */
export class QuickDriver {
  constructor(
    private readonly screen: Screen,
    private readonly computer: Computer,
  ) {}

  /** What is open now. */
  get open(): FakeInputBox | FakeQuickPick<Row> {
    const { current } = this.screen.quick;
    assert.ok(current, 'no list or box is open');
    return current;
  }

  get isOpen(): boolean {
    return this.screen.quick.current !== undefined;
  }

  /** True where a list is open, false for a box. */
  get isList(): boolean {
    return this.screen.quick.current instanceof FakeQuickPick;
  }

  private get list(): FakeQuickPick<Row> {
    const { open } = this;
    assert.ok(open instanceof FakeQuickPick, `"${open.title ?? ''}" is no list`);
    return open;
  }

  /** Waits for the step with this title. */
  async title(text: Wanted): Promise<void> {
    await this.computer.until(`a step with the title ${String(text)}`, () => {
      const title = this.screen.quick.current?.title;
      return title !== undefined && fits(title, text);
    });
  }

  /** The text of the rows that the filter leaves, in one line each. */
  rows(): string[] {
    const { current } = this.screen.quick;
    return current instanceof FakeQuickPick ? current.visible().map(rowText) : [];
  }

  /** The text of the separators, from top to bottom. */
  headings(): string[] {
    const { current } = this.screen.quick;
    const rows = current instanceof FakeQuickPick ? current.items : [];
    return rows.filter(({ kind }) => kind === -1).map(({ label }) => label);
  }

  /** The row in whose line the editor shows a separator. */
  rowUnder(heading: Wanted): string | undefined {
    const { items } = this.list;
    const at = items.findIndex(({ kind, label }) => kind === -1 && fits(label, heading));
    const row = at < 0 ? undefined : items[at + 1];
    return row && rowText(row);
  }

  /** The text of the row at the cursor. */
  activeRow(): string | undefined {
    const [row] = this.list.activeItems;
    return row && rowText(row);
  }

  async row(text: Wanted): Promise<Row> {
    return this.computer.until(`a row with ${String(text)}`, () => {
      const { current } = this.screen.quick;
      return current instanceof FakeQuickPick
        ? current.visible().find((row) => fits(rowText(row), text))
        : undefined;
    });
  }

  /** Moves to the row with this text, and presses Enter. */
  async pick(text: Wanted): Promise<void> {
    const row = await this.row(text);
    this.list.move(row);
    this.list.accept();
    await this.computer.rest();
  }

  /** Moves the cursor to a row. */
  async move(text: Wanted): Promise<void> {
    this.list.move(await this.row(text));
  }

  /** The text of the ticked rows, in the order in which they were ticked. */
  ticked(): string[] {
    return this.list.selectedItems.map(rowText);
  }

  /** Ticks the rows of a list of many with these texts, and no others; Enter is pressed apart. */
  async tick(...texts: Wanted[]): Promise<void> {
    const rows = await Promise.all(texts.map((text) => this.row(text)));
    const { list } = this;
    assert.ok(list.canSelectMany, `one row only can be chosen in "${list.title ?? ''}"`);
    for (const row of list.visible()) {
      if (rows.includes(row) !== list.selectedItems.includes(row)) {
        list.toggle(row);
      }
    }
  }

  /** Types over the text in the box; Enter follows by default. */
  async type(text: string, { enter = true }: { readonly enter?: boolean } = {}): Promise<void> {
    await this.computer.until('a list or box', () => this.isOpen);
    this.open.type(text);
    if (enter) {
      await this.enter();
    } else {
      await this.computer.rest();
    }
  }

  /** Presses Enter once the active row is named. */
  async enter(): Promise<void> {
    await this.computer.rest();
    this.open.accept();
    await this.computer.rest();
  }

  /** Waits for the text below or in the box. */
  async message(text: Wanted): Promise<string> {
    return this.computer.until(`the words ${String(text)} at the box`, () => {
      const message = this.screen.quick.current?.message;
      return message !== undefined && fits(message, text) ? message : undefined;
    });
  }

  async back(): Promise<void> {
    await this.button('Back');
  }

  /** Presses a button of the title by its tooltip. */
  async button(tooltip: string): Promise<void> {
    this.open.pressButton(tooltip);
    await this.computer.rest();
  }

  /** Presses a button of a row by its tooltip. */
  async rowButton(text: Wanted, tooltip: string): Promise<void> {
    const row = await this.row(text);
    this.list.pressItemButton(row, tooltip);
    await this.computer.rest();
  }

  escape(): void {
    this.screen.quick.current?.leave();
  }
}
