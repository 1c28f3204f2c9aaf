import assert from 'node:assert/strict';
import path from 'node:path';
import * as esbuild from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { ChartView } from '../../src/webview/report/protocol';
import { launchBrowser } from '../support/browser';
import type { DrawnGeometry } from '../support/chartPage/geometry';
import { repository } from '../support/installed';

const columns: ChartView = {
  kind: 'stackedColumns',
  unit: 'dollars',
  categories: Array.from({ length: 30 }, (_, day) => `2026-11-${String(day + 1).padStart(2, '0')}`),
  series: [
    { name: 'GPU', values: Array.from({ length: 30 }, (_, day) => 10 + day) },
    { name: 'Storage', values: Array.from({ length: 30 }, (_, day) => (day % 7 === 0 ? null : 2.5)) },
  ],
};

const boxes: ChartView = {
  kind: 'boxPlot',
  unit: 'dollars per hour',
  boxes: Array.from({ length: 40 }, (_, index) => ({
    name: `RTX ${4000 + index * 10}`,
    low: 0.1 + index * 0.05,
    lower: 0.15 + index * 0.05,
    middle: 0.2 + index * 0.05,
    upper: 0.3 + index * 0.05,
    high: 0.5 + index * 0.05,
  })),
};

describe('charts in a real browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  let page: Page;

  before(async () => {
    const built = await esbuild.build({
      entryPoints: [path.join(repository, 'test/support/chartPage/entry.ts')],
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
    });
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.setContent('<body style="margin:0"><main id="root"></main></body>');
    await page.addStyleTag({ content: '.chart { position: relative; height: 320px; }' });
    await page.addScriptTag({ content: built.outputFiles[0]?.text ?? '' });
  });
  after(() => browser.close());

  const draw = (view: ChartView) =>
    page.evaluate<DrawnGeometry, ChartView>(
      (given) => (globalThis as unknown as { draw(view: ChartView): Promise<DrawnGeometry> }).draw(given),
      view,
    );
  const near = (measured: number | undefined, wanted: number, unit: number) => {
    assert.ok(
      measured !== undefined && Math.abs(measured - wanted) < unit,
      `${String(measured)} is not ${wanted}`,
    );
  };

  it('draw columns as high as the values, stacked on one another, and none where nothing is known', async () => {
    await page.setViewportSize({ width: 1200, height: 800 });
    const { bars } = await draw(columns);
    const at = (series: string, index: number) =>
      bars.find((bar) => bar.series === series && bar.index === index);
    for (const day of [1, 5, 29]) {
      near(at('GPU', day)?.from, 0, 0.1);
      near(at('GPU', day)?.to, 10 + day, 0.1);
    }
    near(at('Storage', 1)?.from, 11, 0.1);
    near(at('Storage', 1)?.to, 13.5, 0.1);
    const unknown = at('Storage', 7);
    assert.ok(!unknown || Number.isNaN(unknown.to) || unknown.to - unknown.from < 0.01);
  });

  it('draw boxes from quartile to quartile, and whiskers from p10 to p90', async () => {
    const { bars } = await draw(boxes);
    for (const index of [0, 20, 39]) {
      const [whisker, box] = ['p10–p90', 'p25–p75'].map((series) =>
        bars.find((bar) => bar.series === series && bar.index === index),
      );
      near(whisker?.from, 0.1 + index * 0.05, 0.01);
      near(whisker?.to, 0.5 + index * 0.05, 0.01);
      near(box?.from, 0.15 + index * 0.05, 0.01);
      near(box?.to, 0.3 + index * 0.05, 0.01);
    }
  });

  for (const width of [400, 700, 1000, 1600]) {
    it(`keep their labels apart at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      for (const view of [columns, boxes]) {
        const drawn = await draw(view);
        assert.equal(drawn.overlaps, 0, view.kind);
        assert.ok(drawn.width <= width);
      }
    });
  }
});
