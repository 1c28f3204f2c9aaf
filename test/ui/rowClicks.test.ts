import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser';
import { clickRow } from '../support/press';

/** A list whose row is gone with the click, and a page that then works for so long (ms). */
const listThatWorks = (ms: number) => `
  <div class="monaco-list-row">one</div>
  <script>
    window.clicks = 0;
    document.querySelector('.monaco-list-row').addEventListener('click', (event) => {
      window.clicks += 1;
      event.target.remove();
      const end = performance.now() + ${ms};
      while (performance.now() < end);
    });
  </script>`;

describe('a click on a row of a list', () => {
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
  });
  after(() => browser.close());

  for (const [what, ms] of Object.entries({ 'answers at once': 0, 'is busy with it for 5 seconds': 5000 })) {
    it(`is made once where the page ${what}`, async () => {
      await page.setContent(listThatWorks(ms));
      await clickRow(page, page.locator('.monaco-list-row'));
      assert.equal(await page.evaluate('window.clicks'), 1);
    });
  }
});
