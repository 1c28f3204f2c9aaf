import { join } from 'node:path';
import type { Clock } from '../util/clock';
import type { Log } from '../util/log';
import { EffectiveConfig } from './effectiveConfig';
import type { FileSystem } from './fileSystem';
import type { HostEntry } from './hostConfig';
import type { KeyDeps } from './localKeys';
import type { ProcessIdentity } from './lock';
import { OwnFolder } from './ownFolder';
import { sshPaths, type SshEnvironment, type SshPaths } from './paths';
import type { Probe } from './probe';
import type { Run } from './run';
import { UserConfig } from './userConfig';
import { givenAway, verifyHost, type Verification } from './verify';
import { createAclRepair } from './windowsAcl';

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

/** Where the files of SSH are and how its programs are called, as the settings say at this moment. */
export class SshContext {
  private readonly effective: EffectiveConfig;

  constructor(readonly deps: SshDeps) {
    this.effective = new EffectiveConfig(deps);
  }

  /** The program and what every call of it begins with. */
  ssh(): readonly [string, ...string[]] {
    const { passedConfig } = this.paths();
    const program = this.deps.environment().sshPath ?? 'ssh';
    return passedConfig === undefined ? [program] : [program, '-F', passedConfig];
  }

  paths(): SshPaths {
    return sshPaths(this.deps.environment());
  }

  /** The user's config, which gets our Include. */
  userConfig(): UserConfig {
    return new UserConfig(this.fileDeps(), this.paths());
  }

  /** Our folder, with an entry for each instance. */
  folder(): OwnFolder {
    const { platform } = this.deps.environment();
    return new OwnFolder(this.fileDeps(), this.paths(), createAclRepair(platform, this.deps.run));
  }

  /** What ssh makes of an entry. */
  verify(entry: HostEntry, signal?: AbortSignal): Promise<Verification> {
    return verifyHost({ ...this.deps, ask: this.ask, knownHosts: this.paths().knownHosts }, entry, signal);
  }

  /** The same for an alias; `undefined` where we wrote no entry. */
  async verifyAlias(alias: string, signal?: AbortSignal): Promise<Verification | undefined> {
    const entry = await this.folder().read(alias);
    return entry && this.verify(entry, signal);
  }

  /** Runs ssh where nobody was asked: variables that a line for all hosts would give the machine stay here. */
  runAlone(verification: Verification | undefined): Run {
    const withoutEnv = givenAway(verification, 'sendenv').flatMap(({ found }) => found.split(' '));
    // The first one counts, so that none of the config comes after it.
    const first = givenAway(verification, 'setenv').length > 0 ? ['-o', 'SetEnv=LC_GPU_RENTAL=1'] : [];
    return (program, args, options) =>
      this.deps.run(program, [...first, ...args], { ...options, withoutEnv });
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
    return { fs, run, sshDir, accountHome, agentSocket, ownDir, ask: this.ask, platform };
  }

  private readonly ask = (alias: string, signal?: AbortSignal) =>
    this.effective.ask(this.ssh(), alias, this.paths(), signal);
}
