import type { Locator, Page } from 'playwright-core';
import { appears, clickRow, press, pressButton } from './press';
import { exactly } from './quickInput';
import { inOneLine, textsOf } from './rows';
import { pause, until } from './until';

/** One view of the side bar: its rows, actions and welcome text. */
export class View {
  readonly pane: Locator;
  readonly header: Locator;
  /** Rows near the visible part; the list does not keep the others in the page. */
  readonly rows: Locator;
  readonly welcome: Locator;

  constructor(
    private readonly page: Page,
    name: string,
  ) {
    // The label of the header changes with the description of the view; its title does not.
    this.header = page
      .locator('.pane-header')
      .filter({ has: page.locator('h3.title', { hasText: exactly(name) }) });
    this.pane = page.locator('.pane').filter({ has: this.header });
    this.rows = this.pane.locator('.monaco-list-row[role="treeitem"]');
    this.welcome = this.pane.locator('.welcome-view-content');
  }

  open(): Promise<void> {
    return this.toggle(true);
  }

  /** Leaves its room to the other views. */
  close(): Promise<void> {
    return this.toggle(false);
  }

  private async toggle(wanted: boolean): Promise<void> {
    const isDone = async () => (await this.header.getAttribute('aria-expanded')) === String(wanted);
    // A window that is just being put together may open it as well, and a click would close it again.
    await until(`the view to ${wanted ? 'open' : 'close'}`, async () => {
      if (await isDone()) {
        return true;
      }
      await press(this.header);
      return isDone();
    });
  }

  row(text: string | RegExp): Locator {
    return this.rows.filter({ hasText: text }).first();
  }

  /** The text of the visible rows, from top to bottom. */
  async rowTexts(): Promise<string[]> {
    return textsOf(this.rows);
  }

  /** Clicks the first row that contains this text. */
  async pick(text: string | RegExp): Promise<void> {
    await clickRow(this.page, this.row(text));
  }

  async expand(row: Locator): Promise<void> {
    if ((await row.getAttribute('aria-expanded')) === 'true') {
      return;
    }
    await clickRow(this.page, row, { within: '.monaco-tl-twistie' });
    await until('the row to open', async () => (await row.getAttribute('aria-expanded')) === 'true');
  }

  /**
   * Clicks an action of a row until its effect is shown. The editor drops a click, without a word, where it draws the
   * row anew in that moment, and a user clicks again.
   */
  async inlineAction(row: Locator, label: string, effect: Locator): Promise<void> {
    const button = `.actions .action-label[aria-label^="${label}"]`;
    await until(
      `what ${label} shows`,
      async () => {
        await row.hover();
        await pressButton(this.page, row.locator(button), button);
        return appears(effect, 15_000);
      },
      { timeoutMs: 45_000 },
    );
  }

  /** A button in the title of the view, by its tooltip. */
  async titleAction(label: string): Promise<void> {
    await this.pane.hover();
    await press(this.pane.locator(`.pane-header .action-label[aria-label^="${label}"]`));
  }

  async contextMenu(row: Locator, item: string | RegExp): Promise<void> {
    await until(`the menu item ${String(item)}`, async () => {
      const menu = await this.openMenu(row);
      const entry = menu.locator('.action-menu-item', { hasText: item });
      if ((await entry.count()) === 0) {
        await this.openSubmenuWith(menu, entry);
      }
      // A menu closes by itself where the focus moves, as it does when a document opens meanwhile.
      return press(entry, { timeoutMs: 3000 }).then(
        () => true,
        () => this.page.keyboard.press('Escape').then(() => false),
      );
    });
    await this.page.locator('.context-view .monaco-menu').first().waitFor({ state: 'detached' });
  }

  private async openSubmenuWith(menu: Locator, entry: Locator): Promise<void> {
    for (const parent of await menu.locator('.action-menu-item[aria-haspopup="true"]').all()) {
      await press(parent, { timeoutMs: 3000 }).catch(() => undefined);
      if (await appears(entry, 1000)) {
        break;
      }
    }
    // As in `openMenu`.
    await pause(150);
  }

  /** What the context menu of a row offers. */
  async menuTexts(row: Locator): Promise<string[]> {
    const menu = await this.openMenu(row);
    const texts = (await menu.locator('.action-menu-item').allInnerTexts()).map(inOneLine);
    await this.page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    return texts;
  }

  async welcomeButton(label: string): Promise<void> {
    await press(this.welcome.locator('.monaco-button', { hasText: label }));
  }

  private async openMenu(row: Locator): Promise<Locator> {
    await clickRow(this.page, row, { button: 'right' });
    const menu = this.page.locator('.context-view .monaco-menu').first();
    await menu.waitFor();
    // Menus ignore the mouse in their first 100 ms.
    await pause(150);
    return menu;
  }
}
