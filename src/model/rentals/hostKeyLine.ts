/** Marks the end of this line in an on-start script. */
export const hostKeyLineMark = '# GPU Rental: prints the host key';

/** Seconds before each look for the SSH server of the machine; few, since a server may refuse who asks too often. */
const pauses = '0 3 9 40 99';

/**
 * Returns the line of an on-start script by which a machine prints its host keys into the log of its container, between
 * marks that only the account knows (docs/ssh.md#first-contact). It asks the server itself, because a file may belong to no
 * server, and asks again later, because an image may create its keys anew while it starts. Its process is no child of the
 * script's shell, which may wait for its own, and holds none of the script's output. It is short, so that the guard of a
 * job has room beside it.
 */
export function hostKeyLine(token: string): string {
  if (!isStartToken(token)) {
    throw new Error('A token is 24 hexadecimal digits');
  }
  const keys = `$(ssh-keyscan -ted25519,ecdsa,rsa 127.0.0.1|grep -v '#'|cut -d' ' -f2-|tr '\\n' ' ')`;
  const print = `echo "[gpu-rental ${token} $n]${token}">>/proc/1/fd/1`;
  return `( (l=;for w in ${pauses};do sleep $w;n=${keys};[ "$n" = "$l" ]||{ l=$n;${print};};done)>/dev/null 2>&1&)||: ${hostKeyLineMark}\n`;
}

/** Returns whether a text is a token of such a line. */
export function isStartToken(token: string): boolean {
  return /^[0-9a-f]{24}$/.test(token);
}
