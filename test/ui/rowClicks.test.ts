import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser';
import { clickRow, press } from '../support/press';

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

/** A code lens, which the editor acts on when the button is let go, and which is redrawn when it goes down first. */
const lensDrawnAnew = `
  <div class="codelens-decoration"><a role="button">Create</a></div>
  <script>
    window.acts = 0;
    const lens = () => document.querySelector('a');
    addEventListener('mousedown', () => lens().replaceWith(lens().cloneNode(true)), { once: true });
    addEventListener('mouseup', ({ target }) => (window.acts += target.tagName === 'A' ? 1 : 0));
  </script>`;

describe('a click on what is redrawn', () => {
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
  });
  after(() => browser.close());

  it('is made once on a code lens', async () => {
    await page.setContent(lensDrawnAnew);
    await press(page.locator('.codelens-decoration a', { hasText: 'Create' }));
    assert.equal(await page.evaluate('window.acts'), 1);
  });

  for (const [what, ms] of Object.entries({ 'answers at once': 0, 'is busy with it for 5 seconds': 5000 })) {
    it(`is made once on a row where the page ${what}`, async () => {
      await page.setContent(listThatWorks(ms));
      await clickRow(page, page.locator('.monaco-list-row'));
      assert.equal(await page.evaluate('window.clicks'), 1);
    });
  }
});
