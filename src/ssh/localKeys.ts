import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { errorCode } from '../util/errorCode';
import { UserError } from '../util/errors';
import { isNameOnWindows } from '../util/fileName';
import { ifPresent } from '../util/missing';
import { text } from '../util/text';
import { readClientConfig, type ClientConfigDeps } from './clientConfig';
import type { FileSystem } from './fileSystem';
import { keysOfAgent } from './keyAgent';
import { keyTroubles, type KeyTrouble } from './keyTrouble';
import { readPrivateKey, type PrivateKeyFacts } from './privateKey';
import { parsePublicKey, type PublicKey } from './publicKey';
import { ProgramMissingError, type Run } from './run';

/** A key that this computer can log in with. */
export interface LocalKey {
  readonly publicKey: PublicKey;
  /** The whole line, as it is registered. */
  readonly line: string;
  /** The `.pub` file, if it exists. */
  readonly publicFile: string | undefined;
  /** The private file next to it, if it exists. */
  readonly privateFile: string | undefined;
  readonly inAgent: boolean;
  /** True if the private file needs a passphrase. */
  readonly encrypted: boolean;
}

type KeyFile = Omit<LocalKey, 'inAgent'>;

export interface KeyDeps extends ClientConfigDeps {
  readonly fs: FileSystem;
  readonly run: Run;
  readonly sshDir: string;
  /** Where the agent of the environment listens. */
  readonly agentSocket: string | undefined;
  readonly platform: NodeJS.Platform;
  /** The public keys of older files, by their content: each costs a program. */
  readonly derived: Map<string, PublicKey | KeyTrouble>;
}

/** A key of this computer that ssh can't use as it is, so that it is offered nowhere. */
export interface UnusableKey extends KeyTrouble {
  readonly file: string;
  readonly publicKey: PublicKey | undefined;
}

/** The keys of this computer that work, and what can't. */
export interface LocalKeys {
  readonly keys: readonly LocalKey[];
  /** Private files whose public part can't be read either, without a passphrase. */
  readonly unread: readonly string[];
  readonly unusable: readonly UnusableKey[];
}

/**
 * Returns whether `ssh-keygen` reads a passphrase from its input. On Windows it reads only from its console; without
 * one it would use a passphrase that can't be typed, and the key could never be opened.
 */
export function takesPassphraseByPipe(platform: NodeJS.Platform): boolean {
  return platform !== 'win32';
}

/**
 * Returns the terminal in which the passphrase is typed instead: it runs nothing else, for a key that has none yet.
 */
export function passphraseTerminal(privateFile: string) {
  return { shellPath: 'ssh-keygen.exe', shellArgs: ['-p', '-f', privateFile] };
}

/** Returns true for a key whose secret is in a device that must be touched (FIDO). */
export function isSecurityKey({ publicKey }: LocalKey): boolean {
  return publicKey.type.startsWith('sk-');
}

/**
 * Finds keys in `~/.ssh`, in files that the user's SSH config names and in the agent that ssh asks; those without a
 * passphrase or touch first, then by file name.
 */
export async function findLocalKeys(deps: KeyDeps, signal?: AbortSignal): Promise<LocalKeys> {
  const config = await readClientConfig(deps, signal);
  // Windows has a fixed place for the agent of the environment that no variable names.
  const isPossible = config.agent !== 'environment' || Boolean(deps.agentSocket) || deps.platform === 'win32';
  const [files, agent] = await Promise.all([
    keyFiles(deps, config.identityFiles, signal),
    isPossible ? keysOfAgent(deps.run, config.agent, signal) : [],
  ]);
  const found: LocalKey[] = files.keys.map((file) => ({
    ...file,
    inAgent: agent.some((line) => parsePublicKey(line)?.base64 === file.publicKey.base64),
  }));
  for (const line of agent) {
    const publicKey = parsePublicKey(line);
    if (publicKey && !found.some((key) => key.publicKey.base64 === publicKey.base64)) {
      const nowhere = { publicFile: undefined, privateFile: undefined };
      found.push({ publicKey, line, ...nowhere, inAgent: true, encrypted: false });
    }
  }
  const keys = found.filter(isUsable).sort((a, b) => rank(a) - rank(b));
  const works = (one: UnusableKey) => keys.some((key) => key.publicKey.base64 === one.publicKey?.base64);
  return { keys, unread: files.unread, unusable: files.unusable.filter((one) => !works(one)) };
}

/** Returns true if the key works without a question: it is in the agent, or in a file without a passphrase. */
export function worksUnattended(key: LocalKey): boolean {
  return key.inAgent || (key.privateFile !== undefined && !key.encrypted);
}

function isUsable(key: LocalKey): boolean {
  return key.inAgent || key.privateFile !== undefined;
}

function rank(key: LocalKey): number {
  // A login in the background can't ask for a touch.
  const touch = isSecurityKey(key) ? 5 : 0;
  return (worksUnattended(key) ? 0 : 10) + touch + (key.publicKey.type === 'ssh-ed25519' ? 0 : 1);
}

/** Files in `~/.ssh` that are no keys, and may be long. */
const noKey = /^(?:known_hosts|authorized_keys|config)|-cert\.pub$/;

async function keyFiles(
  deps: KeyDeps,
  named: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Omit<LocalKeys, 'keys'> & { readonly keys: readonly KeyFile[] }> {
  const names = [...((await ifPresent(deps.fs.list(deps.sshDir))) ?? [])].sort();
  const own = names.filter((name) => !noKey.test(name)).map((name) => join(deps.sshDir, name));
  const files = new Set([...own, ...named].map((file) => file.replace(/\.pub$/, '')));
  const keys = new Map<string, KeyFile>();
  const unread: string[] = [];
  const unusable: UnusableKey[] = [];
  for (const file of files) {
    const found = await readKeyFile(deps, file, signal);
    for (const key of found.keys ?? []) {
      // The two parts of one key can be in different folders.
      const known = keys.get(key.publicKey.base64);
      keys.set(key.publicKey.base64, known?.privateFile === undefined ? key : known);
    }
    unread.push(...(found.isUnread === true ? [file] : []));
    unusable.push(...(found.unusable ?? []));
  }
  return { keys: [...keys.values()], unread, unusable };
}

interface FoundKey {
  /** A key without a private file works only where the agent has it. */
  readonly keys?: readonly KeyFile[];
  readonly isUnread?: boolean;
  readonly unusable?: readonly UnusableKey[];
}

/** Reads the key of a private file and the `.pub` file next to it, one of which may be missing. */
async function readKeyFile(deps: KeyDeps, file: string, signal: AbortSignal | undefined): Promise<FoundKey> {
  const publicFile = `${file}.pub`;
  const [bytes, content] = await Promise.all([
    readOrNothing(deps.fs, publicFile),
    readOrNothing(deps.fs, file),
  ]);
  const listedLine = Buffer.isBuffer(bytes) ? bytes.toString('utf8').trim() : '';
  const listed = parsePublicKey(listedLine);
  const ofAgent = (publicKey: PublicKey | undefined): readonly KeyFile[] => {
    const isListed = publicKey !== undefined && publicKey.base64 === listed?.base64;
    const line = isListed ? listedLine : publicKey && publicLine(publicKey);
    const parts = { publicFile: isListed ? publicFile : undefined, privateFile: undefined };
    return publicKey && line !== undefined ? [{ publicKey, line, ...parts, encrypted: false }] : [];
  };
  if (!Buffer.isBuffer(content)) {
    const isRefused = content === 'refused' && listed !== undefined;
    return {
      keys: ofAgent(listed),
      unusable: isRefused ? [{ kind: 'noAccess', file, publicKey: listed }] : [],
    };
  }
  const secret = readPrivateKey(content, basename(file));
  const isOther = secret === undefined || (secret.trouble === 'publicPart' && !listed);
  if (isOther) {
    return listed ? { keys: ofAgent(listed), unusable: [{ kind: 'damaged', file, publicKey: listed }] } : {};
  }
  const { encrypted, trouble } = secret;
  const found =
    trouble === undefined ? await publicPartOf(deps, file, content, secret, signal) : { kind: trouble };
  if (found && 'kind' in found) {
    const publicKey = secret.publicKey ?? listed;
    return { keys: ofAgent(publicKey), unusable: [{ kind: found.kind, file, publicKey }] };
  }
  if (found && listed && !isCertificate(listed) && listed.base64 !== found.base64) {
    // ssh offers the key of the .pub file and then finds that the private key is another.
    const both = [found, listed];
    return {
      keys: both.flatMap(ofAgent),
      unusable: both.map((publicKey) => ({ kind: 'otherPublic', file: publicFile, publicKey })),
    };
  }
  const publicKey = listed ?? found;
  return publicKey
    ? {
        keys: [
          {
            publicKey,
            line: listed ? listedLine : publicLine(publicKey),
            publicFile: listed && publicFile,
            privateFile: file,
            encrypted,
          },
        ],
      }
    : { isUnread: true };
}

const isCertificate = ({ type }: PublicKey) => type.includes('-cert-');

/** Returns the public part by the private file itself; `undefined` if it needs the passphrase or other rights. */
async function publicPartOf(
  deps: KeyDeps,
  file: string,
  content: Buffer,
  secret: PrivateKeyFacts,
  signal: AbortSignal | undefined,
): Promise<PublicKey | KeyTrouble | undefined> {
  if (secret.publicKey ?? secret.encrypted) {
    return secret.publicKey;
  }
  const hash = createHash('sha256').update(`${file}\0`).update(content).digest('hex');
  const known = deps.derived.get(hash) ?? (await derivePublicKey(deps, file, signal));
  if (known && !('kind' in known && known.kind === 'unprotected')) {
    deps.derived.set(hash, known);
    return known;
  }
  return undefined;
}

/** Derives the public key for older formats, which do not contain it in clear. */
async function derivePublicKey(
  { run }: KeyDeps,
  file: string,
  signal: AbortSignal | undefined,
): Promise<PublicKey | KeyTrouble | undefined> {
  const call = run('ssh-keygen', ['-y', '-P', '', '-f', file], { signal, timeoutMs: 5_000 });
  const { stdout, stderr } = await call.catch((error: unknown) => {
    if (error instanceof ProgramMissingError) {
      return { stdout: '', stderr: '' };
    }
    throw error;
  });
  const [type = '', base64 = ''] = stdout.trim().split(' ');
  return parsePublicKey(`${type} ${base64} ${basename(file)}`) ?? keyTroubles(stderr)[0];
}

function publicLine({ type, base64, comment }: PublicKey): string {
  return `${type} ${base64} ${comment}`.trim();
}

/** Allowed names of key files, chosen by us or the user: letters, digits, dot, hyphen, underscore. */
const keyName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

export function isKeyName(name: string): boolean {
  return keyName.test(name) && !name.endsWith('.pub') && isNameOnWindows(name);
}

/** The minimum length that `ssh-keygen` accepts. */
export const shortestPassphrase = 5;

export interface NewKeyOptions {
  /** By default none. It is sent through a pipe, because other programs can read arguments and environment. */
  readonly passphrase?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Creates an ed25519 key `~/.ssh/<name>` with `ssh-keygen`. Never overwrites one. */
export async function generateKey(
  deps: KeyDeps,
  name: string,
  comment: string,
  { passphrase = '', signal }: NewKeyOptions = {},
): Promise<LocalKey> {
  if (!isKeyName(name)) {
    throw new UserError(text("{0} can't be the name of a key file.", JSON.stringify(name)));
  }
  if (passphrase !== '' && !takesPassphraseByPipe(deps.platform)) {
    throw new UserError(
      text(
        'On Windows ssh-keygen takes a passphrase from a terminal alone. Run it there and add the key here.',
      ),
    );
  }
  try {
    await deps.fs.makeDir(deps.sshDir, 0o700);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
  }
  const file = join(deps.sshDir, name);
  for (const path of [file, `${file}.pub`]) {
    if (await ifPresent(deps.fs.facts(path))) {
      throw new UserError(text('A key with this name exists already.'));
    }
  }
  const plainComment = comment.replace(/[^A-Za-z0-9@._-]/g, '-');
  const args = ['-q', '-t', 'ed25519', '-C', plainComment, '-f', file];
  const isLocked = passphrase !== '';
  const result = await deps.run('ssh-keygen', isLocked ? args : [...args, '-N', ''], {
    signal,
    timeoutMs: 30_000,
    // ssh-keygen asks twice. Without a terminal, and with windows disabled, it reads the answers from its input.
    ...(isLocked
      ? {
          input: `${passphrase}\n${passphrase}\n`,
          withoutTerminal: true,
          env: { SSH_ASKPASS_REQUIRE: 'never', DISPLAY: '', WAYLAND_DISPLAY: '' },
        }
      : {}),
  });
  const listed = await readOrNothing(deps.fs, `${file}.pub`);
  const line = Buffer.isBuffer(listed) ? listed.toString('utf8').trim() : '';
  const publicKey = parsePublicKey(line);
  const content = await readOrNothing(deps.fs, file);
  const secret = Buffer.isBuffer(content) ? readPrivateKey(content, name) : undefined;
  if (result.code !== 0 || !publicKey || !secret) {
    const message = isLocked ? '' : result.stderr.trim();
    throw new UserError(text('ssh-keygen could not make the key: {0}', message || '?'));
  }
  if (isLocked !== secret.encrypted) {
    await deps.fs.remove(file);
    await deps.fs.remove(`${file}.pub`);
    throw new UserError(
      text('ssh-keygen did not take the passphrase. Run it in a terminal and add the key here.'),
    );
  }
  return {
    publicKey,
    line,
    publicFile: `${file}.pub`,
    privateFile: file,
    inAgent: false,
    encrypted: isLocked,
  };
}

/** What OpenSSH reads of a key file at most (bytes); a longer one in `~/.ssh` is something else. */
const longestKey = 1024 * 1024;
/** Missing or not a file: it is no key. */
const noFile = ['ENOENT', 'EISDIR', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENOTSUP'];
const refused = ['EACCES', 'EPERM'];

async function readOrNothing(fs: FileSystem, path: string): Promise<Buffer | 'refused' | undefined> {
  try {
    return await fs.readUpTo(path, longestKey);
  } catch (error) {
    if (noFile.includes(errorCode(error))) {
      return undefined;
    }
    if (refused.includes(errorCode(error))) {
      return 'refused';
    }
    throw error;
  }
}

/** Returns the local keys that are registered; only the key itself is compared. */
export function matchKeys<K extends { readonly publicKey: PublicKey | undefined }>(
  local: readonly K[],
  registered: readonly string[],
): readonly K[] {
  const known = new Set(registered.flatMap((line) => parsePublicKey(line)?.base64 ?? []));
  return local.filter(({ publicKey }) => publicKey !== undefined && known.has(publicKey.base64));
}
