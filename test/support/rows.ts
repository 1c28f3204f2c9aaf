import type { Locator } from 'playwright-core';

/** What is read of a row in the page, whose types are unknown here. A text that is a function would not be called. */
interface Row {
  readonly dataset: { readonly index: string };
  readonly innerText: string;
}

/** The text of the visible rows, from top to bottom; the page does not keep them in that order. */
export async function textsOf(rows: Locator): Promise<string[]> {
  const texts = await rows.evaluateAll((all) =>
    (all as unknown as readonly Row[]).map((row) => ({ at: Number(row.dataset.index), text: row.innerText })),
  );
  return texts.sort((one, other) => one.at - other.at).map(({ text }) => inOneLine(text));
}

export function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
