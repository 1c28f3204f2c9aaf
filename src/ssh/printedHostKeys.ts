import { parsePublicKey } from './publicKey';

/** Fingerprints of host keys that a machine printed in its log, by key type as `ssh-keygen -l` names it. */
export type PrintedHostKeys = ReadonlyMap<string, ReadonlySet<string>>;

const fingerprint = /\bSHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/=])/;
/** Words near a fingerprint that mark it as a host key: users' keys are printed in the same form. */
const aboutHostKey = /ssh_host_|host ?key|Creating SSH2|BEGIN SSH HOST KEY FINGERPRINTS/i;
const typeNames = ['ED25519', 'ECDSA', 'RSA', 'DSA'] as const;
/** `ssh-keygen` prints the file, two sentences and then the fingerprint. */
const linesBefore = 4;
const longestLog = 1_000_000;

/**
 * Reads the fingerprints of host keys from a log: the output of cloud-init, the OpenSSH packages and `ssh-keygen`
 * when they create one. Lines that do not mention a host key are ignored, since a wrong guess would reject the right
 * machine.
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

/** Returns the type that is named last, which is nearest to the fingerprint. */
function typeIn(text: string): string | undefined {
  const upper = text.toUpperCase();
  const [nearest] = typeNames
    .map((name) => ({ name, at: upper.search(new RegExp(`(?<![A-Z0-9])${name}(?![A-Z0-9])|_${name}_`)) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => other.at - one.at);
  return nearest?.name;
}

/**
 * Returns whether the keys of a first contact differ from the printed ones: a key of the same type was printed, and
 * none matches. Types that were not printed can't be compared. `lines` are those of a `known_hosts` file.
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
