/** What engines print before they end, and the sentence for it. Of vLLM, unless a row names llama.cpp. */
export interface EngineFailure {
  readonly kind: string;
  readonly printed: readonly string[];
  readonly sentence: string;
  readonly isLlama?: true;
}

const core = (message: string) => [
  '(EngineCore_DP0 pid=211) ERROR 11-30 06:00:00 [core.py:718] EngineCore failed to start.',
  '(EngineCore_DP0 pid=211) ERROR 11-30 06:00:00 [core.py:718] Traceback (most recent call last):',
  `(EngineCore_DP0 pid=211) ERROR 11-30 06:00:00 [core.py:718] ${message}`,
  'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
];

export const engineFailures: readonly EngineFailure[] = [
  {
    kind: 'memory',
    printed: core(
      'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
    ),
    sentence: 'org/tiny does not fit: the GPU has no memory left.',
  },
  {
    kind: 'memory',
    printed: core(
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.12 GiB is free.',
    ),
    sentence: 'org/tiny does not fit: the GPU has no memory left.',
  },
  {
    kind: 'context',
    printed: core(
      "ValueError: To serve at least one request with the model's max seq len (262144), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (2.51 GiB). Based on the available memory, the estimated maximum model length is 41120. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
    ),
    sentence: 'The context of org/tiny does not fit on the GPU: at most 41120 tokens do.',
  },
  {
    kind: 'context',
    printed: core(
      "ValueError: User-specified max_model_len (262144) is greater than the derived max_model_len (max_position_embeddings=40960.0 or model_max_length=None in model's config.json). To allow overriding this maximum, set the env var VLLM_ALLOW_LONG_MAX_MODEL_LEN=1.",
    ),
    sentence: 'The context of org/tiny does not fit on the GPU.',
  },
  {
    kind: 'sequences',
    printed: core(
      'ValueError: max_num_seqs (256) exceeds available Mamba cache blocks (12). Please decrease max_num_seqs.',
    ),
    sentence: "The GPU can't hold several answers of org/tiny at once.",
  },
  {
    kind: 'gpuInUse',
    printed: core(
      'ValueError: Free memory on device cuda:0 (3.02/23.64 GiB) on startup is less than desired GPU memory utilization (0.92, 21.75 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.',
    ),
    sentence: 'Another process uses the GPU, so org/tiny does not fit.',
  },
  {
    kind: 'architecture',
    printed: core(
      "ValueError: Model architectures ['TinyForCausalLM'] are not supported for now. Supported architectures: dict_keys(['ApertusForCausalLM'])",
    ),
    sentence: "The inference server can't run org/tiny: it does not know the architecture TinyForCausalLM.",
  },
  {
    kind: 'gated',
    printed: [
      'huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: Root=1-69)',
      '',
      'Cannot access gated repo for url https://huggingface.co/org/tiny/resolve/main/config.json.',
      'Access to model org/tiny is restricted. You must have access to it and be authenticated to access it. Please log in.',
    ],
    sentence: 'org/tiny is gated. Accept its license at the hub, and set a token of your account there.',
  },
  {
    kind: 'gated',
    printed: core(
      'requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://huggingface.co/org/tiny',
    ),
    sentence: 'org/tiny is gated. Accept its license at the hub, and set a token of your account there.',
  },
  {
    kind: 'notFound',
    printed: [
      'huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error. (Request ID: Root=1-69)',
      '',
      'Repository Not Found for url: https://huggingface.co/api/models/org/tiny.',
      'If you are trying to access a private or gated repo, make sure you are authenticated.',
    ],
    sentence: 'The hub has no model org/tiny, or it is private.',
  },
  {
    kind: 'remoteCode',
    printed: core(
      'ValueError: The repository org/tiny contains custom code which must be executed to correctly load the model. You can inspect the repository content at https://hf.co/org/tiny. Please pass the argument `trust_remote_code=True` to allow custom code to be run.',
    ),
    sentence: 'org/tiny runs code of its repository, which GPU Rental does not allow.',
  },
  {
    kind: 'disk',
    printed: core('OSError: [Errno 28] No space left on device'),
    sentence: 'The disk is too small for org/tiny.',
  },
  {
    kind: 'tooOld',
    printed: core(
      'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 35: CUDA driver version is insufficient for CUDA runtime version',
    ),
    sentence: 'The GPU or the driver of the host is too old for org/tiny.',
  },
  {
    kind: 'tooOld',
    printed: core(
      'torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device',
    ),
    sentence: 'The GPU or the driver of the host is too old for org/tiny.',
  },
  {
    kind: 'split',
    printed: core(
      'ValueError: Total number of attention heads (24) must be divisible by tensor parallel size (5).',
    ),
    sentence: "org/tiny can't be split over 1 GPUs.",
  },
  {
    kind: 'network',
    printed: core(
      'requests.exceptions.ConnectionError: (MaxRetryError("HTTPSConnectionPool(host=\'huggingface.co\', port=443): Max retries exceeded with url: /org/tiny"))',
    ),
    sentence: 'The host could not reach the hub to download org/tiny.',
  },
  {
    kind: 'architecture',
    isLlama: true,
    printed: [
      "llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'tiny9'",
      'srv    load_model: failed to load model, org/tiny',
    ],
    sentence: "The inference server can't run org/tiny: it does not know the architecture tiny9.",
  },
  {
    kind: 'memory',
    isLlama: true,
    printed: [
      'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9000.00 MiB on device 0: cudaMalloc failed: out of memory',
      'srv    load_model: failed to load model, org/tiny',
    ],
    sentence: 'org/tiny does not fit: the GPU has no memory left.',
  },
  {
    kind: 'modelFile',
    isLlama: true,
    printed: ['gguf_init_from_file: failed to open GGUF file', 'main: exiting due to model loading error'],
    sentence: 'The inference server could not read the files of org/tiny.',
  },
  {
    kind: 'gated',
    isLlama: true,
    printed: [
      'common_download_file_single: HEAD failed, status: 401',
      'failed to download model from Hugging Face',
    ],
    sentence: 'org/tiny is gated. Accept its license at the hub, and set a token of your account there.',
  },
  {
    kind: 'notFound',
    isLlama: true,
    printed: [
      'common_download_file_single: invalid http status code received: 404',
      'failed to download model from Hugging Face',
    ],
    sentence: 'The hub has no model org/tiny, or it is private.',
  },
  {
    kind: 'notFound',
    isLlama: true,
    printed: [
      '0.00.094.548 E get_repo_commit: error: GET failed (404): {"error":"Repository not found"}',
      '0.00.094.561 W get_repo_files: failed to resolve commit for org/tiny',
      "0.00.104.064 E srv    load_model: failed to load model, ''",
    ],
    sentence: 'The hub has no model org/tiny, or it is private.',
  },
  {
    kind: 'network',
    isLlama: true,
    printed: [
      '0.00.094.548 E get_repo_commit: error: HTTPLIB failed: Could not establish connection',
      '0.00.094.561 W get_repo_files: failed to resolve commit for org/tiny',
      "0.00.104.064 E srv    load_model: failed to load model, ''",
    ],
    sentence: 'The host could not reach the hub to download org/tiny.',
  },
  {
    kind: 'ended',
    printed: ['Segmentation fault (core dumped)'],
    sentence: 'The inference server of org/tiny ended with code 1.',
  },
];
