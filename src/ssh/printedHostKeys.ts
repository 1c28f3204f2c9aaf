import { parsePublicKey } from './publicKey';

/** Fingerprints of host keys that a machine printed in its log, by the name that `ssh-keygen -l` gives their type. */
export type PrintedHostKeys = ReadonlyMap<string, ReadonlySet<string>>;

const fingerprint = /\bSHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/=])/;
/** Words near a fingerprint that make it one of the server's own: users' keys are printed in the same form. */
const aboutHostKey = /ssh_host_|host ?key|Creating SSH2|BEGIN SSH HOST KEY FINGERPRINTS/i;
const typeNames = ['ED25519', 'ECDSA', 'RSA', 'DSA'] as const;
/** `ssh-keygen` prints the file, two sentences and the fingerprint. */
const linesBefore = 4;
const longestLog = 1_000_000;

/**
 * Reads the fingerprints of host keys from a log: what cloud-init, the packages of OpenSSH and `ssh-keygen` print when
 * they make one. A line that says nothing of a host key is left alone, since a wrong guess would refuse the right machine.
 */
export function printedHostKeys(log: string): PrintedHostKeys {
  const found = new Map<string, Set<string>>();
  const lines = log.slice(-longestLog).split(/\r?\n/);
  let isInBlock = false;
  lines.forEach((line, index) => {
    if (/SSH HOST KEY FINGERPRINTS/.test(line)) {
      isInBlock = line.includes('BEGIN');
    }
    const printed = fingerprint.exec(line)?.[0];
    const context = lines.slice(Math.max(0, index - linesBefore), index + 1).join('\n');
    if (printed === undefined || !(isInBlock || aboutHostKey.test(context))) {
      return;
    }
    const type = typeIn(line) ?? typeIn(context);
    if (type !== undefined) {
      found.set(type, (found.get(type) ?? new Set()).add(printed));
    }
  });
  return found;
}

/** The type that is named last, which is the nearest to the fingerprint. */
function typeIn(text: string): string | undefined {
  const upper = text.toUpperCase();
  const [nearest] = typeNames
    .map((name) => ({ name, at: upper.search(new RegExp(`(?<![A-Z0-9])${name}(?![A-Z0-9])|_${name}_`)) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => other.at - one.at);
  return nearest?.name;
}

/**
 * Whether the keys of a first contact are others than those that were printed: there is one of the same type, and none
 * of them is it. Types that were not printed can't be compared. `lines` are those of a `known_hosts` file.
 */
export function differsFromPrinted(lines: readonly string[], printed: PrintedHostKeys): boolean {
  return lines.some((line) => {
    const key = parsePublicKey(line.trim().split(/\s+/).slice(1).join(' '));
    const type =
      key && typeNames.find((name) => key.type.toUpperCase().includes(name === 'DSA' ? 'DSS' : name));
    const known = type === undefined ? undefined : printed.get(type);
    return key !== undefined && known !== undefined && !known.has(key.fingerprint);
  });
}
