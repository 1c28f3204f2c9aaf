import { impersonal, type Person } from '../../util/impersonal';
import type { Text } from '../../util/text';
import type { DoctorFinding, Verdict } from './finding';

const marks: Record<Verdict, string> = {
  ok: '[ok]',
  note: '[note]',
  problem: '[problem]',
  skipped: '[not checked]',
};

/** Returns the findings as text to save or send, without the user's name; `say` translates and removes secrets. */
export function reportText(
  findings: readonly DoctorFinding[],
  say: (value: Text | string) => string,
  person: Person,
): string {
  const lines = findings.map(
    ({ verdict, title, detail }) => `- ${marks[verdict]} ${say(title)}: ${say(detail)}`,
  );
  return `# GPU Rental: Doctor\n\n${impersonal(lines.join('\n'), person)}\n`;
}
