import { join } from 'node:path';
import type { AccountRef } from '../model/accounts/account';
import type { Instance } from '../model/instances/instance';
import type { Clock } from '../util/clock';
import { UserError } from '../util/errors';
import type { Log } from '../util/log';
import { text } from '../util/text';
import { accountMark, aliasOf, type AliasAccount } from './alias';
import { commandLine, sshCommand } from './commandLine';
import { endpointsOf, sameEndpoint, type Endpoint } from './endpoints';
import type { FileSystem } from './fileSystem';
import { openForward, type Forward } from './forward';
import type { HostEntry } from './hostConfig';
import {
  findLocalKeys,
  generateKey,
  worksUnattended,
  type KeyDeps,
  type LocalKey,
  type NewKeyOptions,
} from './localKeys';
import { inspectClient, inspectConfig, tighten, type ClientFacts, type ConfigFacts } from './inspect';
import type { ProcessIdentity } from './lock';
import { OwnFolder } from './ownFolder';
import { sshPaths, type SshEnvironment } from './paths';
import {
  runPreflight,
  type PreflightOptions,
  type PreflightProblem,
  type PreflightResult,
} from './preflight';
import { chooseEndpoint, probeAll, type Probe, type ProbeResult } from './probe';
import { parsePublicKey } from './publicKey';
import { removeEverything } from './removeEverything';
import type { Run, RunOptions, RunResult } from './run';
import { ManualStepError, UserConfig } from './userConfig';
import { checkAlias } from './validate';
import { verifyHost, type Verification } from './verify';
import { createAclRepair } from './windowsAcl';

export type SshAccount = AliasAccount & Pick<AccountRef, 'key'>;

export interface PrepareRequest {
  readonly account: SshAccount;
  readonly instanceId: number;
  /** As last reported; `undefined` where the service cannot be reached, then the last address is used. */
  readonly instance: Instance | undefined;
  /** Public keys that the instance or the account knows; `undefined` where that could not be asked. */
  readonly registeredKeys: readonly string[] | undefined;
  /** Off unless the user asked for it for this instance. */
  readonly forwardAgent?: boolean;
}

/** An instance that the SSH config knows. */
export interface PreparedHost {
  readonly alias: string;
  /** What `ssh -F` gets; `undefined` where ssh reads the file by itself. */
  readonly configFile: string | undefined;
  /** The user's file, which holds our Include. */
  readonly userConfig: string;
  readonly endpoint: Endpoint;
  /** The other addresses, in the order in which they are worth a try. */
  readonly others: readonly Endpoint[];
  readonly probes: readonly ProbeResult[];
  readonly identity: LocalKey | undefined;
  /** The address is the last known one, because the service did not say another. */
  readonly fromMemory: boolean;
  readonly verification: Verification;
}

/** What connecting came to: prepared, checked, and on which address. */
export interface ConnectOutcome {
  readonly host: PreparedHost;
  readonly preflight: PreflightResult;
}

/** Everything about SSH: files, keys, addresses and a login that is tried before a window opens. */
export interface SshService {
  aliasOf(account: AliasAccount, instanceId: number): string;
  /**
   * Writes what ssh needs to reach the instance. Throws `ManualStepError` where the user must paste a
   * line, `UnsafeValueError` for a hostile address, `NoAddressError` where there is none yet.
   */
  prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PreparedHost>;
  /** What answers at each address of the instance; nothing is written. */
  reach(instance: Instance, signal?: AbortSignal): Promise<readonly ProbeResult[]>;
  /** Logs in once and says how that went; never asks anything. */
  preflight(alias: string, options?: PreflightOptions): Promise<PreflightResult>;
  /** Prepares and logs in, on another address where the first does not answer. */
  connect(request: PrepareRequest, options?: PreflightOptions): Promise<ConnectOutcome>;
  /** Compares what ssh makes of the alias with what we wrote; `undefined` where we wrote nothing. */
  verify(alias: string, signal?: AbortSignal): Promise<Verification | undefined>;
  /** Runs a POSIX shell script on the machine without asking anything; the script is ours, never a user's text. */
  exec(alias: string, script: string, options?: Omit<RunOptions, 'env' | 'cwd'>): Promise<RunResult>;
  /** Makes a port of the machine reachable on this computer, see `openForward`. */
  forward(alias: string, remotePort: number, signal?: AbortSignal): Promise<Forward>;
  /** Program and arguments of a login. */
  command(alias: string, ...more: readonly string[]): readonly [program: string, ...args: string[]];
  /** The same for `sftp`, whose options are those of ssh. */
  sftpCommand(alias: string): readonly [program: string, ...args: string[]];
  /** The command as one line to paste into a shell of this computer. */
  commandLine(alias: string): string;
  /** What we last wrote for an alias. */
  entry(alias: string): Promise<HostEntry | undefined>;
  /** Aliases of an account (or of all) that have a file. */
  entries(account?: Pick<AccountRef, 'key'>): Promise<readonly string[]>;
  /** Removes the entries and host keys of instances that are gone. */
  forget(...aliases: readonly string[]): Promise<void>;
  /**
   * Forgets entries of this account whose instance is not in a complete list; returns their aliases.
   * Entries written after the list was read (`asOf`, in milliseconds) are kept: the list may not know them.
   */
  prune(account: SshAccount, instanceIds: readonly number[], asOf: number): Promise<readonly string[]>;
  /** The host key is trusted anew at the next contact; only after the user said so. */
  forgetHostKey(alias: string): Promise<void>;
  /** All that we wrote, or all of one account: entries, host keys, and at last the Include block. */
  removeAll(account?: Pick<AccountRef, 'key'>): Promise<void>;
  /** The SSH client and config of this computer, for the doctor; changes nothing. */
  inspect(signal?: AbortSignal): Promise<{ readonly client: ClientFacts; readonly config: ConfigFacts }>;
  /** Takes the rights of others on our files and on keys away, where `inspect` found any. */
  tighten(): Promise<void>;
  localKeys(signal?: AbortSignal): Promise<readonly LocalKey[]>;
  /** A new key `~/.ssh/<name>`. */
  generateKey(name: string, comment: string, options?: NewKeyOptions): Promise<LocalKey>;
}

export interface SshDeps {
  readonly fs: FileSystem;
  readonly run: Run;
  readonly probe: Probe;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: ProcessIdentity;
  /** Read at every use, since settings change. */
  readonly environment: () => SshEnvironment;
}

/** The instance has no SSH address (yet). */
export class NoAddressError extends UserError {
  constructor() {
    super(
      text('The instance has no SSH address yet. Wait until it is running, or start it, and try again.'),
      { nextStep: 'retry' },
    );
  }
}

/** Problems for which another address may help. */
const addressProblems: readonly PreflightProblem[] = [
  'refused',
  'timedOut',
  'unreachable',
  'unresolved',
  'noGreeting',
];

export function createSshService(deps: SshDeps): SshService {
  return new NativeSsh(deps);
}

class NativeSsh implements SshService {
  constructor(private readonly deps: SshDeps) {}

  aliasOf(account: AliasAccount, instanceId: number): string {
    return aliasOf(account, instanceId);
  }

  async prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PreparedHost> {
    const alias = aliasOf(request.account, request.instanceId);
    const known = await this.folder().read(alias);
    const offered = request.instance ? endpointsOf(request.instance) : [];
    const endpoints = offered.length > 0 ? offered : known ? [known.endpoint] : [];
    const [choice, identity] = await Promise.all([
      chooseEndpoint(endpoints, this.deps, signal),
      this.identityFor(request.registeredKeys, known, signal),
    ]);
    // Where nothing greets us a jump host of the user's may still get through: take the last that did.
    const endpoint =
      choice.best ??
      endpoints.find((candidate) => known && sameEndpoint(candidate, known.endpoint)) ??
      endpoints[0];
    if (!endpoint) {
      throw new NoAddressError();
    }
    const entry: HostEntry = {
      alias,
      endpoint,
      identityFile: identity?.privateFile ?? identity?.publicFile ?? known?.identityFile,
      forwardAgent: request.forwardAgent ?? known?.forwardAgent ?? false,
      account: accountMark(request.account.key),
    };
    const verification = await this.write(entry, signal);
    const answering = (candidate: Endpoint) =>
      choice.results.some(({ endpoint: of, outcome }) => of === candidate && outcome === 'ssh');
    return {
      alias,
      configFile: this.paths().passedConfig,
      userConfig: this.paths().userConfig,
      endpoint,
      others: endpoints
        .filter((other) => other !== endpoint)
        .sort((one, other) => Number(answering(other)) - Number(answering(one))),
      probes: choice.results,
      identity,
      fromMemory: offered.length === 0,
      verification,
    };
  }

  async reach(instance: Instance, signal?: AbortSignal): Promise<readonly ProbeResult[]> {
    return probeAll(endpointsOf(instance), this.deps, signal);
  }

  async connect(request: PrepareRequest, options: PreflightOptions = {}): Promise<ConnectOutcome> {
    const { signal } = options;
    const host = await this.prepare(request, signal);
    let preflight = await this.preflight(host.alias, options);
    for (const endpoint of host.others) {
      if (preflight.ok || !addressProblems.includes(preflight.problem)) {
        break;
      }
      const entry = await this.folder().read(host.alias);
      if (!entry) {
        break;
      }
      const verification = await this.write({ ...entry, endpoint }, signal);
      const second = await this.preflight(host.alias, options);
      if (second.ok || !addressProblems.includes(second.problem)) {
        return { host: { ...host, endpoint, verification }, preflight: second };
      }
      preflight = second;
    }
    return { host, preflight };
  }

  preflight(alias: string, options?: PreflightOptions): Promise<PreflightResult> {
    return runPreflight({ ...this.deps, command: this.ssh() }, alias, options);
  }

  async verify(alias: string, signal?: AbortSignal): Promise<Verification | undefined> {
    const entry = await this.folder().read(alias);
    return entry && this.verifyEntry(entry, signal);
  }

  exec(alias: string, script: string, options: Omit<RunOptions, 'env' | 'cwd'> = {}): Promise<RunResult> {
    const [program, ...before] = this.ssh();
    const quiet = ['-T', '-o', 'BatchMode=yes', '-o', 'ClearAllForwardings=yes', '-o', 'RemoteCommand=none'];
    return this.deps.run(program, [...before, ...quiet, checkAlias(alias), script], options);
  }

  forward(alias: string, remotePort: number, signal?: AbortSignal): Promise<Forward> {
    return openForward({ ...this.deps, command: this.ssh() }, checkAlias(alias), remotePort, signal);
  }

  command(alias: string, ...more: readonly string[]): readonly [string, ...string[]] {
    return sshCommand(this.ssh(), alias, more);
  }

  sftpCommand(alias: string): readonly [string, ...string[]] {
    const [program, ...before] = this.ssh();
    return sshCommand([program.replace(/ssh(\.exe)?$/, 'sftp$1'), ...before], alias);
  }

  commandLine(alias: string): string {
    return commandLine(this.command(alias), this.deps.environment().platform);
  }

  entry(alias: string): Promise<HostEntry | undefined> {
    return this.folder().read(alias);
  }

  async entries(account?: Pick<AccountRef, 'key'>): Promise<readonly string[]> {
    const folder = this.folder();
    const aliases = await folder.aliases();
    if (!account) {
      return aliases;
    }
    const mark = accountMark(account.key);
    const owners = await Promise.all(aliases.map((alias) => folder.read(alias)));
    return aliases.filter((_, index) => owners[index]?.account === mark);
  }

  async forget(...aliases: readonly string[]): Promise<void> {
    await this.folder().remove(aliases);
  }

  async prune(account: SshAccount, instanceIds: readonly number[], asOf: number): Promise<readonly string[]> {
    const alive = new Set(instanceIds.map((id) => aliasOf(account, id)));
    const folder = this.folder();
    const gone: string[] = [];
    for (const alias of await this.entries(account)) {
      if (!alive.has(alias) && (await folder.writtenAt(alias)) < asOf) {
        gone.push(alias);
      }
    }
    if (gone.length > 0) {
      await this.forget(...gone);
    }
    return gone;
  }

  async forgetHostKey(alias: string): Promise<void> {
    await this.folder().forgetHostKeys([alias]);
  }

  async removeAll(account?: Pick<AccountRef, 'key'>): Promise<void> {
    const folder = this.folder();
    if (account) {
      await folder.remove(await this.entries(account));
      if ((await folder.aliases()).length > 0) {
        return;
      }
    }
    await removeEverything(this.fileDeps(), this.deps.environment());
  }

  async inspect(signal?: AbortSignal) {
    const { fs, run } = this.deps;
    const { platform, sshPath } = this.deps.environment();
    const keys = await this.privateFiles(signal);
    return {
      client: await inspectClient(run, sshPath ?? 'ssh', signal),
      config: await inspectConfig(fs, this.paths(), platform, keys),
    };
  }

  async tighten(): Promise<void> {
    const { platform } = this.deps.environment();
    await tighten(this.deps.fs, this.paths(), platform, await this.privateFiles());
  }

  localKeys(signal?: AbortSignal): Promise<readonly LocalKey[]> {
    return findLocalKeys(this.keyDeps(), signal);
  }

  generateKey(name: string, comment: string, options?: NewKeyOptions): Promise<LocalKey> {
    return generateKey(this.keyDeps(), name, comment, options);
  }

  private async privateFiles(signal?: AbortSignal): Promise<readonly string[]> {
    return (await this.localKeys(signal)).flatMap((key) => key.privateFile ?? []);
  }

  private async write(entry: HostEntry, signal?: AbortSignal): Promise<Verification> {
    await this.folder().write(entry, signal);
    const { passedConfig } = this.paths();
    try {
      if (passedConfig !== undefined) {
        await this.folder().rememberConfigFile(passedConfig, signal);
      }
      await this.config().ensure(signal);
    } catch (error) {
      // A config that we may not touch can have our line all the same, further down or elsewhere.
      if (!(error instanceof ManualStepError)) {
        throw error;
      }
      const verification = await this.verifyEntry(entry, signal);
      if (verification.kind === 'notIncluded' || verification.kind === 'broken') {
        throw error;
      }
      return verification;
    }
    return this.verifyEntry(entry, signal);
  }

  private async identityFor(
    registered: readonly string[] | undefined,
    known: HostEntry | undefined,
    signal?: AbortSignal,
  ): Promise<LocalKey | undefined> {
    const local = await this.localKeys(signal);
    if (!registered) {
      return local.find((key) => known?.identityFile === (key.privateFile ?? key.publicFile));
    }
    const matching = matchKeys(local, registered);
    return matching.find(worksUnattended) ?? matching[0];
  }

  private verifyEntry(entry: HostEntry, signal?: AbortSignal): Promise<Verification> {
    return verifyHost(
      { ...this.deps, command: this.ssh(), knownHosts: this.paths().knownHosts },
      entry,
      signal,
    );
  }

  private ssh(): readonly [string, ...string[]] {
    const { passedConfig } = this.paths();
    const program = this.deps.environment().sshPath ?? 'ssh';
    return passedConfig === undefined ? [program] : [program, '-F', passedConfig];
  }

  private paths() {
    return sshPaths(this.deps.environment());
  }

  private config(): UserConfig {
    return new UserConfig(this.fileDeps(), this.paths());
  }

  private folder(): OwnFolder {
    const { platform } = this.deps.environment();
    return new OwnFolder(this.fileDeps(), this.paths(), createAclRepair(platform, this.deps.run));
  }

  private fileDeps() {
    const { fs, clock, identity } = this.deps;
    return { fs, clock, identity, platform: this.deps.environment().platform };
  }

  private keyDeps(): KeyDeps {
    const { fs, run, environment } = this.deps;
    return { fs, run, sshDir: join(environment().home, '.ssh'), ssh: this.ssh() };
  }
}

/** Local keys that are among the registered ones, compared by the key alone. */
export function matchKeys(local: readonly LocalKey[], registered: readonly string[]): readonly LocalKey[] {
  const known = new Set(registered.flatMap((line) => parsePublicKey(line)?.base64 ?? []));
  return local.filter((key) => known.has(key.publicKey.base64));
}
