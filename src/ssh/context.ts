import { join } from 'node:path';
import type { Clock } from '../util/clock';
import type { ProcessIdentity } from '../util/fileLock';
import type { Log } from '../util/log';
import { EffectiveConfig } from './effectiveConfig';
import type { FileSystem } from './fileSystem';
import type { HostEntry } from './hostConfig';
import { hostKeyOptions } from './hostKey';
import type { Identity } from './identity';
import {
  harmlessVariables,
  hasInherited,
  keyMeasures,
  withoutInherited,
  type KeyMeasures,
} from './inherited';
import { isSecurityKey, type KeyDeps } from './localKeys';
import { OwnFolder } from './ownFolder';
import { sshPaths, type SshEnvironment, type SshPaths } from './paths';
import type { Probe } from './probe';
import type { Run } from './run';
import { UserConfig } from './userConfig';
import { verifyHost, type Verification } from './verify';
import { createAclRepair } from './windowsAcl';

export interface SshDeps {
  readonly fs: FileSystem;
  readonly run: Run;
  readonly probe: Probe;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: ProcessIdentity;
  /** The token of the start line of the rental at an alias, if this computer rented it. */
  readonly startTokenOf?: (alias: string) => string | undefined;
  /** Read at every use, since settings change. */
  readonly environment: () => SshEnvironment;
}

/**
 * For logins in the background: no question, no command of the user on this computer, whose output would be
 * mistaken for the machine's, and no connection that is shared. A shared one would carry the sessions of the
 * user, who lose them when ours is ended, or outlive ours and look like a user who is connected. The usual log
 * level, because a changed host key is known by a message that `LogLevel QUIET` of the user would suppress.
 */
const alone = [
  'BatchMode=yes',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'ControlMaster=no',
  'ControlPath=none',
  'LogLevel=INFO',
];

/** Locates the SSH files and programs by the current settings. */
export class SshContext {
  private readonly effective: EffectiveConfig;
  /**
   * Whether the log of an instance names a host key that was offered in place of the known one, by alias and fingerprint,
   * and the elapsed time of that look (ms).
   */
  readonly offeredHostKeys = new Map<string, { readonly isPrinted: boolean; readonly at: number }>();

  private readonly derived: KeyDeps['derived'] = new Map();

  constructor(readonly deps: SshDeps) {
    this.effective = new EffectiveConfig(deps);
  }

  /** Returns the program and the arguments that every call starts with. */
  ssh(): readonly [string, ...string[]] {
    const { passedConfig } = this.paths();
    const program = this.deps.environment().sshPath ?? 'ssh';
    return passedConfig === undefined ? [program] : [program, '-F', passedConfig];
  }

  paths(): SshPaths {
    return sshPaths(this.deps.environment());
  }

  /** Returns the user's config, which contains our Include. */
  userConfig(): UserConfig {
    return new UserConfig(this.fileDeps(), this.paths());
  }

  /** Returns our folder, with an entry for each instance. */
  folder(): OwnFolder {
    const { platform } = this.deps.environment();
    return new OwnFolder(this.fileDeps(), this.paths(), createAclRepair(platform, this.deps.run));
  }

  /** Returns how ssh resolves an entry. */
  verify(entry: HostEntry, signal?: AbortSignal): Promise<Verification> {
    return verifyHost({ ...this.deps, ask: this.ask, knownHosts: this.paths().knownHosts }, entry, signal);
  }

  /**
   * Returns a runner for logins in the background at an alias, with `alone` and without what lines for all hosts add to our
   * entry (`inherited`). The alias is one of the arguments. Language and terminal of this computer, and of our own programs,
   * are not those of jobs and commands.
   */
  async runAlone(alias: string, signal?: AbortSignal): Promise<Run> {
    // After the options of the call, since the first value counts.
    const last = alone.flatMap((option) => ['-o', option]);
    const own = await this.withoutInherited(alias, signal);
    return (program, args, options) => {
      const at = args.indexOf(alias);
      const all = ['-T', ...args.slice(0, at), ...last, ...own, ...args.slice(at)];
      return this.deps.run(program, all, { ...options, withoutEnv: harmlessVariables });
    };
  }

  private async withoutInherited(alias: string, signal?: AbortSignal): Promise<readonly string[]> {
    const entry = await this.folder().read(alias);
    if (!entry) {
      return [];
    }
    const printed = await this.ask(alias, signal);
    if (printed.code !== 0 || !hasInherited(printed.stdout, entry)) {
      return [];
    }
    const [program] = this.ssh();
    const defaults = await this.effective.ask([program, '-F', 'none'], alias, this.paths(), signal);
    if (defaults.code !== 0) {
      throw new Error(`ssh -F none -G ended with ${defaults.code}: ${defaults.stderr}`);
    }
    const { platform } = this.deps.environment();
    return withoutInherited(printed.stdout, defaults.stdout, entry, { command: this.ssh(), platform });
  }

  /** Returns what the entry needs so that ssh offers its key before those of lines for all hosts. */
  async keyMeasures({ key, file }: Identity, signal?: AbortSignal): Promise<KeyMeasures> {
    const { code, stdout } = await this.ask('gpu-0', signal);
    const isOfFile = key?.privateFile !== undefined && key.privateFile === file && !key.encrypted;
    return code === 0 && file !== undefined ? keyMeasures(stdout, isOfFile && !isSecurityKey(key)) : {};
  }

  /** Returns the options by which a login in the background checks the host key, as in the entry. */
  async hostKeyOptions(alias: string): Promise<readonly string[]> {
    const isPinned = (await this.folder().hostKeys(alias)).length > 0;
    return hostKeyOptions(alias, this.paths().knownHosts, isPinned ? 'yes' : 'ask');
  }

  fileDeps() {
    const { fs, clock, identity } = this.deps;
    return { fs, clock, identity, platform: this.deps.environment().platform };
  }

  keyDeps(): KeyDeps {
    const { fs, run, environment } = this.deps;
    const { home, accountHome, agentSocket, platform } = environment();
    const { ownDir } = this.paths();
    const sshDir = join(home, '.ssh');
    const { derived, ask } = this;
    return { fs, run, sshDir, accountHome, agentSocket, ownDir, ask, platform, derived };
  }

  private readonly ask = (alias: string, signal?: AbortSignal) =>
    this.effective.ask(this.ssh(), alias, this.paths(), signal);
}
