/** The one place where the tests of the workbench click and press Enter; the linter refuses both elsewhere. */
import type { Locator, Page } from 'playwright-core';
import { until } from './until';

/** What is read and done in the page, whose types are unknown here. */
interface Drawn {
  readonly ownerDocument: { readonly activeElement: unknown; hasFocus(): boolean };
  contains(other: unknown): boolean;
}

interface PressOptions {
  /** Rejects where the element is not there, or cannot be clicked, so soon. */
  readonly timeoutMs?: number;
}

interface PressWatch {
  outcome(): PressOutcome;
  end(): void;
}

interface PressOutcome {
  readonly hasMissed: boolean;
  readonly isDone: boolean;
}

/**
 * Runs in the page. A text, for what runs there is no part of this program. The editor takes what follows the press of
 * a button to itself where text is selected by it, so an element that is still there was clicked. It acts on a code lens
 * when the button is let go there, whichever element the lens has by then.
 */
const watchPress = `(node) => {
  const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  const page = node.ownerDocument.defaultView;
  const lensOf = (element) => element.closest('.codelens-decoration a')?.textContent;
  const lens = lensOf(node);
  let hasMissed = false;
  let wasClicked = false;
  const check = (event) => {
    if (event.composedPath().includes(node)) wasClicked ||= event.type === 'click';
    else hasMissed ||= event.type === 'pointerdown';
    if (event.type === 'mouseup' && lens !== undefined) wasClicked ||= lensOf(event.target) === lens;
    if (hasMissed) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  for (const type of types) page.addEventListener(type, check, true);
  return {
    outcome: () => ({ hasMissed, isDone: !hasMissed && (wasClicked || node.isConnected) }),
    end: () => {
      for (const type of types) page.removeEventListener(type, check, true);
    },
  };
}`;

/**
 * Clicks something that may be redrawn or move at any time. Where another element is there when the button goes
 * down, the click is kept from the page and made again; so is one that ends on an element that took the place.
 */
export async function press(target: Locator, { timeoutMs }: PressOptions = {}): Promise<void> {
  const timing = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  await until(`a click on ${String(target)}`, async () => {
    const element = await target.elementHandle(timing);
    const frame = await element.ownerFrame();
    if (!frame) {
      return false;
    }
    const begin = await frame.evaluateHandle<(node: unknown) => PressWatch>(watchPress);
    const watch = await element.evaluateHandle((node, watchIt) => watchIt(node), begin);
    try {
      await target.click(timing);
      // A page that the click has replaced or closed was clicked, and so was what went away by it, as a menu does.
      const outcome = await watch
        .evaluate((each) => each.outcome())
        .catch(() => ({ isDone: true, hasMissed: false }));
      return outcome.isDone || (!outcome.hasMissed && (await target.count()) === 0);
    } finally {
      await watch.evaluate((each) => each.end()).catch(() => undefined);
    }
  });
}

/** Whether something is shown within a time (ms). For what is tried again where it is not. */
export function appears(target: Locator, timeout: number): Promise<boolean> {
  return target.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}

/** Presses Enter once the focus is on the element or within it: before that the key would go to whatever has it. */
export async function pressEnter(target: Locator): Promise<void> {
  await until(`the focus on ${String(target)}`, () =>
    target.evaluate((node) => {
      const own = node as unknown as Drawn;
      return own.contains(own.ownerDocument.activeElement);
    }),
  );
  await target.page().keyboard.press('Enter');
}

/**
 * Waits until a page of the product has the keyboard. The editor gives it back in steps after a list was closed, and the
 * last one would close a list that was opened in between.
 */
export async function hasKeyboard(body: Locator): Promise<void> {
  await until('the keyboard in the page', () =>
    body.evaluate((node) => (node as unknown as Drawn).ownerDocument.hasFocus()),
  );
}

interface ClickWatch {
  wasClicked(): boolean;
  end(): void;
}

/**
 * Clicks a button that may move or be redrawn at any time. Where that happens between press and release, the page
 * sees no click at all, and it is made again. `selector` finds the button from what is inside it.
 */
export async function pressButton(page: Page, button: Locator, selector: string): Promise<void> {
  await until(`a click on ${selector}`, async () => {
    const watch = await page.evaluateHandle<ClickWatch>(watchClicks(selector));
    try {
      await button.click();
      // A page that the click has replaced, or closed, was clicked.
      return await watch.evaluate((each) => each.wasClicked()).catch(() => true);
    } finally {
      await watch.evaluate((each) => each.end()).catch(() => undefined);
    }
  });
}

/** A text, for what runs in the page is no part of this program. */
const watchClicks = (selector: string): string => `(() => {
  let isClicked = false;
  const look = (event) => {
    isClicked ||= event.target.closest(${JSON.stringify(selector)}) !== null;
  };
  addEventListener('click', look, true);
  return { wasClicked: () => isClicked, end: () => removeEventListener('click', look, true) };
})()`;

type ClickOptions = Pick<NonNullable<Parameters<Locator['click']>[0]>, 'button' | 'modifiers'>;

interface RowOptions {
  /** A part of the row. */
  readonly within?: string;
  /** Rejects where the row is not there so soon; nothing was clicked then. */
  readonly comesWithinMs?: number;
}

/**
 * Clicks a row of a list or tree, or something inside it. The editor shows every list with the same elements: what
 * was one row when it was looked for may be another one when it is clicked. Such a click is kept from the page, and
 * made again.
 */
export async function clickRow(
  page: Page,
  row: Locator,
  { within, comesWithinMs, ...options }: ClickOptions & RowOptions = {},
): Promise<void> {
  await until(`a click on ${String(row)}`, async () => {
    await row.waitFor(comesWithinMs === undefined ? {} : { timeout: comesWithinMs });
    const text = await row.textContent();
    const watch = await page.evaluateHandle<RowWatch>(keepFromOtherRows(text ?? ''));
    try {
      if (within !== undefined) {
        await row.hover({ timeout: 3000 });
      }
      await (within === undefined ? row : row.locator(within)).click({ ...options, timeout: 3000 });
      // A page that the click has replaced was the right one.
      return await watch.evaluate((each) => !each.hasMissed()).catch(() => true);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError')) {
        throw error;
      }
      // A page that is busy with what the click began answers late, and the row may be gone by then.
      if (await watch.evaluate((each) => each.wasClicked()).catch(() => true)) {
        return true;
      }
      // A message about one row covers others; it disappears with the pointer.
      await page.mouse.move(700, 700);
      return false;
    } finally {
      await watch.evaluate((each) => each.end()).catch(() => undefined);
    }
  });
}

interface RowWatch {
  hasMissed(): boolean;
  wasClicked(): boolean;
  end(): void;
}

/** Runs in the page: stops mouse events on rows of another text. A text, for what runs there is no part of this program. */
const keepFromOtherRows = (text: string): string => `(() => {
  const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'contextmenu'];
  let hasMissed = false;
  let isDown = false;
  let isClicked = false;
  const check = (event) => {
    const row = event.target.closest('.monaco-list-row');
    // Once a click has begun on the row, the list may be gone before it ends.
    const isOther = row ? row.textContent !== ${JSON.stringify(text)} : event.type === 'pointerdown';
    if (isOther) {
      hasMissed = true;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    isDown ||= event.type === 'mousedown';
    isClicked ||= isDown && event.type === 'mouseup';
  };
  for (const type of types) addEventListener(type, check, true);
  return {
    hasMissed: () => hasMissed,
    wasClicked: () => isClicked && !hasMissed,
    end: () => {
      for (const type of types) removeEventListener(type, check, true);
    },
  };
})()`;

/** Scrolls to a place of a page that may be drawn again meanwhile. */
export async function scrollTo(place: Locator): Promise<void> {
  await until('the place on the page', () =>
    place.scrollIntoViewIfNeeded().then(
      () => true,
      () => false,
    ),
  );
}
