/**
 * A secret in a template document is a reference such as `${secret:registry-12}`. Its value is in the editor's secret
 * store, so that the document can be backed up, searched and shared (docs/rules.md#secrets-stay-secret).
 */
const pattern = /^\$\{secret:([A-Za-z0-9._-]{1,100})\}$/;

/** Returns the name in a reference, or `undefined` for any other text. */
export function referenceName(value: string): string | undefined {
  return pattern.exec(value)?.[1];
}

/** Returns the first reference that occurs anywhere in a text. */
export function findReference(value: string): string | undefined {
  return /\$\{secret:[A-Za-z0-9._-]{1,100}\}/.exec(value)?.[0];
}

export function makeReference(name: string): string {
  return `\${secret:${name}}`;
}

/** Returns the default reference for the registry password of a template. */
export function registryReference(templateId: number): string {
  return `registry-${templateId}`;
}

/** Returns a name for the secret at `slot`, with only the letters that a reference allows. */
export function referenceNameFor(slot: ReferenceSlot, owner: string): string {
  const base = slot === 'docker_login_pass' ? 'registry' : slot.slice('env.'.length);
  return `${base}-${owner}`.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 100);
}

/**
 * The document that a secret was stored for. A reference alone gives no access to a value, because any template or
 * file can contain its name.
 */
export type SecretOwner = `template:${number}` | `draft:${string}` | `file:${string}`;

export function templateOwner(id: number): SecretOwner {
  return `template:${id}`;
}

export function draftOwner(token: string): SecretOwner {
  return `draft:${token}`;
}

export function fileOwner(address: string): SecretOwner {
  return `file:${address}`;
}

/** A place where a document may hold a reference. */
export type ReferenceSlot = 'docker_login_pass' | `env.${string}`;

/** The reference for the value of a slot. The value is `undefined` if this computer does not have it. */
export interface HeldReference {
  readonly name: string;
  readonly value: string | undefined;
}
export type HeldReferences = ReadonlyMap<ReferenceSlot, HeldReference>;

/** Returns the entropy in bits per character, which is high for random secrets. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) {
    counts.set(char, (counts.get(char) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / value.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

const knownPrefixes =
  /^(hf_|sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abp]-|AKIA|ASIA|AIza|dckr_pat_|npm_|pypi-|eyJ[A-Za-z0-9_-]{10,}\.)/;
const secretNames =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH)(_|$)/i;
const obviousPlaceholders = /^(true|false|none|null|changeme|your[-_ ].*|<.*>|x{3,}|\*+|\.{3,}|\d{1,6})$/i;

/**
 * Returns true if the name or value of a variable looks like a secret. Prefers false alarms, because the result only
 * leads to a question to the user.
 */
export function looksSecret(name: string, value: string): boolean {
  const text = value.trim();
  if (
    text === '' ||
    referenceName(text) !== undefined ||
    text.startsWith('$') ||
    obviousPlaceholders.test(text)
  ) {
    return false;
  }
  if (knownPrefixes.test(text) || text.includes('PRIVATE KEY-----')) {
    return true;
  }
  // An address with `user:password@host`.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]+:[^/\s@]+@/i.test(text)) {
    return true;
  }
  if (secretNames.test(name) && !/(_FILE|_PATH|_URL|_DIR|_HOST|_PORT)$/i.test(name)) {
    return text.length >= 4;
  }
  return (
    text.length >= 32 &&
    /^[A-Za-z0-9+/_=-]+$/.test(text) &&
    !text.includes('/') &&
    /[a-z]/i.test(text) &&
    /\d/.test(text) &&
    entropy(text) > 3.4
  );
}
