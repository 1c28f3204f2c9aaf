/** A CUDA version as the service writes it, such as 12.8. */
export type CudaVersion = number;

const oldest = 7;
const latest = 19;

function version(major: number, minor: number): CudaVersion | undefined {
  return major >= oldest && major <= latest && minor <= 9 ? (major * 10 + minor) / 10 : undefined;
}

/** A version from a tag. `cuda12` states only the major version, so the version is then a lower bound. */
export interface TaggedCuda {
  readonly cuda: CudaVersion;
  readonly isExact: boolean;
}

/** Reads `cuda12.4`, `cuda-12.4.1`, `cu124`, `cu1281` and `cuda12` anywhere in a tag. */
export function cudaInTag(tag: string): TaggedCuda | undefined {
  const dotted = /(?<![a-z])cu(?:da)?[-_]?(\d{1,2})\.(\d{1,2})(?!\d)/i.exec(tag);
  if (dotted) {
    return exactly(version(Number(dotted[1]), Number(dotted[2])));
  }
  const joined = /(?<![a-z])cu(?:da)?[-_]?(\d{2,4})(?![\d.])/i.exec(tag)?.[1];
  if (joined === undefined) {
    return undefined;
  }
  if (joined.length > 2) {
    return exactly(version(Number(joined.slice(0, 2)), Number(joined[2])));
  }
  // Two digits are a major version such as `12`, or a version such as `92`, which is 9.2.
  const major = version(Number(joined), 0);
  return major === undefined
    ? exactly(version(Number(joined[0]), Number(joined[1])))
    : { cuda: major, isExact: false };
}

/** Reads tags that begin with the CUDA version, such as `12.8.0-cudnn-devel-ubuntu22.04`. */
export function cudaAtStart(tag: string): TaggedCuda | undefined {
  const match = /^(\d{1,2})\.(\d{1,2})(?!\d)/.exec(tag);
  return match ? exactly(version(Number(match[1]), Number(match[2]))) : undefined;
}

function exactly(cuda: CudaVersion | undefined): TaggedCuda | undefined {
  return cuda === undefined ? undefined : { cuda, isExact: true };
}

/** The first driver of each CUDA version, newest first (docs/service/images.md#cuda-and-drivers). */
const firstDrivers: readonly (readonly [cuda: CudaVersion, driver: readonly [number, number, number]])[] = [
  [13, [580, 65, 6]],
  [12.9, [575, 51, 3]],
  [12.8, [570, 26, 0]],
  [12.6, [560, 28, 3]],
  [12.5, [555, 42, 2]],
  [12.4, [550, 54, 14]],
  [12.3, [545, 23, 6]],
  [12.2, [535, 54, 3]],
  [12.1, [530, 30, 2]],
  [12, [525, 60, 13]],
  [11.8, [520, 61, 5]],
  [11.7, [515, 43, 4]],
  [11.6, [510, 39, 1]],
  [11.5, [495, 29, 5]],
  [11.4, [470, 42, 1]],
  [11.3, [465, 19, 1]],
  [11.2, [460, 27, 3]],
  [11.1, [455, 23, 0]],
  [11, [450, 36, 6]],
  [10.2, [440, 33, 0]],
];

/** Returns the newest CUDA version that a driver supports, or undefined for a driver newer than the table. */
export function cudaOfDriver(driver: string): CudaVersion | undefined {
  const match = /^(\d{3})\.(\d{1,3})(?:\.(\d{1,3}))?$/.exec(driver.trim());
  if (!match) {
    return undefined;
  }
  const parts = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  const [newestKnown] = firstDrivers;
  if (newestKnown === undefined || (parts[0] ?? 0) > newestKnown[1][0]) {
    return undefined;
  }
  return firstDrivers.find(([, first]) => isAtLeast(parts, first))?.[0];
}

function isAtLeast(parts: readonly number[], first: readonly number[]): boolean {
  for (const [index, part] of first.entries()) {
    const difference = (parts[index] ?? 0) - part;
    if (difference !== 0) {
      return difference > 0;
    }
  }
  return true;
}

/** The CUDA versions that serve a GPU, by its compute capability (docs/service/images.md#cuda-and-gpus). */
interface GpuSupport {
  /** As the service writes it: 890 is 8.9. */
  readonly capability: number;
  readonly from: CudaVersion;
  readonly until?: CudaVersion;
}

const gpuSupport: readonly GpuSupport[] = [
  { capability: 350, from: 7, until: 11.8 },
  { capability: 370, from: 7, until: 11.8 },
  { capability: 500, from: 7, until: 12.9 },
  { capability: 520, from: 7, until: 12.9 },
  { capability: 600, from: 8, until: 12.9 },
  { capability: 610, from: 8, until: 12.9 },
  { capability: 700, from: 9, until: 12.9 },
  { capability: 750, from: 10 },
  { capability: 800, from: 11 },
  { capability: 860, from: 11.1 },
  { capability: 890, from: 11.8 },
  { capability: 900, from: 11.8 },
  { capability: 1000, from: 12.8 },
  { capability: 1030, from: 12.9 },
  { capability: 1200, from: 12.8 },
];

/** Returns the CUDA versions that support a GPU, or `undefined` for an unknown GPU. */
export function cudaOfGpu(capability: number | undefined): Omit<GpuSupport, 'capability'> | undefined {
  return gpuSupport.find((one) => one.capability === capability);
}

/** Returns the compute capabilities that a CUDA version supports, as far as the table knows. An open end is missing. */
export function gpusOfCuda({ cuda, isExact }: TaggedCuda): { readonly min?: number; readonly max?: number } {
  const served = gpuSupport
    .filter(({ from, until }) => (!isExact || cuda >= from) && (until === undefined || cuda <= until))
    .map(({ capability }) => capability);
  const tooOld = gpuSupport.some(({ until }) => until !== undefined && cuda > until);
  const newest = Math.max(...served);
  const hasNewer = gpuSupport.some(({ capability }) => capability > newest);
  return {
    ...(tooOld ? { min: Math.min(...served) } : {}),
    ...(hasNewer ? { max: newest } : {}),
  };
}
