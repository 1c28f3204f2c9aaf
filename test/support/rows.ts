import type { Locator, Page } from 'playwright-core';
import { until } from './until';

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
      if (within !== undefined) await row.hover({ timeout: 3000 });
      await (within === undefined ? row : row.locator(within)).click({ ...options, timeout: 3000 });
      // A page that the click has replaced was the right one.
      return await watch.evaluate((each) => !each.hasMissed()).catch(() => true);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
      // What is said about one row covers others; it goes with the pointer.
      await page.mouse.move(700, 700);
      return false;
    } finally {
      await watch.evaluate((each) => each.end()).catch(() => undefined);
    }
  });
}

interface RowWatch {
  hasMissed(): boolean;
  end(): void;
}

/** Runs in the page: stops mouse events on rows of another text. A text, for what runs there is no part of this program. */
const keepFromOtherRows = (text: string): string => `(() => {
  const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'contextmenu'];
  let hasMissed = false;
  const check = (event) => {
    const row = event.target.closest('.monaco-list-row');
    // Once a click has begun on the row, the list may be gone before it ends.
    const isOther = row ? row.textContent !== ${JSON.stringify(text)} : event.type === 'pointerdown';
    if (isOther) {
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

/** What is read of a row in the page, whose types are not known here. A text that is a function would not be called. */
interface Row {
  readonly dataset: { readonly index: string };
  readonly innerText: string;
}

/** What the rows in view say, from top to bottom; the page does not keep them in that order. */
export async function textsOf(rows: Locator): Promise<string[]> {
  const texts = await rows.evaluateAll((all) =>
    (all as unknown as readonly Row[]).map((row) => ({ at: Number(row.dataset.index), text: row.innerText })),
  );
  return texts.sort((one, other) => one.at - other.at).map(({ text }) => inOneLine(text));
}

export function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
