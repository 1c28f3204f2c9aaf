export interface DiagnosticFacts {
  readonly rows: Readonly<Record<string, string>>;
  readonly changedSettings: readonly string[];
  readonly sshExtensions: readonly string[];
}

/** Returns facts as Markdown for an issue, without any value of the user. */
export function diagnosticsText({ rows, changedSettings, sshExtensions }: DiagnosticFacts): string {
  const list = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '));
  return [
    '## GPU Rental diagnostics',
    '',
    '| what | value |',
    '| --- | --- |',
    ...Object.entries({
      ...rows,
      'Changed settings': list(changedSettings),
      'SSH extensions': list(sshExtensions),
    }).map(([name, value]) => `| ${name} | ${value.replace(/[|\r\n]/g, ' ')} |`),
    '',
  ].join('\n');
}
