import { basename, dirname, isAbsolute } from 'node:path';
import type { Clock } from '../util/clock';
import { errorCode } from '../util/errorCode';
import { UserError } from '../util/errors';
import { withLock, type ProcessIdentity } from '../util/fileLock';
import { isMissing } from '../util/missing';
import { text, type Text } from '../util/text';
import type { FileFacts, FileSystem } from './fileSystem';
import { placeBlock, removeBlock, type BlockTrouble } from './includeBlock';
import { withOwnFiles } from './ownFiles';
import type { SshPaths } from './paths';
import { removeLeftovers, replaceFileOfOthers } from './replaceFile';

/** The user's SSH config stays unchanged; one line pasted by hand has the same effect. */
export class ManualStepError extends UserError {
  constructor(
    readonly why: Text,
    /** The file to edit. */
    readonly file: string,
    /** The line to paste at its top. */
    readonly line: string,
    cause?: unknown,
  ) {
    super(text('{0} Paste this as the first line of {1}: {2}', why, file, line), { cause });
  }
}

/** The block is still in the user's SSH config; only the user can remove it. */
export class BlockLeftError extends UserError {
  /** The file to edit. */
  readonly file: string;

  constructor(cause: ManualStepError) {
    super(text('{0} Delete the lines between our markers in {1}.', cause.why, cause.file), { cause });
    this.file = cause.file;
  }
}

export interface ConfigDeps {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly identity: ProcessIdentity;
  readonly platform: NodeJS.Platform;
}

const attempts = 20;
const linkLimit = 40;

/** Our Include block in the user's SSH config; the rest of the file is never changed. */
export class UserConfig {
  constructor(
    private readonly deps: ConfigDeps,
    private readonly paths: SshPaths,
  ) {}

  /**
   * Ensures that the block is first. Writes nothing if it is. Throws `ManualStepError` if the file is read-only, not
   * understood, or not ours to replace.
   */
  async ensure(signal?: AbortSignal): Promise<'same' | 'written'> {
    // The block is usually there already, and then no lock is needed.
    const first = await this.plan(await this.read());
    return first.kind === 'same' ? 'same' : this.transact((current) => this.plan(current), signal);
  }

  /** Removes the block, and the file if it had no other content. Throws `BlockLeftError` if the file must stay as it is. */
  async remove(signal?: AbortSignal): Promise<'same' | 'written'> {
    try {
      return await this.removeOwn(signal);
    } catch (error) {
      throw error instanceof ManualStepError ? new BlockLeftError(error) : error;
    }
  }

  private async removeOwn(signal?: AbortSignal): Promise<'same' | 'written'> {
    const plan = (current: Current) => {
      const removed = removeBlock(current.bytes?.toString('latin1') ?? '');
      if (removed.kind === 'trouble') {
        throw this.manual(troubleTexts[removed.trouble](removed.line), current.real);
      }
      return Promise.resolve(removed);
    };
    const first = await plan(await this.read());
    return first.kind === 'same' ? 'same' : this.transact(plan, signal);
  }

  private async plan(current: Current): Promise<Plan> {
    const placed = placeBlock(
      current.bytes?.toString('latin1') ?? '',
      this.paths.includePattern,
      current.bytes === undefined,
    );
    if (placed.kind === 'trouble') {
      throw this.manual(troubleTexts[placed.trouble](placed.line), current.real);
    }
    return Promise.resolve(placed);
  }

  private transact(
    plan: (current: Current) => Promise<Plan>,
    signal?: AbortSignal,
  ): Promise<'same' | 'written'> {
    return withOwnFiles(this.paths.ownDir, () => this.transactNow(plan, signal));
  }

  private async transactNow(
    plan: (current: Current) => Promise<Plan>,
    signal?: AbortSignal,
  ): Promise<'same' | 'written'> {
    const { fs } = this.deps;
    await makeOwnDir(fs, this.paths.ownDir);
    return withLock(this.paths.lock, { ...this.deps, signal }, async () => {
      await this.clearWreck();
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const current = await this.read();
        const next = await plan(current);
        if (next.kind === 'same') {
          return 'same';
        }
        if (await this.write(current, next)) {
          return 'written';
        }
      }
      throw this.manual(
        text('The SSH config keeps being changed by another program.'),
        this.paths.userConfig,
      );
    });
  }

  private async write(current: Current, next: Exclude<Plan, { kind: 'same' }>): Promise<boolean> {
    const { fs, clock, platform } = this.deps;
    const { real, bytes, facts } = current;
    this.checkReplaceable(current);
    try {
      if (next.kind === 'removeFile') {
        return bytes !== undefined && (await fs.removeIfSame(real, bytes));
      }
      if (facts === undefined) {
        await makeDirIfMissing(fs, dirname(real));
      }
      return await replaceFileOfOthers(fs, clock, real, {
        bytes: Buffer.from(next.text, 'latin1'),
        expected: bytes,
        mode: facts?.mode ?? 0o600,
        lateMs: [50, 250, 700],
        keepsAttributes: true,
        owner: platform === 'win32' ? undefined : facts,
      });
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(errorCode(error))) {
        throw this.manual(text("The SSH config can't be changed by this program."), real, error);
      }
      throw error;
    }
  }

  /** Cleans up before anything is read, because a leftover temporary file can be a second name of the config. */
  private async clearWreck(): Promise<void> {
    const real = await this.followLinks();
    try {
      await removeLeftovers(this.deps.fs, dirname(real), basename(real));
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(errorCode(error))) {
        throw error;
      }
    }
  }

  private checkReplaceable({ real, facts }: Current): void {
    if (!facts) {
      return;
    }
    if (facts.kind !== 'file') {
      throw this.manual(text('The SSH config is not an ordinary file, so it was left alone.'), real);
    }
    // Root can write files that are marked read-only; such a mark means that another program manages the file.
    if ((facts.mode & 0o200) === 0) {
      throw this.manual(text('The SSH config is read-only, so it was left alone.'), real);
    }
    if (facts.links > 1 && this.deps.platform !== 'win32') {
      throw this.manual(text('The SSH config has a second name elsewhere, so it was left alone.'), real);
    }
  }

  private async read(): Promise<Current> {
    const { fs } = this.deps;
    const real = await this.followLinks();
    try {
      const facts = await fs.facts(real);
      if (facts.kind !== 'file') {
        throw this.manual(text('The SSH config is not an ordinary file, so it was left alone.'), real);
      }
      return { real, facts, bytes: await fs.read(real) };
    } catch (error) {
      if (isMissing(error)) {
        return { real, facts: undefined, bytes: undefined };
      }
      if (error instanceof UserError) {
        throw error;
      }
      // Any error but "does not exist" leaves the content unknown.
      throw this.manual(text("The SSH config can't be read."), real, error);
    }
  }

  /** Returns the file at the end of a chain of links; its folder is left as written, since `..` follows links too. */
  private async followLinks(): Promise<string> {
    let path = this.paths.userConfig;
    for (let step = 0; step < linkLimit; step += 1) {
      try {
        if ((await this.deps.fs.facts(path)).kind !== 'link') {
          return path;
        }
      } catch (error) {
        if (isMissing(error)) {
          return path;
        }
        throw this.manual(text("The SSH config can't be read."), path, error);
      }
      const next = await this.deps.fs.readLink(path);
      path = isAbsolute(next) ? next : `${dirname(path)}/${next}`;
    }
    throw this.manual(text('The SSH config is a link that leads back to itself.'), this.paths.userConfig);
  }

  private manual(why: Text, file: string, cause?: unknown): ManualStepError {
    return new ManualStepError(why, file, `Include ${this.paths.includePattern}`, cause);
  }
}

interface Current {
  readonly real: string;
  readonly facts: FileFacts | undefined;
  readonly bytes: Buffer | undefined;
}

type Plan =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly text: string }
  | { readonly kind: 'removeFile' };

const troubleTexts: Record<BlockTrouble, (line: number) => Text> = {
  doubled: (line) => text('The SSH config has our markers twice (line {0}), so it was left alone.', line),
  unfinished: (line) =>
    text('The SSH config has one of our two markers only (line {0}), so it was left alone.', line),
  altered: (line) =>
    text('The part of the SSH config between our markers was edited (line {0}), so it was left alone.', line),
  encoding: () => text('The SSH config is not plain text, so it was left alone.'),
};

/** Creates `~/.ssh` and our folder in it, for this user only. */
export async function makeOwnDir(fs: FileSystem, ownDir: string): Promise<void> {
  await makeDirIfMissing(fs, dirname(ownDir));
  await makeDirIfMissing(fs, ownDir);
}

async function makeDirIfMissing(fs: FileSystem, dir: string): Promise<void> {
  try {
    await fs.makeDir(dir, 0o700);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
  }
}
