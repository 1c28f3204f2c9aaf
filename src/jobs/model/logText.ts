/** Colors and other terminal escape sequences. */
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/gu;

/**
 * Converts a job's log to plain text: a line that was rewritten shows its last state, escape sequences and control
 * characters are removed, and nothing becomes a link.
 */
export function plainLog(log: string): string {
  return log.replace(escapes, '').replaceAll('\r\n', '\n').split('\n').map(plainLine).join('\n');
}

function plainLine(line: string): string {
  const states = line.split('\r');
  const last = states.findLast((state) => state !== '') ?? '';
  return (
    last
      .replace(/[^\P{Cc}\t]+/gu, '')
      .replace(/[\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu, '')
      // The editor turns URLs into links; a word joiner prevents that and keeps the text readable.
      .replace(/(?<=[a-z0-9+.-]):\/\//giu, ':\u2060//')
  );
}
