import type { Locator, Page } from 'playwright-core';
import { clickRow, press, pressEnter } from './press';
import { textsOf } from './rows';
import { until } from './until';

/** The command palette, quick picks and input boxes, which share one widget. */
export class QuickInput {
  readonly widget: Locator;
  readonly input: Locator;
  readonly rows: Locator;

  constructor(private readonly page: Page) {
    this.widget = page.locator('.quick-input-widget:visible');
    this.input = this.widget.locator('.quick-input-box input');
    this.rows = this.widget.locator('.quick-input-list .monaco-list-row');
  }

  /** Runs a command from the palette by its title, "Category: Title", with or without dots at its end. */
  async run(title: string): Promise<void> {
    const row = this.row(title, '…?');
    await until(`${title} to be run`, async () => {
      await this.findInPalette(`>${title}`, row);
      // The palette goes where something else takes the focus, as an opening window does.
      return clickRow(this.page, row, { comesWithinMs: 3000 }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && error.name === 'TimeoutError') {
            return false;
          }
          throw error;
        },
      );
    });
  }

  /** Opens a file by its name. */
  async openFile(name: string): Promise<void> {
    // Without the sign for commands the palette finds files.
    await this.findInPalette(name, this.row(name));
    await this.pick(name);
  }

  /** Opens the palette with something typed into it. */
  async open(typed: string): Promise<void> {
    await this.findInPalette(typed, this.widget);
  }

  private async findInPalette(text: string, row: Locator): Promise<void> {
    await until(`the command palette with ${text}`, async () => {
      // A key pressed while the focus moves is lost, and the palette goes when something else takes the focus.
      await this.page.keyboard.press('F1');
      return this.input
        .fill(text, { timeout: 2500 })
        .then(() => row.waitFor({ timeout: 5000 }))
        .then(
          () => true,
          // A palette that stays open lists what was known when it opened.
          () => this.page.keyboard.press('Escape').then(() => false),
        );
    });
  }

  /** The row with exactly this label, and what may follow it as a pattern. */
  row(label: string, end = ''): Locator {
    const name = this.page.locator('.label-name', { hasText: exactly(label, end) });
    return this.rows.filter({ has: name }).first();
  }

  /** Clicks the row with exactly this label, and what may follow it as a pattern. */
  async pick(label: string, end = ''): Promise<void> {
    await clickRow(this.page, this.row(label, end));
  }

  /** Clicks the first row that contains this text, or something inside it. */
  async pickMatching(text: string | RegExp, within?: string): Promise<void> {
    const row = this.rows.filter({ hasText: text }).first();
    await clickRow(this.page, row, within === undefined ? {} : { within });
  }

  /** Fills the box; with `enter: false` leaves it open. */
  async type(text: string, { enter = true }: { enter?: boolean } = {}): Promise<void> {
    await this.input.fill(text);
    if (enter) {
      await pressEnter(this.input);
    }
  }

  /** Waits for a step by its title, which ends with its number where it has one. */
  async waitForTitle(title: string | RegExp): Promise<void> {
    await this.title(title).waitFor();
  }

  title(title: string | RegExp): Locator {
    return this.widget.locator('.quick-input-title', { hasText: title });
  }

  /** Waits for a step whose title is that of the step before it. */
  async waitForPrompt(prompt: string | RegExp): Promise<void> {
    await this.widget.locator('.quick-input-message', { hasText: prompt }).waitFor();
  }

  /** Presses Enter once the box takes keys and, in a list, once a row is chosen. */
  async enter({ isList = false }: { isList?: boolean } = {}): Promise<void> {
    if (isList) {
      await this.widget.locator('.quick-input-list .monaco-list-row.focused').first().waitFor();
    }
    await pressEnter(this.widget);
  }

  async message(): Promise<string> {
    return (await this.widget.locator('.quick-input-message').innerText()).trim();
  }

  async back(): Promise<void> {
    await press(this.widget.locator('.quick-input-titlebar .action-label[aria-label^="Back"]'));
  }

  /** A button in the title bar, by its tooltip. */
  titleButton(tooltip: string): Locator {
    return this.widget.locator(`.quick-input-titlebar .action-label[aria-label^="${tooltip}"]`);
  }

  /** The text of the visible rows, from top to bottom: label, description and detail, in one line each. */
  async rowTexts(): Promise<string[]> {
    await this.rows.first().waitFor();
    return textsOf(this.rows);
  }
}

export function exactly(text: string, end = ''): RegExp {
  return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${end}\\s*$`);
}
