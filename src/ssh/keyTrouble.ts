import { text, type Text } from '../util/text';
import { unescaped } from './effectiveConfig';
import { forwardSlashes } from './paths';
import { plainText } from './plainText';

/** Why this computer can't use one of its own keys. The machine has no part in it. */
export type KeyTroubleKind =
  | 'lineEnds'
  | 'lastLineEnd'
  | 'damaged'
  | 'putty'
  | 'publicPart'
  | 'otherPublic'
  | 'noAccess'
  | 'unprotected'
  | 'missing'
  | 'unsupported'
  | 'tooShort'
  | 'algorithm'
  | 'locked'
  | 'noProvider'
  | 'token'
  /** The agent or the device did not sign: locked, not confirmed, not plugged in. */
  | 'notSigned';

export interface KeyTrouble {
  readonly kind: KeyTroubleKind;
  /** As ssh names it; `undefined` if it names none. */
  readonly file: string | undefined;
}

const file = `(?<file>[^"\\r\\n]+)`;
const loading = (reason: string) => new RegExp(`^Load key "${file}": (?:${reason})`, 'gm');
/** At `-v`, ssh puts its level, and some versions the name of a function, before a sentence. */
const prefix = String.raw`^(?:debug1: )?(?:\w+: )?`;

/**
 * Every sentence of ssh about a key of this computer, the more precise first. Sources: authfile.c, sshconnect2.c, ssh.c,
 * ssherr.c, ssh-pkcs11.c and ssh-pkcs11-client.c of OpenSSH 7.3 to 10.1, and authfile.c of its port to Windows.
 */
const sentences: readonly (readonly [RegExp, KeyTroubleKind])[] = [
  [/^Permissions (?:\d+ )?for '(?<file>.+)' are too open/gm, 'unprotected'],
  [/^Bad permissions\. Try removing permissions for user: .+ on file (?<file>.+?)\.?\r?$/gm, 'unprotected'],
  [loading('bad permissions'), 'unprotected'],
  [loading('Permission denied|Operation not permitted|Is a directory'), 'noAccess'],
  [loading('No such file or directory'), 'missing'],
  [/^no such identity: (?<file>.+?): [^:\r\n]+\r?$/gm, 'missing'],
  [loading('incorrect passphrase|.*passphrase'), 'locked'],
  [
    loading(
      'unknown or unsupported key type|key encrypted using unsupported cipher|requested feature not supported|signature algorithm not supported|invalid elliptic curve|elliptic curve does not match',
    ),
    'unsupported',
  ],
  [loading('Invalid key length'), 'tooShort'],
  // error in libcrypto, invalid format, incomplete message and all others of ssherr.c are about its content.
  [loading('.*'), 'damaged'],
  [new RegExp(`${prefix}private key (?<file>.+) contents do not match public`, 'gm'), 'otherPublic'],
  [new RegExp(`${prefix}Skipping key (?<file>.+): Invalid key length`, 'gm'), 'tooShort'],
  [
    new RegExp(
      `${prefix}Skipping \\S+ key (?<file>.+?) - (?:not in PubkeyAccepted|corresponding algo(?:rithm)? )`,
      'gm',
    ),
    'algorithm',
  ],
  [
    new RegExp(
      `${prefix}ignoring authenticator-hosted key (?:certificate )?(?<file>.+) as no SecurityKeyProvider`,
      'gm',
    ),
    'noProvider',
  ],
  [new RegExp(`${prefix}key "${file}" is an authenticator-hosted key, but no provider`, 'gm'), 'noProvider'],
  [new RegExp(`${prefix}signing failed for \\S+ "${file}"`, 'gm'), 'notSigned'],
  [/^sign_and_send_pubkey: signing failed: /gm, 'notSigned'],
  [/^(?:sign_and_send_pubkey: )?no mutual signature supported/gm, 'algorithm'],
  [/^debug1: send_pubkey_test: no mutual signature algorithm/gm, 'algorithm'],
  [/^(?:agent |token )?key \S+ SHA256:\S+ returned incorrect signature type/gm, 'algorithm'],
  [
    /^(?:no pkcs11 \(valid\) provider found|PKCS#11 login failed|need pin entry|pkcs11_get_key failed)/gm,
    'token',
  ],
  [
    /^(?:C_[A-Z]\w+ (?:for provider .+ )?failed|dlopen .+ failed|provider .+ is not a PKCS11 library)/gm,
    'token',
  ],
  [
    /^(?:cannot find private key|login failed for always-auth key|(?:write to|read from) helper failed)/gm,
    'token',
  ],
];

/** Returns the messages of ssh about the keys of this computer, the most precise first. */
export function keyTroubles(stderr: string): readonly KeyTrouble[] {
  return sentences.flatMap(([sentence, kind]) =>
    [...stderr.matchAll(sentence)].map(({ groups }) => ({
      kind,
      file: groups?.['file'] === undefined ? undefined : plainText(unescaped(groups['file'])),
    })),
  );
}

/**
 * Returns what is wrong with a key: with that of an entry, or else with one that ssh does not
 * name. Messages about other keys of the user's config are ignored. Without a file, all count.
 */
export function keyTroubleOf(stderr: string, identityFile: string | undefined): KeyTrouble | undefined {
  const troubles = keyTroubles(stderr);
  const part = (name: string) => forwardSlashes(name).replace(/\.pub$/, '');
  const isOwn = (one: KeyTrouble) =>
    identityFile === undefined || (one.file !== undefined && part(one.file) === part(identityFile));
  const own = troubles.find(isOwn) ?? troubles.find((one) => one.file === undefined);
  // Of a key that only an agent has, ssh tries the public part as the private one once the agent does not show it.
  return own?.file?.endsWith('.pub') === true && own.kind !== 'otherPublic'
    ? { ...own, kind: 'notSigned' }
    : own;
}

/** What is wrong with a key, and what to do about it; `{0}` is its file. */
const explanations: Readonly<Record<KeyTroubleKind, (file: string) => Text>> = {
  lineEnds: (name) =>
    text(
      "ssh can't read the key file {0}, because its lines end as on Windows. Save it with LF line ends, then retry.",
      name,
    ),
  lastLineEnd: (name) =>
    text(
      "ssh can't read the key file {0}, because its last line has no line end. Add an empty line at its end, then retry.",
      name,
    ),
  damaged: (name) =>
    text(
      "ssh can't read the key file {0}: it is damaged, incomplete or in another format. Copy it again from its source, then retry.",
      name,
    ),
  putty: (name) =>
    text(
      "ssh can't read the key file {0}, because it is in the format of PuTTY. Export it from PuTTYgen as an OpenSSH key, then retry.",
      name,
    ),
  publicPart: (name) =>
    text(
      'The key file {0} holds a public key where ssh needs the private one. Put the private key there, then retry.',
      name,
    ),
  otherPublic: (name) =>
    text(
      'The public key in {0} belongs to another private key than the one beside it. Delete that file or write it again with ssh-keygen -y, then retry.',
      name,
    ),
  noAccess: (name) =>
    text("Your user can't read the key file {0}. Check its owner and permissions, then retry.", name),
  unprotected: (name) =>
    text(
      'ssh does not use the key {0}, because other users of this computer can read it. Let only your own user read it, then retry.',
      name,
    ),
  missing: (name) =>
    text('The key file {0} does not exist. Put it back or use another key, then retry.', name),
  unsupported: (name) =>
    text(
      'Your version of ssh does not support the key {0}. Update OpenSSH or use an ed25519 key, then retry.',
      name,
    ),
  tooShort: (name) =>
    text('ssh refuses the key {0}, because it is too short. Use an ed25519 key, then retry.', name),
  algorithm: (name) =>
    text(
      'ssh and the instance have no signature algorithm in common for the key {0}. Use an ed25519 key, or check PubkeyAcceptedAlgorithms in your SSH config.',
      name,
    ),
  locked: (name) => text('The key {0} asks for a passphrase. Open a terminal, which asks for it.', name),
  noProvider: (name) =>
    text(
      'The key {0} is on a security key, and this ssh has no program for it. Set SecurityKeyProvider in your SSH config, or use another key.',
      name,
    ),
  token: (name) =>
    text(
      'ssh could not use the smart card of the key {0}. Plug it in, check PKCS11Provider in your SSH config, then retry.',
      name,
    ),
  notSigned: (name) =>
    text(
      "This computer could not use the key {0}. Unlock its SSH agent, answer the agent's prompt or touch its security key, then retry.",
      name,
    ),
};

export function explainKeyTrouble({ kind, file: name = '–' }: KeyTrouble): Text {
  return explanations[kind](name);
}
