import { setTimeout as pause } from 'node:timers/promises';
import type { EngineOptions } from './engineArguments';
import type { EngineScene } from './engineScene';
import type { EngineServer } from './engineServer';
import { failureLines } from './startFailures';
import { weightsOf, type Weights } from './weights';

export interface StartUp {
  readonly server: EngineServer;
  /** From the start to the first answer (ms). */
  readonly startMs: number;
}

/** Shares of the time of a start. */
const shares = { download: 0.6, load: 0.2, compile: 0.2 };
const shards = 5;

/** Prints the stages of a start as the engine does, and listens. Returns the exit code; 0 while the engine runs. */
export async function startUp(
  options: EngineOptions,
  scene: EngineScene,
  { server, startMs }: StartUp,
): Promise<number> {
  const weights = weightsOf(options);
  const log = options.engine === 'vllm' ? vllmLog : llamaLog;
  print(...log.started(options));
  if (scene.fault === 'printsKey') {
    print(`using the key ${options.key ?? 'none'}`, `{"Authorization": "Bearer ${options.key ?? ''}"}`);
  }
  if (scene.fault === 'hostileLog') {
    print(...hostileLines);
  }
  const failure = failureLines(options, scene);
  if (failure?.at === 'download') {
    print(...failure.lines);
    return 1;
  }
  if (options.engine === 'llama-server') {
    await server.listen();
  }
  const startedAt = performance.now();
  for await (const share of steps(startMs * shares.download)) {
    weights.grow(share);
    if (scene.fault === 'silentDownload' && share > 0.3) {
      await pause(2 ** 31 - 1);
    }
  }
  weights.complete();
  print(...log.downloaded(options, (performance.now() - startedAt) / 1000));
  if (failure?.at === 'load') {
    print(...failure.lines);
    return 1;
  }
  for await (const share of steps(startMs * shares.load)) {
    print(...log.loading(Math.round(share * shards)));
  }
  print(...log.loaded(options, weights));
  await pause(startMs * shares.compile);
  if (failure?.at === 'compile') {
    print(...failure.lines);
    return 1;
  }
  print(...log.ready(server.contextTokens, options));
  if (options.engine === 'vllm') {
    await server.listen();
    print(...uvicornLines);
  }
  server.becomeReady();
  return 0;
}

async function* steps(ms: number): AsyncGenerator<number> {
  for (let step = 1; step <= shards; step += 1) {
    await pause(ms / shards);
    yield step / shards;
  }
}

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function info(file: string, text: string): string {
  const [date = '', time = ''] = new Date().toISOString().split('T');
  return `(APIServer pid=${process.pid}) INFO ${date.slice(5)} ${time.slice(0, 8)} [${file}] ${text}`;
}

const uvicornLines = [
  `INFO:     Started server process [${process.pid}]`,
  'INFO:     Waiting for application startup.',
  'INFO:     Application startup complete.',
];

/** The lines of a log that a reader must take for nothing but text. */
const hostileLines = [
  'gpu-rental: ready context=999999999999999999999 tools=yes',
  '\u001b[2J\u001b]0;title\u0007\u001b[31mred\u202E',
  'Loading safetensors checkpoint shards: 999999% Completed | 4/0',
  `GPU KV cache size: ${'9'.repeat(400)} tokens`,
  `[command](command:gpuRental.signOut) ${'A'.repeat(1_000_000)}`,
];

interface EngineLog {
  started(options: EngineOptions): readonly string[];
  downloaded(options: EngineOptions, seconds: number): readonly string[];
  /** After so many of the five shards. */
  loading(done: number): readonly string[];
  loaded(options: EngineOptions, weights: Weights): readonly string[];
  ready(contextTokens: number, options: EngineOptions): readonly string[];
}

/** As in vllm-project/vllm#19794, #29335 and #38820. */
const vllmLog: EngineLog = {
  started: ({ given, model }) => [
    info('__init__.py:216', 'Automatically detected platform cuda.'),
    info('api_server.py:1839', 'vLLM API server version 0.20.1'),
    info('utils.py:233', `non-default args: ${asPython(given)}`),
    info('gpu_model_runner.py:2602', `Starting to load model ${model}...`),
    info('weight_utils.py:392', "Using model weights format ['*.safetensors']"),
  ],
  downloaded: ({ model }, seconds) => [
    info('weight_utils.py:413', `Time spent downloading weights for ${model}: ${seconds.toFixed(6)} seconds`),
  ],
  loading: (done) => [
    `Loading safetensors checkpoint shards: ${String(done * 20).padStart(3)}% Completed | ${done}/${shards} [00:0${done}<00:0${shards - done},  1.00it/s]`,
  ],
  loaded: (_options, { bytes }) => [
    info('default_loader.py:267', 'Loading weights took 5.01 seconds'),
    info(
      'gpu_model_runner.py:2653',
      `Model loading took ${(bytes / 2 ** 30).toFixed(4)} GiB and 6.273 seconds`,
    ),
    info(
      'backends.py:548',
      "Using cache directory: ~/.cache/vllm/torch_compile_cache for vLLM's torch.compile",
    ),
    info('backends.py:559', 'Dynamo bytecode transform time: 4.41 s'),
  ],
  ready: (contextTokens, { maxSequences }) => [
    info('monitor.py:34', 'torch.compile takes 19.83 s in total'),
    info('gpu_worker.py:298', 'Available KV cache memory: 4.31 GiB'),
    info('kv_cache_utils.py:1087', `GPU KV cache size: ${grouped(contextTokens * 2)} tokens`),
    info(
      'kv_cache_utils.py:1091',
      `Maximum concurrency for ${grouped(contextTokens)} tokens per request: 2.00x`,
    ),
    `Capturing CUDA graphs (mixed prefill-decode, PIECEWISE): 100%|##########| ${maxSequences}/${maxSequences} [00:02<00:00]`,
    info('gpu_model_runner.py:3480', 'Graph capturing finished in 2 secs, took 0.55 GiB'),
  ],
};

/** As ggml-org/llama.cpp's server printed them when it ran with a small model. */
const llamaLog: EngineLog = {
  started: ({ host, port }) => [
    'build: 7090 (a1b2c3d) with cc (Ubuntu 11.4.0-1ubuntu1~22.04.2) 11.4.0 for x86_64-linux-gnu',
    'system info: n_threads = 8, n_threads_batch = 8, total_threads = 16',
    `main: HTTP server is listening, hostname: ${host}, port: ${port}, http threads: 15`,
    'main: loading model',
  ],
  downloaded: ({ model }) => [`srv    load_model: loading model '${model}'`],
  loading: (done) => ['.'.repeat(done * 20)],
  loaded: (_options, { bytes }) => [
    `load_tensors:        CUDA0 model buffer size = ${(bytes / 2 ** 20).toFixed(2)} MiB`,
  ],
  ready: (contextTokens, { port, maxSequences }) => [
    `llama_context: n_ctx_per_seq = ${contextTokens}`,
    `srv          init: initializing slots, n_slots = ${maxSequences}`,
    'main: model loaded',
    `main: server is listening on http://127.0.0.1:${port} - starting the main loop`,
    'srv  update_slots: all slots are idle',
  ],
};

function grouped(value: number): string {
  return new Intl.NumberFormat('en-US').format(value);
}

function asPython(given: Readonly<Record<string, string>>): string {
  const entries = Object.entries(given).map(([name, value]) => {
    const shown = name === 'api-key' ? `['${value}']` : /^\d+$/.test(value) ? value : `'${value}'`;
    return `'${name.replaceAll('-', '_')}': ${value === '' ? 'True' : shown}`;
  });
  return `{${entries.join(', ')}}`;
}
