import type { EngineName } from '../../jobs/model/serves';
import type { Offer } from '../../model/offers/offer';
import type { ModelFacts } from './knownModels';

/**
 * What a model needs of a machine. A GPU with the sold size of 24 GB has 24 GiB, so GPUs count in GiB here, and files in
 * bytes. The rule is that of vllm-project/recipes: the bytes of the weights, and a fifth for everything else.
 */
const gib = 2 ** 30;
const needFactor = 1.2;
/** The share of a GPU's memory that an engine takes. */
const usableShare = 0.92;
/** What an engine needs on each GPU beside the weights and the context (GiB). */
const besideGib = 1.5;
/** A context below this is too short for an agent. */
export const agentTokens = 32_768;

/** GPUs share a model as 1, 2, 4 or 8, so that its attention heads can be divided. */
const counts = [8, 4, 2, 1] as const;

/** Returns how many GPUs of a machine share a model. */
export function sharedGpus(gpuCount: number): number {
  return counts.find((count) => count <= gpuCount) ?? 1;
}

/** What engines need beside the model: the image is pulled and unpacked on the disk as well. */
const engines: Readonly<
  Record<EngineName, { readonly gpuGib: number; readonly diskGb: number; readonly cuda: number }>
> = {
  // vLLM warms up with more than small GPUs have, however small the model is.
  vllm: { gpuGib: 16, diskGb: 40, cuda: 12.9 },
  llamaCpp: { gpuGib: 4, diskGb: 15, cuda: 12.8 },
};

/** The GPUs of a machine, each with this much memory (GiB). */
export interface Gpus {
  readonly count: number;
  readonly gib: number;
}

/** Returns the GPUs of an offer or an instance as far as it states them. */
export function gpusOf({ gpuCount, gpuRamMb }: Pick<Offer, 'gpuCount' | 'gpuRamMb'>): Gpus | undefined {
  return gpuCount === undefined || gpuRamMb === undefined
    ? undefined
    : { count: gpuCount, gib: gpuRamMb / 1024 };
}

/** Returns the GPU memory that a model needs in all (GiB). */
export function neededGib({ weightBytes }: Pick<ModelFacts, 'weightBytes'>): number {
  return (weightBytes * needFactor) / usableShare / gib;
}

/** Each GPU must hold its share. */
export function fits(model: Pick<ModelFacts, 'weightBytes' | 'engine'>, { count, gib: each }: Gpus): boolean {
  const share = neededGib(model) / sharedGpus(count);
  return each >= share && each >= engines[model.engine].gpuGib;
}

/** Returns roughly how long a context fits beside the weights (tokens); `undefined` if that is not known. */
export function contextThatFits(
  { weightBytes, bytesPerToken, contextTokens }: ModelFacts,
  gpus: Gpus,
): number | undefined {
  if (bytesPerToken === undefined) {
    return undefined;
  }
  const count = sharedGpus(gpus.count);
  const free = count * (gpus.gib * usableShare - besideGib) * gib - weightBytes;
  return Math.max(0, Math.min(contextTokens ?? Infinity, Math.floor(free / bytesPerToken)));
}

/** Returns the disk that a model needs (GB). */
export function diskGbFor({ weightBytes, engine }: Pick<ModelFacts, 'weightBytes' | 'engine'>): number {
  return Math.ceil((weightBytes * needFactor) / 1e9) + engines[engine].diskGb;
}

/** After a model did not fit although it should. */
const largerFactor = 1.4;

/** Returns the filters of a search for what fits, in the names and units of the service. */
export function filtersFor(
  model: Pick<ModelFacts, 'weightBytes' | 'engine' | 'leastCapability'>,
  isLarger = false,
) {
  const { gpuGib, cuda } = engines[model.engine];
  return {
    num_gpus: { in: [...counts].reverse() },
    gpu_ram: { gte: gpuGib * 1024 },
    gpu_total_ram: { gte: Math.ceil(neededGib(model) * (isLarger ? largerFactor : 1)) * 1024 },
    gpu_arch: { eq: 'nvidia' },
    cuda_max_good: { gte: cuda },
    inet_down: { gte: 500 },
    ...(model.leastCapability === undefined ? {} : { compute_cap: { gte: model.leastCapability * 100 } }),
  };
}

/** The memory of cards that are common on the market (GB). */
const cardsGb = [8, 12, 16, 24, 32, 48, 80, 96, 141, 180] as const;

/** Returns the smallest GPUs that hold a model. */
export function leastGpus(model: Pick<ModelFacts, 'weightBytes' | 'engine'>): Gpus {
  const all = [...counts].reverse().flatMap((count) => cardsGb.map((gb) => ({ count, gib: gb })));
  return all.find((gpus) => fits(model, gpus)) ?? { count: 8, gib: Math.ceil(neededGib(model) / 8) };
}
