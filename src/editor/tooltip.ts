import * as vscode from 'vscode';
import { markdownLines, markdownWords, type TooltipLine } from '../util/plainMarkdown';

export type { TooltipLine } from '../util/plainMarkdown';

/** The only place that makes Markdown: lines of plain words, with a heading above and a longer text below. */
export function tooltip(
  lines: readonly TooltipLine[],
  { heading, text }: { readonly heading?: string; readonly text?: string } = {},
): vscode.MarkdownString {
  const parts = [
    ...(heading === undefined ? [] : [`**${markdownWords(heading)}**`]),
    markdownLines(lines),
    ...(text === undefined || text === '' ? [] : [`---\n\n${markdownLines([text])}`]),
  ];
  return new vscode.MarkdownString(parts.join('\n\n'));
}
