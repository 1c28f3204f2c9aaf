/**
 * Matches options that start a program or load a library on this computer (ssh_config(5)), and `Include`, which may
 * hide them. `exec` is a criterion of `Match`.
 */
const running =
  /proxycommand|localcommand|knownhostscommand|pkcs11provider|smartcarddevice|securitykeyprovider|xauthlocation|include|exec/i;

/**
 * Returns true if an SSH config may run programs of its author on this computer. The lines are not parsed: a false
 * positive costs a question, a false negative would run a program without consent.
 */
export function namesPrograms(config: string, ownInclude: string): boolean {
  const lines = config.split(/[\r\n]+/).map((line) => line.trim());
  return lines.some(
    (line) => !line.startsWith('#') && line !== `Include ${ownInclude}` && running.test(line),
  );
}
