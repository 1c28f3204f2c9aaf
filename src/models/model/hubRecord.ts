import * as z from 'zod';
import { knownModel, type ModelFacts } from './knownModels';

/** A repository as the hub lists it, with the sizes of its files; what it states wrongly counts as absent. */
export const hubRepository = z.object({
  id: z.string(),
  sha: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional()
    .catch(undefined),
  gated: z.union([z.boolean(), z.string()]).catch(false),
  cardData: z
    .object({ license: z.string().max(60).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  siblings: z.array(
    z.object({ rfilename: z.string().max(1000), size: z.number().nonnegative().optional().catch(undefined) }),
  ),
});
export type HubRepository = z.infer<typeof hubRepository>;

const count = z.number().positive().optional().catch(undefined);
const sizes = z.object({
  max_position_embeddings: count,
  num_hidden_layers: count,
  num_attention_heads: count,
  num_key_value_heads: count,
  hidden_size: count,
  head_dim: count,
  layer_types: z.array(z.string()).optional().catch(undefined),
});

/** The settings of a model; those of one that also reads images lie in `text_config`. */
export const hubConfig = sizes.extend({
  text_config: sizes.optional().catch(undefined),
  auto_map: z.unknown().optional(),
  architectures: z.array(z.string()).optional().catch(undefined),
  quantization_config: z
    .object({ quant_method: z.string().max(40).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  dtype: z.string().max(40).optional().catch(undefined),
  torch_dtype: z.string().max(40).optional().catch(undefined),
});
export type HubConfig = z.infer<typeof hubConfig>;

/** Why a repository can't be served. */
export type HubProblem = 'noWeights' | 'ownCode';

/** Returns what a repository and its settings say of a model, over what the table knows of it. */
export function factsOfHub(
  { id, sha, gated, cardData, siblings }: HubRepository,
  config: HubConfig | undefined,
): ModelFacts | HubProblem {
  const known = knownModel(id);
  const quantized = quantizations(siblings);
  const usual = known?.file ?? usualQuantization(quantized);
  const safetensors = weightsOf(siblings);
  const common = {
    ...known,
    repository: id,
    revision: sha,
    license: cardData?.license ?? known?.license,
    isGated: gated !== false && gated !== 'false',
  };
  if (safetensors > 0) {
    // vLLM knows the architectures of the table, also where their repositories bring code.
    if (config?.auto_map !== undefined && !known) {
      return 'ownCode';
    }
    return {
      leastCapability: 8,
      ...common,
      engine: 'vllm',
      weightBytes: safetensors,
      ...configFacts(config),
    };
  }
  const weightBytes = usual === undefined ? undefined : quantized.get(usual);
  return weightBytes === undefined || usual === undefined
    ? 'noWeights'
    : { ...common, engine: 'llamaCpp', weightBytes, file: usual, format: usual };
}

function configFacts(config: HubConfig | undefined): Partial<ModelFacts> {
  const inner = config?.text_config ?? config;
  if (!config || !inner) {
    return {};
  }
  const format = config.quantization_config?.quant_method ?? config.dtype ?? config.torch_dtype;
  const perToken = bytesPerToken(inner);
  return {
    ...(inner.max_position_embeddings === undefined ? {} : { contextTokens: inner.max_position_embeddings }),
    ...(format === undefined ? {} : { format }),
    ...(perToken === undefined ? {} : { bytesPerToken: perToken }),
  };
}

/** Keys and values of each layer that attends to the whole context, with 2 bytes a number. */
function bytesPerToken(config: z.infer<typeof sizes>): number | undefined {
  const {
    num_hidden_layers: layers,
    num_attention_heads: heads,
    hidden_size: width,
    layer_types: types,
  } = config;
  const keyHeads = config.num_key_value_heads ?? heads;
  const size = config.head_dim ?? (heads === undefined || width === undefined ? undefined : width / heads);
  const full = types ? types.filter((type) => type === 'full_attention').length : layers;
  return full === undefined || full === 0 || keyHeads === undefined || size === undefined
    ? undefined
    : 2 * full * keyHeads * size * 2;
}

type Files = HubRepository['siblings'];

/** Returns the bytes of the weights; a repository may hold them a second time under other names. */
function weightsOf(files: Files): number {
  const root = files.filter(({ rfilename }) => /^[^/]+\.safetensors$/.test(rfilename));
  const named = root.filter(({ rfilename }) => !rfilename.startsWith('consolidated'));
  return sum(named.length > 0 ? named : root);
}

function sum(files: Files): number {
  return files.reduce((all, { size = 0 }) => all + size, 0);
}

/** Returns the bytes of each quantization, such as `Q4_K_M`, whose files may be in parts. */
function quantizations(files: Files): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { rfilename, size = 0 } of files) {
    const name =
      /^[^/]*[-.]((?:I?Q\d|MXFP4|BF16|F16|F32)[A-Za-z0-9_]{0,12})(?:-\d{5}-of-\d{5})?\.gguf$/i.exec(
        rfilename,
      )?.[1];
    if (name !== undefined && !/^mmproj/i.test(rfilename)) {
      const key = name.toUpperCase();
      found.set(key, (found.get(key) ?? 0) + size);
    }
  }
  return found;
}

function usualQuantization(quantized: ReadonlyMap<string, number>): string | undefined {
  return ['Q4_K_M', 'MXFP4', 'Q4_0', 'Q8_0'].find((name) => quantized.has(name)) ?? [...quantized.keys()][0];
}
