import type { EngineName } from '../../jobs/model/serves';

/** What must be known of a model to rent for it. */
export interface ModelFacts {
  /** Its owner and name at the hub. */
  readonly repository: string;
  /** The commit that was read; absent if nothing was read. */
  readonly revision?: string | undefined;
  readonly engine: EngineName;
  /** The quantization of a repository for llama.cpp. */
  readonly file?: string | undefined;
  /** Bytes of the files with its weights. */
  readonly weightBytes: number;
  /** Billions of parameters; those that work on each token in parentheses. */
  readonly parameters?: string | undefined;
  /** How its weights are stored, such as `fp8`. */
  readonly format?: string | undefined;
  /** The longest context that it was made for. */
  readonly contextTokens?: number | undefined;
  /** Bytes of GPU memory for each token of the context. */
  readonly bytesPerToken?: number | undefined;
  readonly toolParser?: string | undefined;
  readonly reasoningParser?: string | undefined;
  readonly license?: string | undefined;
  /** Its owner gives it only to accounts that accepted a license. */
  readonly isGated: boolean;
  /** The least compute capability, such as 8.9. */
  readonly leastCapability?: number | undefined;
}

const kib = 1024;
const apache = 'Apache-2.0';

/** A row for vLLM: sizes in GB (10⁹ bytes), the cache in KiB for each token. */
function vllm(
  repository: string,
  parameters: string,
  format: string,
  [gb, contextTokens, cacheKib]: readonly [gb: number, contextTokens: number, cacheKib?: number],
  [toolParser, reasoningParser]: readonly [tools: string, reasoning?: string],
  more: Partial<ModelFacts> = {},
): ModelFacts {
  return {
    repository,
    engine: 'vllm',
    parameters,
    format,
    weightBytes: Math.round(gb * 1e9),
    contextTokens,
    bytesPerToken: cacheKib === undefined ? undefined : cacheKib * kib,
    toolParser,
    reasoningParser,
    license: apache,
    isGated: false,
    // At full speed (compute capability of Ada).
    leastCapability: format === 'fp8' ? 8.9 : 8,
    ...more,
  };
}

/** A row for llama.cpp, which takes parsers from the chat template of the model. */
function gguf(
  repository: string,
  file: string,
  parameters: string,
  [gb, contextTokens, cacheKib]: readonly [gb: number, contextTokens: number, cacheKib: number],
): ModelFacts {
  return {
    repository,
    file,
    engine: 'llamaCpp',
    parameters,
    format: file,
    weightBytes: Math.round(gb * 1e9),
    contextTokens,
    bytesPerToken: cacheKib * kib,
    license: apache,
    isGated: false,
  };
}

/**
 * Well-known models, the smallest first, for a computer without a way to the hub. Sizes, parsers and licenses are those of
 * the repositories and of vllm-project/recipes in November 2026. A license that is not stated there is absent.
 */
export const knownModels: readonly ModelFacts[] = [
  gguf('Qwen/Qwen3-4B-GGUF', 'Q4_K_M', '4', [2.5, 40_960, 144]),
  gguf('Qwen/Qwen3-8B-GGUF', 'Q4_K_M', '8', [5.03, 40_960, 144]),
  vllm('Qwen/Qwen3-4B', '4', 'bf16', [8.05, 40_960, 144], ['hermes', 'qwen3']),
  gguf('ggml-org/gpt-oss-20b-GGUF', 'MXFP4', '21 (3.6)', [12.1, 131_072, 24]),
  vllm('openai/gpt-oss-20b', '21 (3.6)', 'mxfp4', [13.8, 131_072, 24], ['openai']),
  vllm('mistralai/Ministral-3-14B-Instruct-2512', '14', 'fp8', [14.2, 262_144], ['mistral'], {
    license: undefined,
  }),
  vllm('meta-llama/Llama-3.1-8B-Instruct', '8', 'bf16', [16.1, 131_072, 128], ['llama3_json'], {
    license: 'Llama 3.1',
    isGated: true,
  }),
  vllm('Qwen/Qwen3-8B', '8.2', 'bf16', [16.4, 40_960, 144], ['hermes', 'qwen3']),
  vllm('google/gemma-4-31B-it-qat-w4a16-ct', '31', 'int4', [16.7, 262_144], ['gemma4', 'gemma4']),
  vllm('Qwen/Qwen3.5-9B', '9', 'bf16', [18.4, 262_144], ['qwen3_coder', 'qwen3']),
  vllm('Qwen/Qwen3-32B-AWQ', '32', 'int4', [19.3, 40_960, 256], ['hermes', 'qwen3']),
  vllm('Qwen/Qwen3.6-27B-FP8', '27', 'fp8', [27.5, 262_144, 64], ['qwen3_coder', 'qwen3']),
  vllm('Qwen/Qwen3.8-27B-FP8', '27', 'fp8', [30.9, 262_144, 64], ['qwen3_coder', 'qwen3'], {
    license: undefined,
  }),
  vllm('Qwen/Qwen3.6-35B-A3B-FP8', '35 (3)', 'fp8', [35, 262_144, 20], ['qwen3_coder', 'qwen3']),
  vllm('openai/gpt-oss-120b', '117 (5.1)', 'mxfp4', [65.3, 131_072, 36], ['openai']),
  vllm('nvidia/Llama-3.3-70B-Instruct-FP8', '70', 'fp8', [72.7, 131_072, 320], ['llama3_json'], {
    license: 'Llama 3.3',
  }),
  vllm('MiniMaxAI/MiniMax-M2.7', '230 (10)', 'fp8', [230, 196_608], ['minimax_m2', 'minimax_m2'], {
    license: undefined,
  }),
  vllm('zai-org/GLM-4.7-FP8', '358 (32)', 'fp8', [358, 202_752], ['glm47', 'glm45'], {
    license: undefined,
  }),
];

/** Returns the row of a repository. */
export function knownModel(repository: string): ModelFacts | undefined {
  return knownModels.find((one) => one.repository.toLowerCase() === repository.toLowerCase());
}

/** Returns how clients call a model: by the last part of its repository, without the word that tells files apart. */
export function servedNameOf({ repository }: Pick<ModelFacts, 'repository'>): string {
  const last = repository.split('/').at(-1) ?? '';
  return last.replace(/-GGUF$/i, '').slice(0, 80) || 'model';
}
