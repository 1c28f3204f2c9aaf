import { impersonal, type Person } from '../../util/impersonal';
import { diagnosticsText, type DiagnosticFacts } from './diagnosticsText';

/**
 * Returns one file for support: the diagnostics and the end of the log, without secrets, addresses and the user's
 * name.
 */
export function bundleText(facts: DiagnosticFacts, log: readonly string[], person: Person): string {
  // A line of the log must not end the surrounding block.
  const lines = log.map((line) => line.replaceAll('```', "'''"));
  return impersonal(
    [
      diagnosticsText(facts),
      `## Log of this window (last ${lines.length} lines)`,
      '',
      '```text',
      ...lines,
      '```',
      '',
    ].join('\n'),
    person,
  );
}
