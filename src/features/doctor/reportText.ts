import type { Text } from '../../util/text';
import type { DoctorFinding, Verdict } from './finding';

const marks: Record<Verdict, string> = {
  ok: '[ok]',
  note: '[note]',
  problem: '[problem]',
  skipped: '[not checked]',
};

/** Returns the findings as text to save or send; `say` translates and removes secrets. */
export function reportText(
  findings: readonly DoctorFinding[],
  say: (value: Text | string) => string,
): string {
  const lines = findings.map(
    ({ verdict, title, detail }) => `- ${marks[verdict]} ${say(title)}: ${say(detail)}`,
  );
  return `# GPU Rental: Doctor\n\n${withoutHome(lines.join('\n'))}\n`;
}

/** Replaces the home folder, because its path contains the user's name. */
function withoutHome(value: string): string {
  return value.replace(/(?<![\w.-])(?:\/home\/|\/Users\/|[A-Za-z]:[/\\]Users[/\\])[^/\\\s]+/g, '~');
}
