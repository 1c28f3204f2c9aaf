/**
 * Options that start a program or load a library on this computer (ssh_config(5)), and `Include`, behind which they
 * may stand. `exec` is a criterion of `Match`.
 */
const running =
  /proxycommand|localcommand|knownhostscommand|pkcs11provider|smartcarddevice|securitykeyprovider|xauthlocation|include|exec/i;

/**
 * True where an SSH config may run programs of its author on this computer. The lines are not parsed: one word too
 * many costs a question, one too few would run what nobody agreed to.
 */
export function namesPrograms(config: string, ownInclude: string): boolean {
  const lines = config.split(/[\r\n]+/).map((line) => line.trim());
  return lines.some(
    (line) => !line.startsWith('#') && line !== `Include ${ownInclude}` && running.test(line),
  );
}
