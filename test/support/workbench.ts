import path from 'node:path';
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import type { EditorHost } from './editorHost';
import { repository } from './installed';
import { appears, press, pressButton, pressEnter } from './press';
import { QuickInput } from './quickInput';
import { showTheme, wantedThemes } from './theme';
import { isOfTrace } from './trace';
import { until } from './until';
import { View } from './view';

/** Marks what comes from the extension among all that an editor reports: its id stands in prefixes and stacks. */
const ownTrace = /gpu-?rental/i;

/** One window of the editor, used through its page by mouse and keyboard. */
export class Workbench {
  readonly quick: QuickInput;
  readonly toasts: Locator;
  readonly dialog: Locator;
  /** Errors of the extension that the page reported. */
  readonly errors: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly screenshots: string,
  ) {
    page.setDefaultTimeout(20_000);
    // A window loads thousands of files, which takes a busy machine long; nothing else is waited for meanwhile.
    page.setDefaultNavigationTimeout(60_000);
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && ownTrace.test(text) && !isOfTrace(text)) {
        this.errors.push(text);
      }
    });
    page.on('pageerror', (error) => this.errors.push(error.message));
    this.quick = new QuickInput(page);
    this.toasts = page.locator('.notifications-toasts .notification-list-item');
    this.dialog = page.locator('.monaco-dialog-box');
  }

  /** Opens a window; `name` is the folder of its screenshots. */
  static async open(
    profile: BrowserContext,
    host: EditorHost,
    name: string,
    options: Parameters<EditorHost['windowUrl']>[0] = {},
  ): Promise<Workbench> {
    const page = await profile.newPage();
    const workbench = Workbench.of(page, name);
    await page.goto(host.windowUrl(options));
    await workbench.ready();
    return workbench;
  }

  /** The window of a page that the editor itself opened. */
  static of(page: Page, name: string): Workbench {
    return new Workbench(page, name);
  }

  /** Settles when the frame of the window stands; extensions start later. */
  async ready(): Promise<void> {
    await this.page
      .locator('.monaco-workbench .part.statusbar .statusbar-item')
      .first()
      .waitFor({ timeout: 60_000 });
  }

  /** A picture of the window, or one in each of the themes that are wanted; a change of the theme closes a hover. */
  async shot(name: string, before?: () => Promise<unknown>): Promise<void> {
    await this.inThemes(async (theme) => {
      await before?.();
      await this.picture(path.join(theme, this.screenshots), name);
    });
  }

  /** Draws the side bar so wide that rows show all of their text. */
  async widenSideBar(): Promise<void> {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (!box) {
      throw new Error('There is no side bar.');
    }
    const { mouse } = this.page;
    await mouse.move(box.x + box.width, box.y + 300);
    await mouse.down();
    await mouse.move(760, box.y + 300, { steps: 3 });
    await mouse.up();
    await mouse.move(1000, 500);
  }

  /** Does something in each of the themes that are wanted; in an ordinary run once, in the one that is shown. */
  async inThemes(act: (theme: string) => Promise<void>): Promise<void> {
    const themes = wantedThemes();
    for (const theme of themes) {
      await showTheme(this.page, theme);
      await act(theme);
    }
    if (themes.length === 0) {
      await act('');
    }
  }

  private async picture(folder: string, name: string): Promise<void> {
    const file = path.join(repository, '.screenshots', folder, `${name}.png`);
    // What fades in is shown whole.
    await this.page.screenshot({ path: file, animations: 'disabled' });
  }

  /** Runs one of our commands from the palette. */
  async run(title: string): Promise<void> {
    await this.quick.run(`GPU Rental: ${title}`);
  }

  view(name: string): View {
    return new View(this.page, name);
  }

  /** Shows a container of the activity bar, which appears once its extension is known. */
  async openContainer(title: string): Promise<void> {
    const icon = this.page
      .locator('.part.activitybar li.action-item')
      .filter({ has: this.page.locator(`a.action-label[aria-label^="${title}"]`) })
      .first();
    const heading = this.page.locator('.part.sidebar .composite.title h2', {
      hasText: new RegExp(title, 'i'),
    });
    await icon.waitFor({ timeout: 60_000 });
    await until(`the container ${title}`, async () => {
      if (await heading.isVisible()) {
        return true;
      }
      // A click on the icon of what is shown hides it, so a side bar that just came back may need another one.
      await press(icon);
      return appears(heading, 2000);
    });
  }

  // Status bar

  statusItem(id: string): Locator {
    return this.page.locator(`.part.statusbar .statusbar-item[id="gpu-rental.gpu-rental.${id}"]`);
  }

  async statusText(id: string): Promise<string> {
    return (await this.statusItem(id).innerText()).trim();
  }

  /** The text of the hover over something, once it matches; another hover may still be fading, or be left behind. */
  async hoverText(target: Locator, expected: RegExp = /./, timeoutMs = 20_000): Promise<string> {
    const hovers = this.page.locator('.workbench-hover-container .monaco-hover, .workbench-hover');
    let seen: readonly string[] = [];
    const shown = async () => {
      seen = (await hovers.allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' ').trim());
      return seen.find((text) => expected.test(text));
    };
    const hover = async () => {
      // What is redrawn under a pointer that rests tells nothing until the pointer comes again. It goes where no hover
      // is, since one that it rests on stays as it was.
      await this.page.mouse.move(1300, 300);
      await target.hover();
      return until('its text', shown, { timeoutMs: 5000 }).catch(() => undefined);
    };
    return until(`a hover with ${String(expected)}`, hover, { timeoutMs }).catch((error: unknown) => {
      throw new Error(`${String(error)}. Hovers were: ${JSON.stringify(seen)}`);
    });
  }

  // Notifications and dialogs

  /** Waits for the pop-up with this text. */
  async toast(text: string | RegExp, timeout = 20_000): Promise<Locator> {
    const toast = this.toasts.filter({ hasText: text }).first();
    await toast.waitFor({ timeout });
    return toast;
  }

  async toastButton(text: string | RegExp, button: string, timeout?: number): Promise<void> {
    const toast = await this.toast(text, timeout);
    await toast.hover();
    const buttons = '.notification-list-item-buttons-container .monaco-button';
    await pressButton(this.page, toast.locator(buttons, { hasText: button }), buttons);
  }

  /** All notifications, also those that are no longer popped up. */
  async notificationTexts(): Promise<string[]> {
    const center = this.page.locator('.notifications-center');
    await until('the notifications', async () => {
      // Another click would close it again where it took longer to open.
      if (await center.isVisible()) {
        return true;
      }
      await press(this.page.locator('.statusbar-item[id="status.notifications"]'));
      // A click that comes while a pop-up goes closes what it was to open.
      return appears(center, 2000);
    });
    const texts = await this.page
      .locator('.notifications-center .notification-list-item-message')
      .allInnerTexts();
    await this.page.keyboard.press('Escape');
    return texts;
  }

  async clearNotifications(): Promise<void> {
    await until('no pop-up to be left', async () => {
      await this.quick.run('Notifications: Clear All Notifications');
      // One that came after the command stays.
      return this.toasts
        .first()
        .waitFor({ state: 'detached', timeout: 2000 })
        .then(
          () => true,
          () => false,
        );
    });
  }

  /** Presses a button of the dialog that is shown, and returns once that one is gone: another may follow at once. */
  async dialogButton(button: string): Promise<void> {
    const target = this.page.locator('.dialog-buttons .monaco-button', { hasText: button });
    const dialog = this.dialog.filter({ has: target });
    await dialog.waitFor();
    const shown = await dialog.elementHandle();
    await press(dialog.locator(target));
    // A button may lead the whole page elsewhere, and what is gone is not visible either.
    await until('the dialog to go', async () => !(await shown.isVisible().catch(() => false)));
  }

  /** The page inside the panel that was opened last. */
  webview(): FrameLocator {
    return this.page.locator('iframe.webview.ready').last().contentFrame().frameLocator('#active-frame');
  }

  // Terminal

  /** What the terminal in front shows. */
  async terminalText(): Promise<string> {
    const rows = this.page
      .locator('.terminal-wrapper.active .xterm-rows, .terminal-wrapper .xterm-rows')
      .last();
    return (await rows.innerText()).replaceAll('\u00a0', ' ');
  }

  /** Types a line into the terminal in front. */
  async intoTerminal(line: string): Promise<void> {
    const terminal = this.page.locator('.terminal-wrapper .xterm').last();
    await press(terminal);
    await this.page.keyboard.type(line);
    await pressEnter(terminal.locator('.xterm-helper-textarea'));
  }

  /** Types a line into the terminal in front and waits for a pattern in what it shows. */
  async inTerminal(line: string, expected: RegExp): Promise<string> {
    await this.intoTerminal(line);
    return this.terminalShows(expected);
  }

  /** The text of the terminal that was opened last. */
  get terminal(): Locator {
    return this.page.locator('.terminal-wrapper .xterm-rows').last();
  }

  async terminalShows(expected: RegExp, timeoutMs = 30_000): Promise<string> {
    await this.terminal.waitFor({ timeout: timeoutMs });
    return until(
      `the terminal to show ${String(expected)}`,
      async () => {
        const text = await this.terminalText();
        return expected.test(text) ? text : undefined;
      },
      { timeoutMs },
    );
  }

  /** Name and version of each extension that runs, as the editor lists them. */
  async runningExtensions(): Promise<string[]> {
    await this.quick.run('Developer: Show Running Extensions');
    const rows = this.page.locator('.runtime-extensions-editor .monaco-list-row');
    await rows.first().waitFor();
    return rows.allInnerTexts();
  }
}
