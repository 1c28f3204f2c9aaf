import type { DifferingFile } from './mirror';
import type { Attempts, InStep } from './mirrorMemory';

/** A file or a link of this computer that belongs to the mirror. */
export interface FileHere {
  readonly size: number;
  readonly isExecutable: boolean;
  readonly stamp: string;
  readonly hash?: string | undefined;
}

/** What has a name on the instance. */
export interface FileThere {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly stamp: string;
  readonly hash?: string | undefined;
}

export interface BothSides {
  readonly known: ReadonlyMap<string, InStep>;
  readonly attempts: Attempts;
  readonly here: ReadonlyMap<string, FileHere>;
  readonly there: ReadonlyMap<string, FileThere>;
  /** Names that are known and exist here, but are not sent: brought from there, or ignored since. They stay as they are. */
  readonly hidden: ReadonlySet<string>;
}

/** A file that is sent, or deleted there, where it still is what it was. */
export interface MirrorStep {
  readonly name: string;
  /** `-` where there has to be nothing. */
  readonly stamp: string;
  /** Content that may be lost there, because it is here or was sent from here. */
  readonly hashes: readonly string[];
}

export interface MirrorPlan {
  readonly sends: readonly MirrorStep[];
  readonly deletes: readonly MirrorStep[];
  /** Names that are the same on both sides. */
  readonly same: readonly string[];
  /** Names to forget: they are on neither side. */
  readonly gone: readonly string[];
  /** Names that have to wait until something else is deleted. */
  readonly later: readonly string[];
  readonly differing: readonly DifferingFile[];
}

/** Returns the names whose content decides, because what the disks state of them does not. */
export function undecided({ known, here, there }: BothSides): {
  readonly here: readonly string[];
  readonly there: readonly string[];
} {
  const isContent = (kind: FileThere['kind']) => kind === 'file' || kind === 'link';
  return {
    here: [...here].flatMap(([name, { stamp, hash }]) => {
      const before = known.get(name);
      const isOpen = before ? before.local !== stamp : there.has(name);
      return hash === undefined && isOpen ? [name] : [];
    }),
    there: [...there].flatMap(([name, { kind, stamp, hash }]) => {
      const before = known.get(name);
      const isOpen = before ? before.there !== stamp : here.has(name);
      return hash === undefined && isOpen && isContent(kind) ? [name] : [];
    }),
  };
}

/** Returns the content of a name here, as far as it is known. */
export function hashHere({ known, here }: BothSides, name: string): string | undefined {
  const [file, before] = [here.get(name), known.get(name)];
  return file?.hash ?? (before && file && before.local === file.stamp ? before.hash : undefined);
}

export function hashThere({ known, there }: BothSides, name: string): string | undefined {
  const [file, before] = [there.get(name), known.get(name)];
  return file?.hash ?? (before && file && before.there === file.stamp ? before.hash : undefined);
}

/** Returns the content that a name may have there without being changed there. */
export function ownHashes({ known, attempts }: Pick<BothSides, 'known' | 'attempts'>, name: string) {
  const before = known.get(name);
  return [...(before ? [before.hash] : []), ...(attempts.get(name) ?? [])];
}

/**
 * Decides for each name by three states: here, on the instance, and when both were last the same. Only what is unchanged
 * there is replaced or deleted, and nothing is ever done here.
 */
export function mirrorPlan(sides: BothSides): MirrorPlan {
  const plan = {
    sends: [] as MirrorStep[],
    deletes: [] as MirrorStep[],
    same: [] as string[],
    gone: [] as string[],
    later: [] as string[],
    differing: [] as DifferingFile[],
  };
  const names = new Set([
    ...sides.here.keys(),
    ...sides.known.keys(),
    ...sides.attempts.keys(),
    ...sides.there.keys(),
  ]);
  for (const name of names) {
    const file = sides.there.get(name);
    const verdict = verdictOn(sides, name);
    const step = {
      name,
      stamp: file?.stamp ?? '-',
      hashes: ownHashes(sides, name).filter((one) => one !== '-'),
    };
    switch (verdict) {
      case 'send':
        plan.sends.push(step);
        break;
      case 'delete':
        plan.deletes.push(step);
        break;
      case 'same':
        plan.same.push(name);
        break;
      case 'neither':
        plan.gone.push(name);
        break;
      case 'new':
      case 'changed':
      case 'gone':
      case 'both':
        plan.differing.push({
          name,
          change: verdict,
          size: file && file.kind !== 'folder' ? file.size : undefined,
        });
        break;
      case 'ignored':
    }
  }
  return withoutObstacles(plan, sides.there);
}

type Verdict = DifferingFile['change'] | 'send' | 'delete' | 'same' | 'neither' | 'ignored';

function verdictOn(sides: BothSides, name: string): Verdict {
  const { known, here, there, attempts } = sides;
  const [own, file, before] = [here.get(name), there.get(name), known.get(name)];
  const [ownHash, itsHash] = [hashHere(sides, name), hashThere(sides, name)];
  const hashes = ownHashes(sides, name);
  const isUntouchedHere =
    before !== undefined &&
    own !== undefined &&
    ownHash === before.hash &&
    own.isExecutable === before.isExecutable;
  if (sides.hidden.has(name)) {
    const isSame = itsHash !== undefined && itsHash === before?.hash;
    return !file ? 'neither' : isSame ? 'ignored' : 'changed';
  }
  if (!file) {
    const isOurs = !before || hashes.includes('-');
    return own ? (isOurs ? 'send' : isUntouchedHere ? 'gone' : 'both') : 'neither';
  }
  const isOurs = itsHash !== undefined && hashes.includes(itsHash);
  if (!own) {
    return verdictOnForeign(file, before !== undefined, attempts.get(name) !== undefined && isOurs, isOurs);
  }
  if (file.kind === 'folder' && !before) {
    return 'send';
  }
  const isSame = itsHash !== undefined && itsHash === ownHash;
  if (isSame && (!before || own.isExecutable === before.isExecutable)) {
    return 'same';
  }
  return isOurs ? 'send' : isUntouchedHere ? 'changed' : 'both';
}

/** Folders are no part of the mirror, and links and pipes only where they were sent. */
function verdictOnForeign(file: FileThere, isKnown: boolean, isAttempt: boolean, isOurs: boolean): Verdict {
  if (isAttempt || (isKnown && isOurs)) {
    return 'delete';
  }
  if (isKnown) {
    return file.kind === 'folder' ? 'neither' : 'both';
  }
  return file.kind === 'file' ? 'new' : 'ignored';
}

/** A file can't be put below another file, or in the place of a folder with files, until these are deleted. */
function withoutObstacles(plan: MirrorPlan, there: BothSides['there']): MirrorPlan {
  const deleted = new Set(plan.deletes.map(({ name }) => name));
  const filled = new Map<string, 'ours' | 'theirs'>();
  for (const [name, { kind }] of there) {
    for (const folder of kind === 'folder' ? [] : foldersOf(name)) {
      if (filled.get(folder) !== 'theirs') {
        filled.set(folder, deleted.has(name) ? 'ours' : 'theirs');
      }
    }
  }
  const sends: MirrorStep[] = [];
  const later: string[] = [];
  const differing: DifferingFile[] = [...plan.differing];
  for (const step of plan.sends) {
    const { name } = step;
    const isBlocked = foldersOf(name).some((folder) => {
      const kind = there.get(folder)?.kind;
      return kind !== undefined && kind !== 'folder' && !deleted.has(folder);
    });
    if (isBlocked || filled.get(name) === 'theirs') {
      differing.push({ name, change: 'both', size: undefined });
    } else if (filled.get(name) === 'ours') {
      later.push(name);
    } else {
      sends.push(step);
    }
  }
  return { ...plan, sends, later, differing };
}

function foldersOf(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** More than so many deletes, or more than this part of what was sent, are asked about. */
const mostDeletes = 50;
const mostPart = 0.2;
/** Among a few files, each is a large part. */
const fewDeletes = 5;

export function isBulk(deletes: number, known: number): boolean {
  return deletes > mostDeletes || (deletes >= fewDeletes && deletes > known * mostPart);
}
