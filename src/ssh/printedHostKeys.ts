import { isStartToken } from '../model/rentals/hostKeyLine';
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

/** What a machine printed between the tokens of its own start line: public keys by type. */
const ofStartLine = (token: string) =>
  new RegExp(
    `\\[gpu-rental ${token} ((?:[a-z0-9-]{1,40} [A-Za-z0-9+/]{40,1500}={0,2} ){1,8})\\]${token}`,
    'g',
  );

/**
 * Reads what the start line of a rental of ours printed. Nobody else knows its token, so other lines are no forgery that
 * counts. Two keys of one type prove neither. `undefined` without a line, or with contradicting ones.
 */
export function startLineHostKeys(log: string, token: string): PrintedHostKeys | undefined {
  const found = new Map<string, Set<string>>();
  for (const [, keys = ''] of isStartToken(token)
    ? log.slice(-longestLog).matchAll(ofStartLine(token))
    : []) {
    const words = keys.trim().split(' ');
    for (let at = 0; at < words.length; at += 2) {
      const line = words.slice(at, at + 2).join(' ');
      const key = parsePublicKey(line);
      const type = key && nameOfType(key.type);
      if (key && type !== undefined) {
        found.set(type, (found.get(type) ?? new Set()).add(key.fingerprint));
      }
    }
  }
  return found.size > 0 && [...found.values()].every(({ size }) => size === 1) ? found : undefined;
}

/** Returns whether every key of a first contact is among the printed ones. */
export function areAllPrinted(lines: readonly string[], printed: PrintedHostKeys): boolean {
  const keys = lines.map((line) => parsePublicKey(line.trim().split(/\s+/).slice(1).join(' ')));
  return (
    keys.length > 0 &&
    keys.every((key) => key && printed.get(nameOfType(key.type) ?? '')?.has(key.fingerprint) === true)
  );
}

function nameOfType(keyType: string): (typeof typeNames)[number] | undefined {
  const upper = keyType.toUpperCase();
  return typeNames.find((name) => upper.includes(name === 'DSA' ? 'DSS' : name));
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
    const type = key && nameOfType(key.type);
    const known = type === undefined ? undefined : printed.get(type);
    return key !== undefined && known !== undefined && !known.has(key.fingerprint);
  });
}
