import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type * as vscode from 'vscode';
import { FakeQuickPick, rowText } from './fakeEditor/quickInput';
import type { Screen } from './fakeEditor/screen';

/** Lists and boxes of one file of the source, used as by the keyboard; nothing waits for time there. */
export class OnQuick {
  constructor(private readonly screen: Screen) {}

  private get list(): FakeQuickPick<vscode.QuickPickItem> {
    const { current } = this.screen.quick;
    assert.ok(current instanceof FakeQuickPick, `no list is open, but ${current?.title ?? 'nothing'}`);
    return current;
  }

  async flush(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
    }
  }

  get title(): string | undefined {
    return this.screen.quick.current?.title;
  }

  /** The text in the box. */
  get value(): string | undefined {
    return this.screen.quick.current?.value;
  }

  /** The text below the title or the box. */
  get message(): string | undefined {
    return this.screen.quick.current?.message;
  }

  /** The label of the row at the cursor. */
  get active(): string | undefined {
    const [row] = this.list.activeItems;
    return row && rowText({ label: row.label });
  }

  async rows(): Promise<readonly string[]> {
    await this.flush();
    return this.list.visible().map(rowText);
  }

  private row(label: string): vscode.QuickPickItem {
    const row = this.list.visible().find((one) => rowText({ label: one.label }) === label);
    assert.ok(row, `no row "${label}" in ${this.list.items.map((one) => one.label).join(', ')}`);
    return row;
  }

  async pick(label: string): Promise<void> {
    await this.flush();
    this.list.move(this.row(label));
    await this.enter();
  }

  /** Presses the button of a row with this tooltip. */
  async pressIn(label: string, tooltip: string): Promise<void> {
    await this.flush();
    this.list.pressItemButton(this.row(label), tooltip);
    await this.flush();
  }

  async back(): Promise<void> {
    await this.flush();
    this.screen.quick.current?.pressButton('Back');
    await this.flush();
  }

  /** Types into the box and returns its text then. */
  async type(text: string): Promise<string | undefined> {
    await this.flush();
    this.screen.quick.current?.type(text);
    await this.flush();
    return this.screen.quick.current?.message;
  }

  async enter(): Promise<void> {
    await this.flush();
    this.screen.quick.current?.accept();
    await this.flush();
  }

  async escape(): Promise<void> {
    await this.flush();
    this.screen.quick.current?.leave();
    await this.flush();
  }
}
