import { isIPv6 } from 'node:net';
import { diagnosticsText, type DiagnosticFacts } from './diagnosticsText';

/** Names of this computer's user, to be removed. */
export interface Person {
  readonly home: string;
  readonly userName: string;
}

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

/** Removes mail addresses, network addresses, the home folder and the user's name. */
export function impersonal(text: string, { home, userName }: Person): string {
  const withoutHome = home.length < 3 ? text : text.split(home).join('~');
  const withoutAddresses = withoutHome
    .replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<mail address>')
    .replace(/(?<![\d.])(?!127\.0\.0\.1(?!\d))\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g, '<address>')
    .replace(/(?<![\w:])[0-9a-f]*:[0-9a-f:]*[0-9a-f](?!\w)/gi, (word) =>
      isIPv6(word) && word !== '::1' ? '<address>' : word,
    );
  return userName.length < 3
    ? withoutAddresses
    : withoutAddresses.replace(new RegExp(`(?<![\\w-])${escaped(userName)}(?![\\w-])`, 'g'), '<user>');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
