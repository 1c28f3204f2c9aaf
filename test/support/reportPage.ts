import path from 'node:path';
import * as esbuild from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { FromPage, ReportView } from '../../src/webview/report/protocol';
import { repository } from './installed';

/** Stands in for the editor around the page: keeps what the page sends and remembers, and shows it a view. */
const host = `
  globalThis.sent = [];
  globalThis.kept = undefined;
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => sent.push(message),
    getState: () => kept,
    setState: (state) => { kept = state; },
  });
  globalThis.show = async (view) => {
    const before = performance.getEntriesByName('report-start').length;
    postMessage({ type: 'show', view }, '*');
    while (performance.getEntriesByName('report-start').length === before) {
      await new Promise((done) => requestAnimationFrame(done));
    }
  };
`;

interface Host {
  readonly sent: readonly FromPage[];
  show(view: unknown): Promise<void>;
}

/** What the page loads, bundled once a process. */
let built: Promise<{ readonly script: string; readonly style: string }> | undefined;

async function build() {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(repository, 'src/webview/report/page/main.ts')],
    bundle: true,
    write: false,
    outdir: path.join(repository, 'out', 'report-page'),
    format: 'iife',
    platform: 'browser',
  });
  const text = (ending: string) => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
  return { script: text('.js'), style: text('.css') };
}

/** The page of the reports in a plain browser, without an editor around it. */
export class ReportPage {
  private constructor(
    readonly page: Page,
    /** What the page reported as an error. */
    readonly errors: readonly string[],
  ) {}

  static async open(browser: Browser): Promise<ReportPage> {
    built ??= build();
    const { script, style } = await built;
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') {
        errors.push(message.text());
      }
    });
    await page.setContent(
      '<!DOCTYPE html><html lang="en"><head><title>Report</title></head><body><main id="root"></main></body></html>',
    );
    await page.addStyleTag({ content: style });
    await page.addScriptTag({ content: host });
    await page.addScriptTag({ content: script });
    return new ReportPage(page, errors);
  }

  /** Gives the page something to show, and waits until it is drawn. */
  async show(view: ReportView): Promise<void> {
    await this.page.evaluate((given) => (globalThis as unknown as Host).show(given), view);
  }

  /** What the page sent, but for its greeting. */
  async sent(): Promise<readonly FromPage[]> {
    const all = await this.page.evaluate(() => (globalThis as unknown as Host).sent);
    return all.filter(({ type }) => type !== 'ready');
  }
}
