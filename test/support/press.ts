import type { Locator, Page } from 'playwright-core';
import { until } from './until';

interface ClickWatch {
  wasClicked(): boolean;
  end(): void;
}

/**
 * Clicks a button that may move or be drawn anew at any time. Where that happens between press and release, the page
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
