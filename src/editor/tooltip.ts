import * as vscode from 'vscode';
import { markdownLines, markdownWords, type TooltipLine } from '../util/plainMarkdown';

/** Makes all Markdown tooltips: a heading, lines of plain text, and a longer text below. */
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
