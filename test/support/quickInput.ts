import type { Locator, Page } from 'playwright-core';
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
    await this.findInPalette(`>${title}`, this.row(title, '…?'));
    await this.pick(title, '…?');
  }

  /** Opens a file by its name. */
  async openFile(name: string): Promise<void> {
    // Without the sign for commands the palette finds files.
    await this.findInPalette(name, this.row(name));
    await this.pick(name);
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
          () => false,
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
    await this.clickRow(this.row(label, end), '.label-name', exactly(label, end));
  }

  /** Clicks the first row that says this somewhere. */
  async pickMatching(text: RegExp): Promise<void> {
    await this.clickRow(this.rows.filter({ hasText: text }).first(), ':scope', text);
  }

  /**
   * The editor shows every list with the same elements: what was the row of one list when it was looked for
   * may be a row of the next one when it is clicked. Such a click is kept from the page, and made again.
   */
  private async clickRow(row: Locator, part: '.label-name' | ':scope', text: RegExp): Promise<void> {
    await until(`a click on the row ${String(text)}`, async () => {
      const watch = await this.page.evaluateHandle<RowWatch>(keepFromOtherRows(part, text));
      try {
        await row.click();
        // A page that the click has replaced was the right one.
        return await watch.evaluate((each) => !each.hasMissed()).catch(() => true);
      } finally {
        await watch.evaluate((each) => each.end()).catch(() => undefined);
      }
    });
  }

  /** Fills the box; with `enter: false` leaves it open. */
  async type(text: string, { enter = true }: { enter?: boolean } = {}): Promise<void> {
    await this.input.fill(text);
    if (enter) await this.input.press('Enter');
  }

  /** Waits for a step by its title, which ends with its number where it has one. */
  async waitForTitle(title: string | RegExp): Promise<void> {
    await this.widget.locator('.quick-input-title', { hasText: title }).waitFor();
  }

  /** Presses Enter once the box takes keys and, in a list, once a row is chosen. */
  async enter({ isList = false }: { isList?: boolean } = {}): Promise<void> {
    await this.widget.locator('.quick-input-box input:focus').waitFor();
    if (isList) await this.widget.locator('.quick-input-list .monaco-list-row.focused').first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  async message(): Promise<string> {
    return (await this.widget.locator('.quick-input-message').innerText()).trim();
  }

  async back(): Promise<void> {
    await this.widget.locator('.quick-input-titlebar .action-label[aria-label^="Back"]').click();
  }

  /** A button in the title bar, by its tooltip. */
  titleButton(tooltip: string): Locator {
    return this.widget.locator(`.quick-input-titlebar .action-label[aria-label^="${tooltip}"]`);
  }

  /** What the rows in view say: label, description and detail, in one line each. */
  async rowTexts(): Promise<string[]> {
    await this.rows.first().waitFor();
    return (await this.rows.allInnerTexts()).map(inOneLine);
  }
}

interface RowWatch {
  hasMissed(): boolean;
  end(): void;
}

/** Runs in the page: stops mouse events on rows of another text. A text, for what runs there is no part of this program. */
const keepFromOtherRows = (part: '.label-name' | ':scope', { source, flags }: RegExp): string => `(() => {
  const wanted = new RegExp(${JSON.stringify(source)}, ${JSON.stringify(flags)});
  const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  let hasMissed = false;
  const check = (event) => {
    const row = event.target.closest('.quick-input-list .monaco-list-row');
    const shown = (${JSON.stringify(part)} === ':scope' ? row : row?.querySelector('.label-name'))?.textContent;
    if (shown !== undefined && !wanted.test(shown.replace(/\\s+/g, ' '))) {
      hasMissed = true;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  for (const type of types) addEventListener(type, check, true);
  return {
    hasMissed: () => hasMissed,
    end: () => {
      for (const type of types) removeEventListener(type, check, true);
    },
  };
})()`;

export function exactly(text: string, end = ''): RegExp {
  return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${end}\\s*$`);
}

export function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
