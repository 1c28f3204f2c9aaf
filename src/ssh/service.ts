import { randomBytes } from 'node:crypto';
import type { AccountRef } from '../model/accounts/account';
import type { Instance } from '../model/instances/instance';
import type { HostKey } from '../model/links';
import { isLoopback } from '../util/loopback';
import { text } from '../util/text';
import { accountMark, aliasOf, aliasStart, type AliasAccount } from './alias';
import { ProgramStart, ScriptAnswer } from './answer';
import { readClientConfig } from './clientConfig';
import { byUserShell, commandLine, sshCommand } from './commandLine';
import { SshContext, type SshDeps } from './context';
import { endpointsOf, type Endpoint } from './endpoints';
import { openForward, type Forward, type WantedForward } from './forward';
import type { HostEntry } from './hostConfig';
import { HostKeyError, hostKeyErrorOf, hostKeyOptions } from './hostKey';
import { inspectClient, inspectConfig, tighten, type ClientFacts, type ConfigFacts } from './inspect';
import { isAgentRunning, type KeyAgent } from './keyAgent';
import { measureLatency } from './latency';
import { findLocalKeys, generateKey, type LocalKey, type NewKeyOptions, type UnusableKey } from './localKeys';
import { withoutAgent, type PreflightOptions } from './preflight';
import {
  connectHost,
  followHost,
  prepareHost,
  writeEntry,
  type ConnectOutcome,
  type PreparedHost,
  type PrepareRequest,
  type SshAccount,
} from './prepareHost';
import { probeAll, type ProbeResult } from './probe';
import { removeEverything } from './removeEverything';
import type { RunOptions, RunResult } from './run';
import {
  checkAlias,
  checkHost,
  checkId,
  checkPort,
  hostAliasOf,
  isHostKey,
  UnsafeValueError,
} from './validate';

export interface ExecOptions extends Omit<RunOptions, 'env' | 'cwd'> {
  /** Lets the machine use the SSH agent where the user allowed it; for what the user runs there, and nothing else. */
  readonly usesAgent?: boolean;
  /** For a command of the user, which is one of the login shell. */
  readonly usesLoginShell?: boolean;
  /** Nobody works in this login, so that it keeps no machine awake; not for commands and transfers of the user. */
  readonly isLook?: boolean;
}

export type StreamOptions = Pick<RunOptions, 'signal' | 'input' | 'output'>;

export type StreamProgram =
  | { readonly subsystem: string }
  /** A shell script without single quotes; `onBegin` is called before its first byte. */
  | { readonly script: string; readonly onBegin: () => void };

/** All SSH functions: files, keys, addresses and a login that is tried before a window opens. */
export interface SshService {
  aliasOf(account: AliasAccount, instanceId: number): string;
  /**
   * Writes what ssh needs to reach the instance, and logs in once unless a login has proved this address and its host
   * key. Throws `NoLoginError` if no address lets us in, otherwise like `writeEntry`.
   */
  prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PreparedHost>;
  /**
   * Only writes; until a login has proved the host key, ssh asks before it accepts one. Throws `ManualStepError` if
   * the user must paste a line, `UnsafeValueError` for a hostile address, `NoAddressError` if there is none yet.
   */
  writeEntry(request: PrepareRequest, signal?: AbortSignal): Promise<PreparedHost>;
  /** Updates the entry of a running instance to its current address; returns the new one if it moved. */
  follow(account: SshAccount, instance: Instance): Promise<Endpoint | undefined>;
  /** Returns what answers at each address of the instance; writes nothing. */
  reach(instance: Instance, signal?: AbortSignal): Promise<readonly ProbeResult[]>;
  /** Returns the milliseconds of one round trip to the address of an entry, without sending data or logging in. */
  latency(alias: string, signal: AbortSignal): Promise<number | undefined>;
  /** Prepares and logs in, at another address if the first does not answer; never asks a question. */
  connect(request: PrepareRequest, options?: PreflightOptions): Promise<ConnectOutcome>;
  /**
   * Runs a POSIX shell script on the machine without a question, or a command of the user in the login shell. Throws
   * `HostKeyError` if the host key differs from the known one.
   */
  exec(alias: string, script: string, options?: ExecOptions): Promise<RunResult>;
  /**
   * Runs a subsystem of the SSH server, or a program of the machine, whose input and output are bytes; without a question.
   * Throws as `exec` does.
   */
  stream(alias: string, program: StreamProgram, options: StreamOptions): Promise<RunResult>;
  /**
   * Runs the rsync daemon on the host of an instance, even while the instance is stopped, with the key of its entry.
   * The host's own key is accepted at the first contact, since no source states it before, and must not change
   * afterwards.
   */
  execOnHost(
    alias: string,
    host: { readonly host: string; readonly port: number },
    options: Omit<RunOptions, 'env' | 'cwd'>,
  ): Promise<RunResult>;
  /**
   * Makes a port of the machine reachable on this computer, see `openForward`; no
   * other port, even if the user's config forwards some.
   */
  forward(alias: string, wanted: WantedForward, signal?: AbortSignal): Promise<Forward>;
  /** Returns program and arguments of a login. */
  command(alias: string, ...more: readonly string[]): readonly [program: string, ...args: string[]];
  /** Returns the command as one line to paste into a shell of this computer. */
  commandLine(alias: string): string;
  /** Returns what we last wrote for an alias. */
  entry(alias: string): Promise<HostEntry | undefined>;
  /** Returns the aliases with a file, of one account or of all. */
  entries(account?: Pick<AccountRef, 'key'>): Promise<readonly string[]>;
  /**
   * Removes entries and host keys of this account whose instance a complete list lacks; returns their aliases. Entries
   * written after the list was read (`asOf`, in milliseconds) are kept: the list may not know them.
   */
  prune(account: SshAccount, instanceIds: readonly number[], asOf: number): Promise<readonly string[]>;
  /**
   * Lets the name of a workspace (`workspaceHostOf`) lead to an instance, and to no other; without an alias, to none.
   * Throws if no login has proved the instance.
   */
  nameWorkspace(host: string, alias: string | undefined): Promise<void>;
  /** Returns the host key that a login has proved. */
  hostKey(alias: string): Promise<HostKey | undefined>;
  /** Trusts this host key from now on, and no other. */
  pinHostKey(alias: string, key: HostKey): Promise<void>;
  /** Forgets the host key, so that the next contact trusts a new one; only after the user agreed. */
  forgetHostKey(alias: string): Promise<void>;
  /** Removes everything that we wrote, or all of one account: entries, host keys, and finally the Include block. */
  removeAll(account?: Pick<AccountRef, 'key'>): Promise<void>;
  /** Returns the SSH client and config of this computer, for the doctor; changes nothing. */
  inspect(signal?: AbortSignal): Promise<{ readonly client: ClientFacts; readonly config: ConfigFacts }>;
  /** Removes the access of others to our files and keys that `inspect` found. */
  tighten(): Promise<void>;
  localKeys(signal?: AbortSignal): Promise<readonly LocalKey[]>;
  /**
   * Returns private keys whose public part can't be read without a passphrase, so that nothing is known about them.
   */
  unreadKeys(signal?: AbortSignal): Promise<readonly string[]>;
  /** Returns keys of this computer that ssh can't use as they are: in another format, damaged, not readable. */
  unusableKeys(signal?: AbortSignal): Promise<readonly UnusableKey[]>;
  /** Returns the agent that ssh asks; throws `ProgramMissingError` if keys can't be added to it. */
  agent(): Promise<KeyAgent>;
  /** Creates a key `~/.ssh/<name>`. */
  generateKey(name: string, comment: string, options?: NewKeyOptions): Promise<LocalKey>;
}

/** The user name with which the service lets rsync in (docs/service/commands.md#copy-to-this-computer). */
const copyUser = 'vastai_kaalia';

function asArguments(options: readonly string[]): readonly string[] {
  return options.flatMap((option) => ['-o', option]);
}

export function createSshService(deps: SshDeps): SshService {
  return new NativeSsh(deps);
}

class NativeSsh implements SshService {
  private readonly context: SshContext;

  /** Aliases whose host key a connection refused since a login proved it. */
  private readonly refused = new Set<string>();

  private last: (AliasAccount & { readonly start: string }) | undefined;

  constructor(private readonly deps: SshDeps) {
    this.context = new SshContext(deps);
  }

  aliasOf({ serviceUrl, isDemo }: AliasAccount, instanceId: number): string {
    // Each row of a long list asks.
    if (this.last?.serviceUrl !== serviceUrl || this.last.isDemo !== isDemo) {
      this.last = { serviceUrl, isDemo, start: aliasStart({ serviceUrl, isDemo }) };
    }
    return `${this.last.start}${checkId(instanceId)}`;
  }

  async prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PreparedHost> {
    const isRefused = this.refused.has(aliasOf(request.account, request.instanceId));
    const host = await prepareHost(this.context, { ...request, isRefused }, signal);
    this.refused.delete(host.alias);
    return host;
  }

  writeEntry(request: PrepareRequest, signal?: AbortSignal): Promise<PreparedHost> {
    return writeEntry(this.context, request, signal);
  }

  follow(account: SshAccount, instance: Instance): Promise<Endpoint | undefined> {
    return followHost(this.context, account, instance);
  }

  connect(request: PrepareRequest, options?: PreflightOptions): Promise<ConnectOutcome> {
    return connectHost(this.context, request, options);
  }

  async reach(instance: Instance, signal?: AbortSignal): Promise<readonly ProbeResult[]> {
    return probeAll(endpointsOf(instance), this.deps, signal);
  }

  async latency(alias: string, signal: AbortSignal): Promise<number | undefined> {
    const entry = await this.entry(checkAlias(alias));
    return entry && measureLatency(entry.endpoint, signal);
  }

  async exec(
    alias: string,
    script: string,
    { usesAgent, usesLoginShell, isLook = false, ...options }: ExecOptions = {},
  ): Promise<RunResult> {
    const hostKey = await this.context.hostKeyOptions(checkAlias(alias));
    const agent = usesAgent === true ? [] : withoutAgent;
    const login = [...agent, ...asArguments(hostKey)];
    const answer = new ScriptAnswer(isLook);
    const mark = randomBytes(12).toString('hex');
    const sent = usesLoginShell === true ? byUserShell(script, mark) : script;
    const result = await this.runQuietly(alias, login, answer.command, {
      ...options,
      input: answer.input(sent, options.input),
      sieve: answer,
    });
    const own = answer.resultOf(result);
    const at = own.stdout.indexOf(`${mark}\n`);
    return at < 0 ? own : { ...own, stdout: own.stdout.slice(at + mark.length + 1) };
  }

  async stream(alias: string, program: StreamProgram, options: StreamOptions): Promise<RunResult> {
    const login = [...withoutAgent, ...asArguments(await this.context.hostKeyOptions(checkAlias(alias)))];
    const whole = { ...options, endsWithUs: true };
    if ('subsystem' in program) {
      return this.runQuietly(alias, [...login, '-s'], program.subsystem, whole);
    }
    const sieve = new ProgramStart(program.script, program.onBegin);
    return sieve.resultOf(await this.runQuietly(alias, login, sieve.command, { ...whole, sieve }));
  }

  execOnHost(
    alias: string,
    { host, port }: { readonly host: string; readonly port: number },
    options: Omit<RunOptions, 'env' | 'cwd'>,
  ): Promise<RunResult> {
    // The first value counts, so the entry of the instance supplies the rest.
    const onHost = asArguments([
      `HostName=${checkHost(host)}`,
      `Port=${checkPort(port)}`,
      `User=${copyUser}`,
      ...hostKeyOptions(hostAliasOf(checkAlias(alias)), this.context.paths().knownHosts, 'accept-new'),
    ]);
    return this.runQuietly(alias, [...withoutAgent, ...onHost], 'rsync --server --daemon .', options);
  }

  private async runQuietly(
    alias: string,
    more: readonly string[],
    command: string,
    options: Omit<RunOptions, 'env' | 'cwd'>,
  ): Promise<RunResult> {
    const [program, ...before] = this.context.ssh();
    const run = await this.context.runAlone(alias, options.signal);
    const args = [...before, '-o', 'ClearAllForwardings=yes', ...more, alias, command];
    const result = await run(program, args, options);
    // Programs of the machine may print such words too, but with other exit codes.
    const refused = result.code === 255 ? hostKeyErrorOf(result.stderr) : undefined;
    if (refused) {
      this.refused.add(alias);
      throw refused;
    }
    return result;
  }

  async forward(alias: string, wanted: WantedForward, signal?: AbortSignal): Promise<Forward> {
    const run = await this.context.runAlone(checkAlias(alias), signal);
    const options = asArguments(await this.context.hostKeyOptions(alias));
    const command = [...this.context.ssh(), ...options] as const;
    const isHere = isLoopback((await this.entry(alias))?.endpoint.host ?? '');
    try {
      return await openForward({ ...this.deps, run, command, isHere }, alias, wanted, signal);
    } catch (error) {
      if (error instanceof HostKeyError) {
        this.refused.add(alias);
      }
      throw error;
    }
  }

  command(alias: string, ...more: readonly string[]): readonly [string, ...string[]] {
    return sshCommand(this.context.ssh(), alias, more);
  }

  commandLine(alias: string): string {
    return commandLine(this.command(alias), this.deps.environment().platform);
  }

  entry(alias: string): Promise<HostEntry | undefined> {
    return this.context.folder().read(alias);
  }

  async entries(account?: Pick<AccountRef, 'key'>): Promise<readonly string[]> {
    const folder = this.context.folder();
    const aliases = await folder.aliases();
    if (!account) {
      return aliases;
    }
    const mark = accountMark(account.key);
    const owners = await Promise.all(aliases.map((alias) => folder.read(alias)));
    return aliases.filter((_, index) => owners[index]?.account === mark);
  }

  async prune(account: SshAccount, instanceIds: readonly number[], asOf: number): Promise<readonly string[]> {
    const alive = new Set(instanceIds.map((id) => aliasOf(account, id)));
    const folder = this.context.folder();
    const gone: string[] = [];
    for (const alias of await this.entries(account)) {
      if (!alive.has(alias) && (await folder.writtenAt(alias)) < asOf) {
        gone.push(alias);
      }
    }
    if (gone.length > 0) {
      await folder.remove(gone);
    }
    return gone;
  }

  async nameWorkspace(host: string, alias: string | undefined): Promise<void> {
    const folder = this.context.folder();
    const own = alias === undefined ? undefined : await folder.read(checkAlias(alias));
    if (alias !== undefined && own?.isProved !== true) {
      throw new Error(`No login has proved ${alias}`);
    }
    for (const other of await folder.aliases()) {
      const entry = other === alias ? undefined : await folder.read(other);
      if (entry?.workspace === host) {
        await folder.name(other, undefined);
      }
    }
    if (own && own.workspace !== host) {
      await folder.name(own.alias, host);
    }
  }

  async hostKey(alias: string): Promise<HostKey | undefined> {
    const [line = ''] = await this.context.folder().hostKeys(checkAlias(alias));
    const [, type = '', base64 = ''] = line.trim().split(' ');
    return isHostKey({ type, base64 }) ? { type, base64 } : undefined;
  }

  async pinHostKey(alias: string, key: HostKey): Promise<void> {
    if (!isHostKey(key)) {
      throw new UnsafeValueError(text('an SSH host key'));
    }
    await this.context.folder().replaceHostKey(checkAlias(alias), `${alias} ${key.type} ${key.base64}`);
  }

  async forgetHostKey(alias: string): Promise<void> {
    const folder = this.context.folder();
    await folder.forgetHostKeys([alias]);
    const entry = await folder.read(alias);
    if (entry?.isKeyPrinted === true) {
      await folder.write({ ...entry, isKeyPrinted: false });
    }
  }

  async removeAll(account?: Pick<AccountRef, 'key'>): Promise<void> {
    const folder = this.context.folder();
    if (account) {
      await folder.remove(await this.entries(account));
      if ((await folder.aliases()).length > 0) {
        return;
      }
    }
    await removeEverything(this.context.fileDeps(), this.deps.environment());
  }

  async inspect(signal?: AbortSignal) {
    const { fs, run } = this.deps;
    const { platform, sshPath } = this.deps.environment();
    const keys = await this.privateFiles(signal);
    return {
      client: await inspectClient(run, sshPath ?? 'ssh', signal),
      config: await inspectConfig(fs, this.context.paths(), platform, keys),
    };
  }

  async tighten(): Promise<void> {
    const { platform } = this.deps.environment();
    await tighten(this.deps.fs, this.context.paths(), platform, await this.privateFiles());
  }

  async localKeys(signal?: AbortSignal): Promise<readonly LocalKey[]> {
    return (await findLocalKeys(this.context.keyDeps(), signal)).keys;
  }

  async unreadKeys(signal?: AbortSignal): Promise<readonly string[]> {
    return (await findLocalKeys(this.context.keyDeps(), signal)).unread;
  }

  async unusableKeys(signal?: AbortSignal): Promise<readonly UnusableKey[]> {
    return (await findLocalKeys(this.context.keyDeps(), signal)).unusable;
  }

  async agent(): Promise<KeyAgent> {
    const { agent: asked } = await readClientConfig(this.context.keyDeps());
    return { isRunning: await isAgentRunning(this.deps.run, asked), asked };
  }

  generateKey(name: string, comment: string, options?: NewKeyOptions): Promise<LocalKey> {
    return generateKey(this.context.keyDeps(), name, comment, options);
  }

  private async privateFiles(signal?: AbortSignal): Promise<readonly string[]> {
    return (await this.localKeys(signal)).flatMap((key) => key.privateFile ?? []);
  }
}
