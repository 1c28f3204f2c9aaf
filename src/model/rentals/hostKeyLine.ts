/** Marks the end of this line in an on-start script. */
export const hostKeyLineMark = '# GPU Rental: prints the host key';

/** Seconds between the looks for the SSH server of the machine. Once it was seen, only the long ones count. */
const pauses = '0 1 2 3 5 5 9 20 60 120';

/**
 * Returns the line of an on-start script by which a machine prints the fingerprints of its host keys into the log of its
 * container, between marks that only the account knows (docs/ssh.md#first-contact). It asks the server itself, because a
 * file may belong to no server, and asks again later, because an image may create its keys anew while it starts. Its
 * process is no child of the script's shell, which may wait for its own, and holds none of the script's output.
 */
export function hostKeyLine(token: string): string {
  if (!isStartToken(token)) {
    throw new Error('A token is 32 hexadecimal digits');
  }
  return [
    `( ( l=; for w in ${pauses}; do [ "$l" ] && [ $w -lt 20 ] && continue; sleep $w || exit;`,
    `n=$(ssh-keyscan -T3 -ted25519,ecdsa,rsa 127.0.0.1 2>/dev/null | grep -v '#' | while read -r _ t k; do`,
    `k=$(echo "$k" | base64 -d | sha256sum); printf %s "$t:\${k%% *} "; done);`,
    `[ "$n" ] && [ "$n" != "$l" ] && l=$n && echo "[gpu-rental host key ${token} \${n}${token}]" >>/proc/1/fd/1; done`,
    `) </dev/null >/dev/null 2>&1 & ) || : ${hostKeyLineMark}\n`,
  ].join(' ');
}

/** Returns whether a text is a token of such a line. */
export function isStartToken(token: string): boolean {
  return /^[0-9a-f]{32}$/.test(token);
}
