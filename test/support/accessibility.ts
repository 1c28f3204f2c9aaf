import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';

/** The part of axe-core's global that is used here. */
interface Axe {
  run(context: unknown, options: unknown): Promise<{ readonly violations: readonly Violation[] }>;
}
interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * What axe-core finds wrong in the page of a panel, a line for each rule that is broken, with the first element:
 * names and roles, order of headings, landmarks, contrast in the colours that are shown.
 */
export async function accessibilityFaults(page: { locator(selector: string): Locator }): Promise<string[]> {
  const body = page.locator('body');
  // Through the debugger, since the page's own content-security policy admits no such script.
  await body.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const violations = await body.evaluate(async (element) => {
    const { axe } = globalThis as unknown as { readonly axe: Axe };
    return (await axe.run(element.ownerDocument, { resultTypes: ['violations'] })).violations;
  });
  return violations.map(({ id, help, nodes: [first, ...others] }) =>
    [
      `${id}: ${help} (${String(others.length + 1)})`,
      first?.html.slice(0, 200),
      first?.failureSummary?.replaceAll(/\s+/g, ' '),
    ].join(' · '),
  );
}
