import { join } from 'node:path';
import { UserError } from '../util/errors';
import { isNameOnWindows } from '../util/fileName';
import { text } from '../util/text';
import { errorCode, isMissing, type FileSystem } from './fileSystem';
import { parsePublicKey, type PublicKey } from './publicKey';
import { ProgramMissingError, type Run, type RunResult } from './run';

/** A key with which this computer can log in. */
export interface LocalKey {
  readonly publicKey: PublicKey;
  /** The whole line, as it is registered. */
  readonly line: string;
  /** The `.pub` file, where there is one. */
  readonly publicFile: string | undefined;
  /** The private file, where it lies beside it. */
  readonly privateFile: string | undefined;
  readonly inAgent: boolean;
  /** The private file asks for a passphrase. */
  readonly encrypted: boolean;
}

export interface KeyDeps {
  readonly fs: FileSystem;
  readonly run: Run;
  readonly sshDir: string;
  /** Program and options with which the user's config is read. */
  readonly ssh: readonly [program: string, ...options: string[]];
  readonly platform: NodeJS.Platform;
}

/**
 * `ssh-keygen` of Windows reads a passphrase from its console alone. Without one it would take what no keyboard can
 * type, and nobody could open the key.
 */
export function takesPassphraseByPipe(platform: NodeJS.Platform): boolean {
  return platform !== 'win32';
}

/** Where it is typed instead: a terminal that runs nothing else, for a key that has none yet. */
export function passphraseTerminal(privateFile: string) {
  return { shellPath: 'ssh-keygen.exe', shellArgs: ['-p', '-f', privateFile] };
}

/** A key whose secret is in a device that wants to be touched (FIDO). */
export function isSecurityKey({ publicKey }: LocalKey): boolean {
  return publicKey.type.startsWith('sk-');
}

/** Keys in `~/.ssh` and in the agents, those that need no passphrase first, then by file name. */
export async function findLocalKeys(deps: KeyDeps, signal?: AbortSignal): Promise<readonly LocalKey[]> {
  const [files, agent] = await Promise.all([keyFiles(deps), agentKeys(deps, signal)]);
  const found: LocalKey[] = files.map((file) => ({
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
  return found.filter(isUsable).sort((a, b) => rank(a) - rank(b));
}

/** Without asking anybody: in the agent, or in a file without a passphrase. */
export function worksUnattended(key: LocalKey): boolean {
  return key.inAgent || (key.privateFile !== undefined && !key.encrypted);
}

function isUsable(key: LocalKey): boolean {
  return key.inAgent || key.privateFile !== undefined;
}

function rank(key: LocalKey): number {
  return (worksUnattended(key) ? 0 : 10) + (key.publicKey.type === 'ssh-ed25519' ? 0 : 1);
}

async function keyFiles({ fs, sshDir }: KeyDeps): Promise<readonly Omit<LocalKey, 'inAgent'>[]> {
  const names = await listOrNothing(fs, sshDir);
  const keys: Omit<LocalKey, 'inAgent'>[] = [];
  for (const name of [...names].sort()) {
    if (!name.endsWith('.pub') || name.endsWith('-cert.pub')) {
      continue;
    }
    const publicFile = join(sshDir, name);
    const line = (await readOrNothing(fs, publicFile))?.toString('utf8').trim() ?? '';
    const publicKey = parsePublicKey(line);
    if (!publicKey) {
      continue;
    }
    const beside = publicFile.slice(0, -'.pub'.length);
    const secret = await readOrNothing(fs, beside);
    const privateFile = secret === undefined ? undefined : beside;
    keys.push({ publicKey, line, publicFile, privateFile, encrypted: !!secret && isEncrypted(secret) });
  }
  return keys;
}

/** Of the agent that the environment names, and of the one in the SSH config, as password managers set it up. */
async function agentKeys(deps: KeyDeps, signal?: AbortSignal): Promise<readonly string[]> {
  const configured = await configuredAgent(deps, signal);
  const lists = await Promise.all([
    keysOfAgent(deps.run, undefined, signal),
    configured === undefined ? [] : keysOfAgent(deps.run, configured, signal),
  ]);
  return lists.flat();
}

async function keysOfAgent(
  run: Run,
  socket: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const env = socket === undefined ? {} : { env: { SSH_AUTH_SOCK: socket } };
  const result = await runOrNothing(run, 'ssh-add', ['-L'], { ...env, signal, timeoutMs: 5_000 });
  return result?.code === 0 ? result.stdout.split('\n').map((line) => line.trim()) : [];
}

/** `IdentityAgent` for any host, as ssh itself reads it; nothing where it is the one of the environment. */
async function configuredAgent(
  { run, ssh: [program, ...options] }: KeyDeps,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const args = [...options, '-G', 'gpu-0'];
  const result = await runOrNothing(run, program, args, { signal, timeoutMs: 5_000 });
  const value = /^identityagent (.+)$/m.exec(result?.code === 0 ? result.stdout : '')?.[1]?.trim();
  return value === undefined || /^(?:none|SSH_AUTH_SOCK|\$.*)$/.test(value) ? undefined : value;
}

/** `undefined` where the program is not installed. */
async function runOrNothing(run: Run, ...call: Parameters<Run>): Promise<RunResult | undefined> {
  try {
    return await run(...call);
  } catch (error) {
    if (error instanceof ProgramMissingError) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Whether a private key asks for a passphrase, by its form: OpenSSH's own names the cipher after
 * `openssh-key-v1`, the older ones say it in a header.
 */
function isEncrypted(privateKey: Buffer): boolean {
  const content = privateKey.toString('latin1');
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(content)) {
    return true;
  }
  const body = /BEGIN OPENSSH PRIVATE KEY-----([^-]*)-----END/.exec(content)?.[1];
  if (body === undefined) {
    return false;
  }
  const blob = Buffer.from(body, 'base64');
  const magic = 'openssh-key-v1\0';
  const length = blob.length >= magic.length + 4 ? blob.readUInt32BE(magic.length) : 0;
  const start = magic.length + 4;
  return blob.subarray(start, start + length).toString('latin1') !== 'none';
}

/** The file name of a key is ours to choose or the user's: letters, digits, dot, hyphen, underscore. */
const keyName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

export function isKeyName(name: string): boolean {
  return keyName.test(name) && !name.endsWith('.pub') && isNameOnWindows(name);
}

/** The least that `ssh-keygen` takes. */
export const shortestPassphrase = 5;

export interface NewKeyOptions {
  /** None unless given. It goes through a pipe: arguments and environment can be read by other programs. */
  readonly passphrase?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes an ed25519 key `~/.ssh/<name>` by `ssh-keygen`. Never overwrites one. */
export async function generateKey(
  deps: KeyDeps,
  name: string,
  comment: string,
  { passphrase = '', signal }: NewKeyOptions = {},
): Promise<LocalKey> {
  if (!isKeyName(name)) {
    throw new UserError(text('{0} cannot be the name of a key file.', JSON.stringify(name)));
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
    if ((await readOrNothing(deps.fs, path)) !== undefined) {
      throw new UserError(text('A key {0} exists already. Choose another name.', path));
    }
  }
  const plainComment = comment.replace(/[^A-Za-z0-9@._-]/g, '-');
  const args = ['-q', '-t', 'ed25519', '-C', plainComment, '-f', file];
  const isLocked = passphrase !== '';
  const result = await deps.run('ssh-keygen', isLocked ? args : [...args, '-N', ''], {
    signal,
    timeoutMs: 30_000,
    // It asks twice. Without a terminal, and told not to open a window, it reads the answers from its input.
    ...(isLocked
      ? {
          input: `${passphrase}\n${passphrase}\n`,
          withoutTerminal: true,
          env: { SSH_ASKPASS_REQUIRE: 'never', DISPLAY: '', WAYLAND_DISPLAY: '' },
        }
      : {}),
  });
  const line = (await readOrNothing(deps.fs, `${file}.pub`))?.toString('utf8').trim() ?? '';
  const publicKey = parsePublicKey(line);
  const secret = await readOrNothing(deps.fs, file);
  if (result.code !== 0 || !publicKey || !secret) {
    const said = isLocked ? '' : result.stderr.trim();
    throw new UserError(text('ssh-keygen could not make the key: {0}', said || '?'));
  }
  if (isLocked !== isEncrypted(secret)) {
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

async function listOrNothing(fs: FileSystem, dir: string): Promise<readonly string[]> {
  try {
    return await fs.list(dir);
  } catch (error) {
    if (isMissing(error)) {
      return [];
    }
    throw error;
  }
}

/** A key file that is not there, or that this user may not read, cannot be used. */
async function readOrNothing(fs: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    return await fs.read(path);
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EISDIR', 'EPERM'].includes(errorCode(error))) {
      return undefined;
    }
    throw error;
  }
}

/** Local keys that are among the registered ones, compared by the key alone. */
export function matchKeys(local: readonly LocalKey[], registered: readonly string[]): readonly LocalKey[] {
  const known = new Set(registered.flatMap((line) => parsePublicKey(line)?.base64 ?? []));
  return local.filter((key) => known.has(key.publicKey.base64));
}
