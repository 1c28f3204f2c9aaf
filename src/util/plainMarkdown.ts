import { plainLabel } from './plainLabel';

/** A line of a tooltip: words, or a label and a value. */
export type TooltipLine = string | readonly [label: string, value: string | undefined];

/** One line of a stranger's text in Markdown, in which nothing is markup, a link or a picture. */
export function markdownWords(line: string): string {
  // With every mark escaped no address is left in one piece, of which the editor would make a link.
  return plainLabel(line).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** Lines under each other; a value that is missing leaves its line out. */
export function markdownLines(lines: readonly TooltipLine[]): string {
  return lines
    .map((line) => (typeof line === 'string' ? (['', line] as const) : line))
    .filter(([, value]) => value !== undefined && value.trim() !== '')
    .map(([label, value = '']) => {
      const words = value
        .split(/\r\n|\r|\n/)
        .map(markdownWords)
        .join('  \n');
      return label === '' ? words : `**${markdownWords(label)}**: ${words}`;
    })
    .join('  \n');
}
