import type { Locator } from 'playwright-core';
import { appears, press } from './press';
import { until } from './until';
import type { View } from './view';
import type { Workbench } from './workbench';

/** The text editor in front, used by keyboard. */
export class DocumentEditor {
  constructor(private readonly workbench: Workbench) {}

  tab(file: string): Locator {
    return this.workbench.page.locator(`.tabs-container .tab[data-resource-name="${file}"]`);
  }

  private inFront(file: string): Locator {
    return this.workbench.page.locator(`.tab.active[data-resource-name="${file}"]`);
  }

  /**
   * Opens a file by its row. The editor forgets the command of a row while its list is renewed: a click in that moment
   * does nothing, and a user clicks again.
   */
  async openByRow(view: View, row: string, file: string, text?: string | RegExp): Promise<void> {
    await until(`${file} to open`, async () => {
      await view.pick(row);
      return appears(this.inFront(file), 5000);
    });
    await this.waitFor(file, text);
  }

  /** Waits until the file is in front and its text is shown. */
  async waitFor(file: string, text?: string | RegExp): Promise<void> {
    await this.inFront(file).waitFor();
    if (text !== undefined) {
      await this.line(text).waitFor();
    }
  }

  line(text: string | RegExp): Locator {
    // The editor shows no-break spaces for spaces.
    const shown = typeof text === 'string' ? text.replaceAll(' ', '\u00a0') : text;
    return this.workbench.page.locator('.editor-instance .view-line', { hasText: shown }).first();
  }

  async focus(): Promise<void> {
    await press(this.workbench.page.locator('.editor-instance .view-lines').last());
  }

  /**
   * Replaces the whole text in one step; pasting keeps it as it is, typing would indent and close brackets.
   * Returns once the editor holds the text, which is some time after the keys were pressed.
   */
  async replaceAll(text: string): Promise<void> {
    const { page } = this.workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await this.focus();
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await this.selectAll();
    await page.keyboard.press('Control+V');
    await until('the paste', async () => !(await this.hasSelection()) && (await this.hasText()));
    await until('the pasted text', async () => (await this.text()) === text);
  }

  private async selectAll(): Promise<void> {
    await this.workbench.page.keyboard.press('Control+A');
    await until(
      'the whole text to be selected',
      async () => (await this.hasSelection()) || !(await this.hasText()),
    );
  }

  private async hasSelection(): Promise<boolean> {
    return (await this.workbench.page.locator('.monaco-editor.focused .selected-text').count()) > 0;
  }

  private async hasText(): Promise<boolean> {
    const lines = await this.workbench.page.locator('.monaco-editor.focused .view-line').allInnerTexts();
    return lines.some((line) => line.trim() !== '');
  }

  /** The whole text, by way of the clipboard. Leaves the first lines in view. */
  async text(): Promise<string> {
    const { page } = this.workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate('navigator.clipboard.writeText("")');
    await this.focus();
    await this.selectAll();
    const text = await until('the text of the editor', async () => {
      await page.keyboard.press('Control+C');
      const copied: unknown = await page.evaluate('navigator.clipboard.readText()');
      return typeof copied === 'string' && copied !== '' ? copied : undefined;
    });
    await page.keyboard.press('Control+Home');
    return text;
  }

  async save(): Promise<void> {
    await this.workbench.page.keyboard.press('Control+S');
  }

  async isDirty(): Promise<boolean> {
    return (await this.workbench.page.locator('.tab.active.dirty').count()) > 0;
  }

  /** Whether the editor shows that the document in front cannot be edited: a sign that its style sheet draws. */
  async isLocked(): Promise<boolean> {
    return this.workbench.page.evaluate<boolean>(
      `[...document.querySelectorAll('.tab.active .monaco-icon-label')]
        .some((label) => getComputedStyle(label, '::after').content.includes('\\uebe7'))`,
    );
  }

  async saved(): Promise<void> {
    await until('the document to be saved', async () => !(await this.isDirty()));
  }

  /** Puts the cursor behind the first place of a text. */
  async goTo(text: string): Promise<void> {
    await press(this.line(text));
  }

  /** Opens the quick fixes at the first place of a text, and takes one. */
  async quickFix(at: string, title: string): Promise<void> {
    const { page } = this.workbench;
    const row = page.locator('.action-widget .monaco-list-row', { hasText: title }).first();
    await until(`the fix ${title}`, async () => {
      // The lines move when the text above the first one comes or goes.
      await this.goTo(at);
      await page.keyboard.press('Control+.');
      return row.waitFor({ timeout: 3000 }).then(
        () => true,
        async () => {
          await page.keyboard.press('Escape');
          return false;
        },
      );
    });
    await press(row);
  }

  lens(title: string): Locator {
    return this.workbench.page.locator('.codelens-decoration :is(a, span)', { hasText: title }).first();
  }

  /**
   * Clicks the text above the first line until it has its effect: that line is made again with each change, and a
   * click meanwhile is lost.
   */
  async press(title: string, effect: Locator | (() => boolean | Promise<boolean>)): Promise<void> {
    const hasEffect = () => (typeof effect === 'function' ? effect() : effect.first().isVisible());
    await until(
      `what "${title}" does`,
      async () => {
        await press(this.lens(title), { timeoutMs: 3000 }).catch(() => undefined);
        return until('its effect', hasEffect, { timeoutMs: 10_000 }).then(
          () => true,
          () => false,
        );
      },
      { timeoutMs: 30_000 },
    );
  }

  /** The first place that is underlined. */
  squiggle(kind: 'error' | 'warning' | 'info'): Locator {
    return this.workbench.page.locator(`.editor-instance .squiggly-${kind}`).first();
  }
}
