import { access, constants } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { whyNotRead } from '../../../ssh/fileTree';
import type { SshService } from '../../../ssh/service';
import type { LeftOut } from '../../../ssh/transfer';
import { wait } from '../../../util/clock';
import { safeFileName } from '../../../util/fileName';
import { inParallel } from '../../../util/inParallel';
import { isMissing } from '../../../util/missing';
import type { MirroredFolder } from '../../model/mirror';
import type { InStep, MirrorMemory, MirrorNotes } from '../../model/mirrorMemory';
import {
  hashHere,
  hashThere,
  mirrorPlan,
  ownHashes,
  undecided,
  type BothSides,
  type MirrorPlan,
} from '../../model/mirrorPlan';
import { lookAtFarSide, settledStamp, type FarCall, type FarLook, type FarStep } from './farSide';
import {
  hashHereOf,
  hiddenNames,
  isNamed,
  lookAtNearFiles,
  lookAtNearSide,
  settledHere,
  type NearDeps,
  type NearFile,
  type NearLook,
} from './nearSide';

export interface SessionDeps extends NearDeps {
  readonly ssh: Pick<SshService, 'exec'>;
  readonly notes: MirrorNotes;
  /** Files of at least this size are sent alone and can be continued; by default `singleBytes`. */
  readonly singleBytes?: number;
  /** By default that of Node. */
  readonly mayRead?: typeof access;
}

/** Both sides at one moment, and what follows from it. */
export interface BothLooks {
  readonly near: NearLook;
  readonly far: FarLook;
  readonly plan: MirrorPlan;
  /** The number of the folder here changed since it was last the same. */
  readonly isOtherFolder: boolean;
}

/** How often what changes while it is compared is compared again. */
const mostLooks = 3;
/** An editor that replaces a file deletes it for a moment (ms). */
const replacingMs = 500;
const width = 8;

/** Work on one mirror with one alias, while no other window works on it. */
export class MirrorSession {
  private memory: MirrorMemory | undefined;
  private files = new Map<string, InStep>();
  readonly attempts = new Map<string, readonly string[]>();
  private isChanged = false;
  /** Files that could not be read when they were to be sent. */
  readonly unread = new Map<string, LeftOut['why']>();

  constructor(
    readonly deps: SessionDeps,
    readonly folder: MirroredFolder,
    private readonly call: FarCall,
  ) {}

  static async open(
    deps: SessionDeps,
    folder: MirroredFolder,
    alias: string,
    key: string,
    signal: AbortSignal,
  ): Promise<MirrorSession> {
    const name = safeFileName(basename(folder.local), 'folder');
    const session = new MirrorSession(deps, folder, { ...deps, alias, key, name, signal });
    session.remember(await deps.notes.read());
    for (const [name, hashes] of await deps.notes.readAttempts()) {
      session.attempts.set(name, hashes);
    }
    return session;
  }

  get remote(): string | undefined {
    return this.memory?.remote;
  }

  /** The machine as it was at the first contact. */
  get machine(): Pick<MirrorMemory, 'remote' | 'machineId'> | undefined {
    return this.memory;
  }

  get known(): ReadonlyMap<string, InStep> {
    return this.files;
  }

  get large(): MirrorMemory['large'] {
    return this.memory?.large ?? new Map();
  }

  get at(): FarCall {
    return this.call;
  }

  setLarge(large: MirrorMemory['large']): void {
    if (this.memory) {
      this.memory = { ...this.memory, large };
      this.isChanged = true;
    }
  }

  set(name: string, entry: InStep | undefined): void {
    const before = this.files.get(name);
    if (entry === undefined) {
      this.isChanged ||= before !== undefined;
      this.files.delete(name);
    } else if (
      before?.hash !== entry.hash ||
      before.local !== entry.local ||
      before.there !== entry.there ||
      before.isExecutable !== entry.isExecutable
    ) {
      this.files.set(name, entry);
      this.isChanged = true;
    }
  }

  /** Writes down what is known by now. */
  async save(): Promise<void> {
    if (this.isChanged && this.memory) {
      this.memory = { ...this.memory, files: new Map(this.files) };
      await this.deps.notes.write(this.memory);
      this.isChanged = false;
    }
  }

  /** Compares both sides by what their disks state, and by content where that does not decide. */
  async compare(hashed: readonly string[] = []): Promise<BothLooks> {
    const near = await lookAtNearSide(this.deps, this.folder.local, this.call.signal);
    const open = () => [...this.files].flatMap(([name, { there }]) => (there === '' ? [name] : []));
    let far = await lookAtFarSide(this.call, this.memory?.remote, [...open(), ...hashed]);
    await this.recognize(near, far);
    const here = new Map(near.files);
    let sides = await this.sidesOf(here, far);
    for (let look = 1; look < mostLooks; look += 1) {
      const { here: ours, there: theirs } = undecided(sides);
      await this.hashHere(here, ours);
      if (theirs.length > 0) {
        const again = new Set([...open(), ...hashed, ...theirs, ...[...far.files].flatMap(withHash)]);
        far = await lookAtFarSide(this.call, this.memory?.remote, [...again]);
      }
      sides = await this.sidesOf(here, far);
      if (ours.length + theirs.length === 0) {
        break;
      }
    }
    const { memory } = this;
    const isOtherFolder = memory !== undefined && memory.localId !== near.localId;
    return { near: { ...near, files: here }, far, plan: mirrorPlan(sides), isOtherFolder };
  }

  /** Notes what is the same, and forgets what is on neither side. */
  note({ near, far, plan }: BothLooks): void {
    const sides = { ...this.states(), here: near.files, there: far.files };
    for (const name of plan.same) {
      const [here, there, before] = [near.files.get(name), far.files.get(name), this.files.get(name)];
      const hash = hashHere(sides, name) ?? hashThere(sides, name);
      if (here && there && hash !== undefined) {
        this.set(name, {
          hash,
          isExecutable: before?.isExecutable ?? here.isExecutable,
          local: settledHere(here.stamp, near.at),
          there: settledStamp(there.stamp, far.now),
        });
        this.attempts.delete(name);
      }
    }
    for (const name of plan.gone) {
      this.set(name, undefined);
      this.attempts.delete(name);
    }
  }

  /** The folder here is the one that is in step from now on. */
  settleFolder({ near }: BothLooks): void {
    if (this.memory && this.memory.localId !== near.localId) {
      this.memory = { ...this.memory, localId: near.localId };
      this.isChanged = true;
    }
  }

  /** Returns what is to be sent of known files without a look at the instance; `undefined` where only a look shows it. */
  async stepsOf(
    names: readonly string[],
  ): Promise<{ steps: FarStep[]; near: Pick<NearLook, 'files' | 'at'> } | undefined> {
    const near = await lookAtNearFiles(this.deps, this.folder.local, names);
    const steps: FarStep[] = [];
    for (const name of names) {
      const [here, before] = [near.files.get(name), this.files.get(name)];
      if (!here || !before) {
        return undefined;
      }
      if (here.stamp !== before.local) {
        steps.push({ what: 'put', name, stamp: before.there, hashes: this.hashesOf(name) });
      }
    }
    return { steps, near };
  }

  /** Notes files that this computer does not let us read: each try to send them would be a login for nothing. */
  async noteUnread({ files }: NearLook, sends: readonly { readonly name: string }[]): Promise<void> {
    await inParallel(sends, width, async ({ name }) => {
      const file = files.get(name)?.file;
      const { mayRead = access } = this.deps;
      await (file ? mayRead(file.path, constants.R_OK) : Promise.resolve()).catch((error: unknown) => {
        if (!isMissing(error)) {
          this.unread.set(name, whyNotRead(name, error));
        }
      });
    });
  }

  /** Returns those of the deletes whose file was not only replaced at that moment. */
  async lasting<T extends { readonly name: string }>(deletes: readonly T[]): Promise<readonly T[]> {
    if (deletes.length === 0) {
      return [];
    }
    await wait(this.deps.clock, replacingMs, this.call.signal);
    const there = await Promise.all(
      deletes.map(({ name }) => isNamed(join(this.folder.local, ...name.split('/')))),
    );
    return deletes.filter((_, at) => there[at] !== true);
  }

  private hashesOf(name: string): readonly string[] {
    return ownHashes(this.states(), name).filter((one) => one !== '-');
  }

  private states() {
    return { known: this.files, attempts: this.attempts, hidden: new Set<string>() };
  }

  private async sidesOf(here: ReadonlyMap<string, NearFile>, far: FarLook): Promise<BothSides> {
    const known = [...this.files.keys()].filter((name) => !here.has(name));
    const hidden = await hiddenNames(this.deps, this.folder.local, known, here);
    return { ...this.states(), hidden, here, there: far.files };
  }

  private async hashHere(here: Map<string, NearFile>, names: readonly string[]): Promise<void> {
    await inParallel(names, width, async (name) => {
      const file = here.get(name);
      const hash = file && (await hashHereOf(file));
      if (file && hash !== undefined) {
        here.set(name, { ...file, hash });
      }
    });
  }

  /** Forgets what was sent to another machine, and to a folder that is gone or empty: there is nothing left to lose. */
  private async recognize(near: NearLook, far: FarLook): Promise<void> {
    const { memory } = this;
    const isEmpty = ![...far.files.values()].some(({ kind }) => kind !== 'folder');
    if (memory?.machineId === far.machineId && !(isEmpty && this.files.size > 0)) {
      return;
    }
    this.attempts.clear();
    await this.deps.notes.writeAttempts(this.attempts);
    const { machineId, remote } = far;
    this.remember({
      machineId,
      remote,
      localId: near.localId,
      files: new Map(),
      large: memory?.large ?? new Map(),
    });
    // Before anything is sent, so that what a cut leaves there is known to be ours.
    this.isChanged = true;
    await this.save();
  }

  private remember(memory: MirrorMemory | undefined): void {
    this.memory = memory;
    this.files = new Map(memory?.files);
    this.isChanged = false;
  }
}

function withHash([name, { hash }]: readonly [
  string,
  { readonly hash?: string | undefined },
]): readonly string[] {
  return hash === undefined ? [] : [name];
}
