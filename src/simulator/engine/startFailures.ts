import type { EngineOptions } from './engineArguments';
import type { EngineFault, EngineScene } from './engineScene';

export interface StartFailure {
  readonly at: 'download' | 'load' | 'compile';
  readonly lines: readonly string[];
}

/** Of one request at least, where the GPU has room for so many tokens only. */
const fittingTokens = 16_384;
const fittingSequences = 4;
/** The longest context of any model that is played. */
const derivedTokens = 262_144;

/** Returns how a start ends early: by the scene, or by arguments that no engine takes. */
export function failureLines(options: EngineOptions, { fault }: EngineScene): StartFailure | undefined {
  const { engine, model, contextTokens = 0, maxSequences, hubToken } = options;
  // As at the Hub, where each of these asks for a licence first.
  const isGated = model.startsWith('meta-llama/') && hubToken === undefined;
  const kind = isGated ? 'gated' : contextTokens > derivedTokens ? 'derivedContext' : fault;
  if (
    (kind === 'contextTooLong' && contextTokens <= fittingTokens) ||
    (kind === 'fewCacheBlocks' && maxSequences <= fittingSequences)
  ) {
    return undefined;
  }
  const end = kind && (engine === 'vllm' ? vllmEnds : llamaEnds)[kind];
  return end?.(options);
}

type Kind = EngineFault | 'derivedContext';
type Ends = Partial<Record<Kind, (options: EngineOptions) => StartFailure>>;

const vllmEnds: Ends = {
  noMemory: () =>
    ended(
      'compile',
      'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
    ),
  contextTooLong: ({ contextTokens }) =>
    ended(
      'compile',
      `ValueError: To serve at least one request with the model's max seq len (${String(contextTokens)}), (5.62 GiB KV cache is needed, which is larger than the available KV cache memory (2.25 GiB). Based on the available memory, the estimated maximum model length is ${fittingTokens}. Try increasing \`gpu_memory_utilization\` or decreasing \`max_model_len\` when initializing the engine.`,
    ),
  fewCacheBlocks: ({ maxSequences }) =>
    ended(
      'compile',
      `ValueError: max_num_seqs (${maxSequences}) exceeds available Mamba cache blocks (${fittingSequences}). Each decode sequence requires one Mamba cache block, so CUDA graph capture cannot proceed.`,
    ),
  gpuInUse: () =>
    ended(
      'load',
      'ValueError: Free memory on device cuda:0 (3.21/23.64 GiB) on startup is less than desired GPU memory utilization (0.92, 21.75 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.',
    ),
  outOfMemory: () =>
    ended(
      'compile',
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.02 GiB. GPU 0 has a total capacity of 23.64 GiB of which 812.00 MiB is free.',
    ),
  derivedContext: ({ contextTokens }) =>
    ended(
      'download',
      `pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig. User-specified max_model_len (${String(contextTokens)}) is greater than the derived max_model_len (max_position_embeddings=${derivedTokens} or model_max_length=None in model's config.json).`,
    ),
  unknownArchitecture: () =>
    ended(
      'download',
      "ValueError: Model architectures ['MysteryForCausalLM'] are not supported for now. Supported architectures: dict_keys(['LlamaForCausalLM', 'Qwen3ForCausalLM'])",
    ),
  gated: ({ model }) =>
    ended(
      'download',
      `OSError: You are trying to access a gated repo. 401 Client Error. (Request ID: Root=1-0) Cannot access gated repo for url https://huggingface.co/${model}/resolve/main/config.json. Access to model ${model} is restricted. You must have access to it and be authenticated to access it.`,
    ),
  noRepository: ({ model }) =>
    ended(
      'download',
      `huggingface_hub.errors.RepositoryNotFoundError: 404 Client Error. (Request ID: Root=1-0) Repository Not Found for url: https://huggingface.co/${model}/resolve/main/config.json.`,
    ),
  fullDisk: () => ended('load', 'OSError: [Errno 28] No space left on device'),
  oldDriver: () =>
    ended(
      'download',
      'RuntimeError: CUDA driver version is insufficient for CUDA runtime version. The NVIDIA driver on your system is too old (found version 12020).',
    ),
  noKernel: () =>
    ended(
      'load',
      'torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device',
    ),
  noHub: ({ model }) =>
    ended(
      'download',
      `requests.exceptions.ConnectionError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /api/models/${model} (Caused by NewConnectionError: Failed to establish a new connection: [Errno 101] Network is unreachable)`,
    ),
  brokenFile: () =>
    ended('load', 'safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge'),
};

function ended(at: StartFailure['at'], reason: string): StartFailure {
  return {
    at,
    lines: [
      '(EngineCore_DP0 pid=2) ERROR [core.py:708] EngineCore failed to start.',
      '(EngineCore_DP0 pid=2) Traceback (most recent call last):',
      `(EngineCore_DP0 pid=2) ${reason}`,
      '(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
    ],
  };
}

const noRoom = () =>
  refused(
    'compile',
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 12000.00 MiB on device 0: cudaMalloc failed: out of memory',
    'llama_model_load: error loading model: unable to allocate CUDA0 buffer',
  );
const notSent = (status: number, { model }: EngineOptions) =>
  refused(
    'download',
    `common_download_file_single: invalid http status code received: ${status}`,
    `error: failed to download model from https://huggingface.co/${model}`,
  );

const llamaEnds: Ends = {
  noMemory: noRoom,
  outOfMemory: noRoom,
  contextTooLong: noRoom,
  gated: (options) => notSent(401, options),
  noRepository: (options) => notSent(404, options),
  unknownArchitecture: () =>
    refused(
      'load',
      "llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'mystery'",
    ),
  brokenFile: ({ model }) => refused('load', `gguf_init_from_file: failed to open GGUF file '${model}'`),
  noHub: () => refused('download', 'common_get_model_endpoint: Connection error: Could not resolve host'),
  fullDisk: () => refused('download', 'common_download_file_single: write failed: No space left on device'),
  oldDriver: () =>
    refused(
      'download',
      'ggml_cuda_init: failed to initialize CUDA: CUDA driver version is insufficient for CUDA runtime version',
    ),
  noKernel: () => refused('load', 'CUDA error: no kernel image is available for execution on the device'),
};

function refused(at: StartFailure['at'], ...reason: readonly string[]): StartFailure {
  return {
    at,
    lines: [...reason, 'srv    load_model: failed to load model', 'main: exiting due to model loading error'],
  };
}
