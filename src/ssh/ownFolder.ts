import { randomBytes } from 'node:crypto';
import { basename, join, parse } from 'node:path';
import { withLock } from '../util/fileLock';
import { ifPresent } from '../util/missing';
import { parseHost, renderHost, type HostEntry } from './hostConfig';
import type { AgentKey } from './identity';
import { withOwnFiles } from './ownFiles';
import { agentKeyFile, confFile, type SshPaths } from './paths';
import { removeLeftovers, replaceFileOfOthers } from './replaceFile';
import { makeOwnDir, type ConfigDeps } from './userConfig';
import { hostAliasOf, isAlias } from './validate';
import type { AclRepair } from './windowsAcl';

const attempts = 20;

/**
 * The folder `~/.ssh/gpu-rental.d`: one file per instance, the public part of its key if only an agent holds it, and the
 * host keys that we have seen.
 */
export class OwnFolder {
  constructor(
    private readonly deps: ConfigDeps,
    private readonly paths: SshPaths,
    private readonly repairAcl: AclRepair,
  ) {}

  async read(alias: string): Promise<HostEntry | undefined> {
    const bytes = await this.readFile(confFile(this.paths, alias));
    return bytes && parseHost(alias, bytes.toString('utf8'));
  }

  /** Returns aliases that have an entry, intact or damaged. */
  aliases(): Promise<readonly string[]> {
    return this.aliasesWith('.conf');
  }

  private async aliasesWith(...endings: readonly string[]): Promise<readonly string[]> {
    const listed = await this.explained(() => ifPresent(this.deps.fs.list(this.paths.ownDir)));
    const names = (listed ?? []).map((name) => parse(name));
    const ours = names.filter(({ name, ext }) => isAlias(name) && endings.includes(ext));
    return [...new Set(ours.map(({ name }) => name))];
  }

  /** Returns when the file of an instance was last written, in milliseconds; 0 without a file. */
  async writtenAt(alias: string): Promise<number> {
    return (await ifPresent(this.deps.fs.facts(confFile(this.paths, alias))))?.mtimeMs ?? 0;
  }

  /** Writes the file of an instance, unless it has the same content. The name of a workspace in it stays. */
  async write(entry: HostEntry, signal?: AbortSignal): Promise<'same' | 'written'> {
    const file = confFile(this.paths, entry.alias);
    const render = (before: Buffer) => {
      const workspace = parseHost(entry.alias, before.toString('utf8'))?.workspace;
      return this.rendered({ ...entry, workspace });
    };
    const before = await this.readFile(file);
    if (before?.equals(await render(before))) {
      return 'same';
    }
    return this.change(file, render, signal);
  }

  /** Writes the name of a workspace into the file of an instance, or removes it. Other writers keep it. */
  async name(alias: string, workspace: string | undefined): Promise<void> {
    if (await this.read(alias)) {
      await this.change(confFile(this.paths, alias), async (before) => {
        const entry = parseHost(alias, before.toString('utf8'));
        return entry ? this.rendered({ ...entry, workspace }) : before;
      });
    }
  }

  private async rendered(entry: HostEntry): Promise<Buffer> {
    const isPinned = (await this.hostKeys(entry.alias)).length > 0;
    return Buffer.from(renderHost(entry, this.paths.knownHosts, isPinned), 'utf8');
  }

  /** Returns the file for the public part of a key that only an agent holds, and the line in it. */
  async agentKey(alias: string): Promise<AgentKey> {
    const file = agentKeyFile(this.paths, alias);
    return { file, line: (await this.readFile(file))?.toString('utf8').trim() };
  }

  async writeAgentKey(alias: string, line: string, signal?: AbortSignal): Promise<void> {
    const { file, line: current } = await this.agentKey(alias);
    if (current !== line) {
      await this.change(file, () => Buffer.from(`${line}\n`, 'utf8'), signal);
    }
  }

  /** Writes the entries again after the host keys changed, on which they depend. */
  private async rewrite(aliases: readonly string[], signal?: AbortSignal): Promise<void> {
    for (const alias of aliases) {
      const entry = await this.read(alias);
      if (entry) {
        await this.write(entry, signal);
      }
    }
  }

  /** Removes the files and the host keys of these instances. */
  async remove(aliases: readonly string[], signal?: AbortSignal): Promise<void> {
    const present = await this.aliasesWith('.conf', '.pub');
    const gone = aliases.filter((alias) => present.includes(alias));
    if (gone.length > 0) {
      await this.locked(() => this.removeFiles(gone), signal);
    }
    await this.forgetHostKeys(aliases, signal);
  }

  /** Returns the host keys of an alias, as they are in the file. */
  async hostKeys(alias: string): Promise<readonly string[]> {
    const bytes = await this.readFile(this.paths.knownHosts);
    return (bytes?.toString('latin1') ?? '').split('\n').filter((line) => belongsTo(line, alias));
  }

  /**
   * Calls `prove` with a file for the host key of a first contact. The key that ssh stores there is kept if `prove`
   * confirms it, unless another window was first: until a login is proved, any server may be at the address.
   */
  async provingHostKey<T>(
    alias: string,
    prove: (
      file: string,
      /** Returns the lines that ssh has written for the alias so far. */
      seen: () => Promise<readonly string[]>,
    ) => Promise<{ readonly isProven: boolean; readonly result: T }>,
    signal?: AbortSignal,
  ): Promise<T> {
    await this.explained(() => makeOwnDir(this.deps.fs, this.paths.ownDir));
    const file = join(this.paths.ownDir, `.proof.gpu-rental-${randomBytes(6).toString('hex')}`);
    try {
      const seen = async () =>
        ((await this.readFile(file))?.toString('latin1') ?? '')
          .split('\n')
          .filter((line) => belongsTo(line, alias));
      const { isProven, result } = await prove(file, seen);
      const lines = isProven ? await seen() : [];
      if (lines.length > 0) {
        await this.pin(alias, Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'), signal);
      }
      return result;
    } finally {
      await this.removeFile(file);
    }
  }

  /** Stores a host key in place of any other of the alias. */
  async replaceHostKey(alias: string, line: string): Promise<void> {
    const known = await this.hostKeys(alias);
    if (known.length !== 1 || known[0]?.trimEnd() !== line) {
      await this.forgetHostKeys([alias]);
      await this.pin(alias, Buffer.from(`${line}\n`, 'latin1'));
    }
  }

  private async pin(alias: string, lines: Buffer, signal?: AbortSignal): Promise<void> {
    const add = (content: Buffer) => {
      const known = content.toString('latin1').split('\n');
      return known.some((line) => belongsTo(line, alias)) ? content : Buffer.concat([content, lines]);
    };
    await this.change(this.paths.knownHosts, add, signal);
    await this.rewrite([alias], signal);
  }

  /**
   * Returns config files other than the default that hold our block, so that it is found again after the setting that
   * named them changed, and at the uninstallation, which has no settings.
   */
  async configFiles(): Promise<readonly string[]> {
    const bytes = await this.readFile(this.configList());
    return (bytes?.toString('utf8') ?? '').split('\n').filter((line) => line !== '');
  }

  async rememberConfigFile(file: string, signal?: AbortSignal): Promise<void> {
    if (!(await this.configFiles()).includes(file) && !file.includes('\n')) {
      const line = Buffer.from(`${file}\n`, 'utf8');
      await this.change(this.configList(), (content) => Buffer.concat([content, line]), signal);
    }
  }

  async forgetHostKeys(aliases: readonly string[], signal?: AbortSignal): Promise<void> {
    const isGone = (line: string) =>
      aliases.some((alias) => belongsTo(line, alias) || belongsTo(line, hostAliasOf(alias)));
    const current = (await this.readFile(this.paths.knownHosts))?.toString('latin1') ?? '';
    if (!current.split('\n').some(isGone)) {
      return;
    }
    const without = (content: Buffer) => {
      // ssh writes this file as well: one character per byte preserves its content.
      const lines = content.toString('latin1').split('\n');
      return Buffer.from(lines.filter((line) => !isGone(line)).join('\n'), 'latin1');
    };
    await this.change(this.paths.knownHosts, without, signal);
    await this.rewrite(aliases, signal);
  }

  /** Removes our files, and the folder if nothing else is in it. The list of configs keeps `configsLeft`. */
  async removeAll(configsLeft: readonly string[] = [], signal?: AbortSignal): Promise<void> {
    const { fs } = this.deps;
    const aliases = await this.aliasesWith('.conf', '.pub');
    const list = Buffer.from(configsLeft.map((file) => `${file}\n`).join(''), 'utf8');
    if (list.length > 0) {
      await this.change(this.configList(), () => list, signal);
    } else if ((await this.kind()) === 'missing') {
      return;
    }
    await this.locked(async () => {
      await this.removeFiles(aliases);
      if (list.length === 0) {
        await this.removeFile(this.configList());
      }
      await this.removeFile(this.paths.knownHosts);
      // ssh keeps a backup when it removes an entry itself.
      await this.removeFile(`${this.paths.knownHosts}.old`);
      await removeLeftovers(fs, this.paths.ownDir);
    }, signal);
    if ((await fs.list(this.paths.ownDir)).length === 0) {
      await fs.removeDir(this.paths.ownDir);
    }
  }

  private configList(): string {
    return join(this.paths.ownDir, 'config-files');
  }

  private async kind(): Promise<'missing' | 'present'> {
    return (await ifPresent(this.deps.fs.facts(this.paths.ownDir))) ? 'present' : 'missing';
  }

  private async change(
    file: string,
    edit: (content: Buffer) => Buffer | Promise<Buffer>,
    signal?: AbortSignal,
  ): Promise<'same' | 'written'> {
    const { fs, clock } = this.deps;
    await this.explained(() => makeOwnDir(fs, this.paths.ownDir));
    return this.locked(async () => {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const expected = await this.readFile(file);
        const bytes = await edit(expected ?? Buffer.alloc(0));
        if (expected?.equals(bytes)) {
          return 'same';
        }
        await removeLeftovers(fs, this.paths.ownDir, basename(file));
        if (await replaceFileOfOthers(fs, clock, file, { bytes, expected, mode: 0o600 })) {
          await this.repairAcl(file);
          return 'written';
        }
      }
      throw new Error(`${basename(file)} keeps being changed by another program`);
    }, signal);
  }

  private locked<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.explained(() => withLock(this.paths.lock, { ...this.deps, signal }, action));
  }

  private readFile(file: string): Promise<Buffer | undefined> {
    return this.explained(() => ifPresent(this.deps.fs.read(file)));
  }

  private explained<T>(action: () => Promise<T>): Promise<T> {
    return withOwnFiles(this.paths.ownDir, action);
  }

  /** Removes the entry last, so that after a crash it still shows that something is left. */
  private async removeFiles(aliases: readonly string[]): Promise<void> {
    for (const alias of aliases) {
      await this.removeFile(agentKeyFile(this.paths, alias));
      await this.removeFile(confFile(this.paths, alias));
    }
  }

  private removeFile(file: string): Promise<void> {
    return ifPresent(this.deps.fs.remove(file));
  }
}

function belongsTo(line: string, alias: string): boolean {
  return line.split(' ', 1)[0] === alias;
}
