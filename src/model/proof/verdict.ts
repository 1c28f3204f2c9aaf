import { defined } from '../../util/defined';
import type { Instance } from '../instances/instance';
import type { Offer } from '../offers/offer';
import type { GpuFault, MachineProof } from './machineProof';

/** The rented machine, as described by the offer or the list of instances. */
export interface ExpectedMachine {
  readonly gpuCount?: number;
  readonly gpuName?: string;
  /** Memory of one GPU. */
  readonly gpuRamMb?: number;
  readonly diskGb?: number;
  /** As reported by the host; we do not measure it. */
  readonly inetDownMbit?: number;
}

export type Difference =
  | { readonly kind: 'noGpu'; readonly expected: number }
  | { readonly kind: 'gpuCount'; readonly expected: number; readonly found: number }
  | { readonly kind: 'gpuModel'; readonly expected: string; readonly found: string }
  | { readonly kind: 'gpuMemory'; readonly expectedMb: number; readonly foundMb: number }
  | { readonly kind: 'migEmpty' }
  | { readonly kind: 'fault'; readonly fault: GpuFault }
  | { readonly kind: 'diskSize'; readonly expectedGb: number; readonly foundGb: number }
  /** The host's disk is shared, and less of it is free than was rented. */
  | { readonly kind: 'diskShared'; readonly expectedGb: number; readonly freeGb: number }
  | { readonly kind: 'diskFull'; readonly freeGb: number };

/** A remark beside the verdict that counts neither for nor against the machine. */
export type ProofNote = 'mig' | 'memoryNotReported' | 'smiMissing' | 'amd';

export interface ProofVerdict {
  readonly ok: boolean;
  readonly differences: readonly Difference[];
  readonly notes: readonly ProofNote[];
}

/** Error correction takes one sixteenth of the memory if it is on. */
const leastMemoryShare = 0.93;
/** A file system reserves part of the disk. */
const leastDiskShare = 0.85;
/** A disk this much larger than rented belongs to the host, without a limit for each renter. */
const sharedDiskShare = 1.3;
/** The user may have filled part of such a disk. */
const leastFreeShare = 0.5;
/** With less free space, neither an editor's server nor a package can be installed. */
const fullDiskGb = 0.5;

export function expectedOf(instance: Instance, offer: Offer | undefined): ExpectedMachine {
  return defined<ExpectedMachine>({
    gpuCount: instance.gpuCount ?? offer?.gpuCount,
    gpuName: instance.gpuName ?? offer?.gpuName,
    gpuRamMb: instance.gpuRamMb ?? offer?.gpuRamMb,
    diskGb: instance.diskSpaceGb,
    inetDownMbit: offer?.inetDownMbit,
  });
}

/** Compares the machine with what was rented. A value that either side lacks is no difference. */
export function verdictOn(proof: MachineProof, expected: ExpectedMachine): ProofVerdict {
  const differences = [
    ...faultDifferences(proof),
    ...gpuDifferences(proof, expected),
    ...diskDifferences(proof, expected),
  ];
  return { ok: differences.length === 0, differences, notes: notesOn(proof) };
}

/**
 * Returns whether another machine would be better. A machine that is not new may have a disk full of the user's own
 * files.
 */
export function speaksForReplacing({ differences }: ProofVerdict, isNew: boolean): boolean {
  return differences.some(({ kind }) => isNew || (kind !== 'diskFull' && kind !== 'diskShared'));
}

/** A GPU may work although its tool is missing, so that is only a note. */
function faultDifferences({ faults }: MachineProof): readonly Difference[] {
  return faults.filter(({ kind }) => kind !== 'smiMissing').map((fault) => ({ kind: 'fault', fault }));
}

function gpuDifferences(proof: MachineProof, expected: ExpectedMachine): readonly Difference[] {
  const { gpus, mig, faults } = proof;
  // The tool that would count the GPUs failed.
  if (gpus.length === 0 && faults.some(({ kind }) => kind === 'smiFailed' || kind === 'smiHung')) {
    return [];
  }
  const { gpuCount = 0 } = expected;
  if (gpus.length === 0) {
    return gpuCount > 0 ? [{ kind: 'noGpu', expected: gpuCount }] : [];
  }
  const count: Difference[] =
    gpus.length < gpuCount ? [{ kind: 'gpuCount', expected: gpuCount, found: gpus.length }] : [];
  return [
    ...count,
    ...modelDifference(proof, expected),
    ...(mig ? migDifference(proof, expected) : memoryDifference(proof, expected)),
  ];
}

function modelDifference({ gpus }: MachineProof, { gpuName }: ExpectedMachine): readonly Difference[] {
  const other = gpus.find(({ name }) => name !== undefined && !isSameGpuModel(name, gpuName ?? name))?.name;
  return other === undefined || gpuName === undefined
    ? []
    : [{ kind: 'gpuModel', expected: gpuName, found: other }];
}

function memoryDifference({ gpus }: MachineProof, { gpuRamMb }: ExpectedMachine): readonly Difference[] {
  const least = Math.min(...gpus.flatMap(({ memoryMb }) => memoryMb ?? []));
  return lessMemory(gpuRamMb, least);
}

/** A partitioned GPU without a partition for us can't compute. A partition may be as large as what was rented. */
function migDifference({ migDevices }: MachineProof, { gpuRamMb }: ExpectedMachine): readonly Difference[] {
  if (migDevices === undefined) {
    return [];
  }
  if (migDevices.length === 0) {
    return [{ kind: 'migEmpty' }];
  }
  const sizes = migDevices.flatMap((profile) => /\.(\d{1,3})gb/.exec(profile)?.[1] ?? []);
  return lessMemory(gpuRamMb, Math.min(...sizes.map((gb) => Number(gb) * 1024)));
}

/** `foundMb` is infinite if no GPU reports its memory. */
function lessMemory(expectedMb: number | undefined, foundMb: number): readonly Difference[] {
  return expectedMb !== undefined && foundMb < expectedMb * leastMemoryShare
    ? [{ kind: 'gpuMemory', expectedMb, foundMb }]
    : [];
}

function diskDifferences({ disk }: MachineProof, { diskGb }: ExpectedMachine): readonly Difference[] {
  const { sizeGb } = disk;
  const size: Difference[] =
    sizeGb !== undefined && diskGb !== undefined && sizeGb < diskGb * leastDiskShare
      ? [{ kind: 'diskSize', expectedGb: diskGb, foundGb: sizeGb }]
      : [];
  return [...size, ...freeDifference(disk, diskGb)];
}

function freeDifference(
  { sizeGb = 0, freeGb }: MachineProof['disk'],
  expectedGb: number | undefined,
): readonly Difference[] {
  if (freeGb === undefined) {
    return [];
  }
  if (freeGb < fullDiskGb) {
    return [{ kind: 'diskFull', freeGb }];
  }
  return expectedGb !== undefined &&
    sizeGb > expectedGb * sharedDiskShare &&
    freeGb < expectedGb * leastFreeShare
    ? [{ kind: 'diskShared', expectedGb, freeGb }]
    : [];
}

function notesOn({ kind, mig, gpus, faults }: MachineProof): readonly ProofNote[] {
  const isSilent = kind === 'nvidia' && !mig && gpus.some(({ memoryMb }) => memoryMb === undefined);
  const lacksTool = faults.some((fault) => fault.kind === 'smiMissing');
  return [
    ...(kind === 'amd' ? ['amd' as const] : []),
    ...(mig ? ['mig' as const] : []),
    ...(lacksTool && kind === 'nvidia' ? ['smiMissing' as const] : []),
    ...(isSilent && !lacksTool ? ['memoryNotReported' as const] : []),
  ];
}

/** Makers, series, sizes, generations and variants, which the market and the driver spell differently. */
const freeWords = new Set(
  [
    'nvidia geforce quadro tesla amd radeon graphics gpu q generation blackwell edition',
    'workstation server ws sxm pcie nvl sff fhhl hbm gb mib pg max',
  ].flatMap((line) => line.split(' ')),
);
/** Sizes and variants with their number: `80GB`, `HBM3e`, `SXM4`, `Max-Q`, `PG506`. */
const builds = /\b(?:\d+ ?gb|hbm\d?e?|sxm\d?|pg\d+|max-?q)\b/g;

/**
 * Returns whether the names of the driver and the market mean the same model: "NVIDIA GeForce RTX 4080 SUPER" is an
 * "RTX 4080S", "NVIDIA H100 80GB HBM3" an "H100 SXM". A name without any distinctive word matches everything.
 */
export function isSameGpuModel(one: string, other: string): boolean {
  const [a, b] = [piecesOf(one), piecesOf(other)];
  return a === '' || b === '' || a === b;
}

/** Returns the distinctive words and numbers of a model in a fixed order. */
function piecesOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[_/]|\((?:r|tm)\)|instinct/g, ' ')
    .replace(builds, ' ')
    .replace('super', 's');
  const pieces = (plain.match(/[a-z]+|\d+/g) ?? []).filter((piece) => !freeWords.has(piece));
  // "RTX PRO 6000 S" is the server variant, not a Super.
  return pieces
    .filter((piece) => piece !== 's' || !pieces.includes('pro'))
    .sort()
    .join(' ');
}
