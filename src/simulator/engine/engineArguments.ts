/** What an engine was started with, of what the stand-in heeds. */
export interface EngineOptions {
  readonly engine: 'vllm' | 'llama-server';
  /** `org/name`; for llama.cpp also a file. */
  readonly model: string;
  /** As clients call it. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly key: string | undefined;
  /** Tokens of one request; `undefined` where the engine fits it. */
  readonly contextTokens: number | undefined;
  readonly maxSequences: number;
  readonly hasTools: boolean;
  readonly hasReasoning: boolean;
  readonly hasMetrics: boolean;
  /** Where downloads are kept. */
  readonly cacheFolder: string;
  readonly hubToken: string | undefined;
  /** As the engine lists them in its log, the key included, as before vllm-project/vllm#52523. */
  readonly given: Readonly<Record<string, string>>;
}

/** The engine would refuse its arguments. */
export class EngineArgumentsError extends Error {}

/** Of llama-server, as the names of its long forms. */
const shortForms: Readonly<Record<string, string>> = {
  hf: 'hf-repo',
  hff: 'hf-file',
  m: 'model',
  c: 'ctx-size',
  np: 'parallel',
  a: 'alias',
  ngl: 'n-gpu-layers',
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the command line and the environment of the engine that is played. Throws `EngineArgumentsError`. */
export function engineOptions(
  engine: string | undefined,
  args: readonly string[],
  environment: Environment,
): EngineOptions {
  const { flags, words } = separated(args);
  if (engine === 'vllm') {
    return vllmOptions(flags, words, environment);
  }
  if (engine === 'llama-server') {
    return llamaOptions(flags, environment);
  }
  throw new EngineArgumentsError(`There is no engine "${engine ?? ''}".`);
}

function vllmOptions(
  flags: ReadonlyMap<string, string>,
  words: readonly string[],
  environment: Environment,
): EngineOptions {
  const [verb, model = flags.get('model')] = words;
  if (verb !== 'serve' || model === undefined) {
    throw new EngineArgumentsError('usage: vllm serve [model_tag] [options]');
  }
  return {
    engine: 'vllm',
    model,
    name: flags.get('served-model-name') ?? model,
    // As the engine: on all addresses unless told otherwise. The stand-in listens on loopback in any case.
    host: flags.get('host') ?? '0.0.0.0',
    port: portIn(flags, 8000),
    key: flags.get('api-key') ?? environment['VLLM_API_KEY'],
    contextTokens: numberIn(flags, 'max-model-len', 'auto'),
    maxSequences: numberIn(flags, 'max-num-seqs') ?? 256,
    hasTools: flags.has('enable-auto-tool-choice') && flags.has('tool-call-parser'),
    hasReasoning: flags.has('reasoning-parser'),
    hasMetrics: true,
    cacheFolder: environment['HF_HOME'] ?? `${environment['HOME'] ?? ''}/.cache/huggingface`,
    hubToken: environment['HF_TOKEN'],
    given: { model_tag: model, ...Object.fromEntries(flags) },
  };
}

function llamaOptions(flags: ReadonlyMap<string, string>, environment: Environment): EngineOptions {
  const model = flags.get('hf-repo') ?? flags.get('model');
  if (model === undefined) {
    throw new EngineArgumentsError('error: a model is needed: -hf or -m');
  }
  const slots = numberIn(flags, 'parallel') ?? 1;
  const context = numberIn(flags, 'ctx-size');
  return {
    engine: 'llama-server',
    model,
    name: flags.get('alias') ?? model,
    host: flags.get('host') ?? '127.0.0.1',
    port: portIn(flags, 8080),
    key: flags.get('api-key') ?? environment['LLAMA_API_KEY'],
    // With one cache for all slots, each can have the whole context.
    contextTokens:
      context === undefined || context === 0
        ? undefined
        : Math.floor(context / (flags.has('kv-unified') ? 1 : slots)),
    maxSequences: slots,
    hasTools: true,
    hasReasoning: flags.has('reasoning-format'),
    hasMetrics: flags.has('metrics'),
    cacheFolder: environment['LLAMA_CACHE'] ?? `${environment['HOME'] ?? ''}/.cache/llama.cpp`,
    hubToken: flags.get('hf-token') ?? environment['HF_TOKEN'],
    given: Object.fromEntries(flags),
  };
}

/** Splits `--name value`, `--name=value` and flags without a value from what stands alone. */
function separated(args: readonly string[]): {
  readonly flags: ReadonlyMap<string, string>;
  readonly words: readonly string[];
} {
  const flags = new Map<string, string>();
  const words: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(args[index] ?? '') ?? [];
    if (name === undefined) {
      words.push(args[index] ?? '');
      continue;
    }
    const next = args[index + 1];
    const takesNext = value === undefined && next !== undefined && !/^--?[A-Za-z]/.test(next);
    index += takesNext ? 1 : 0;
    flags.set(shortForms[name] ?? name, value ?? (takesNext ? next : ''));
  }
  return { flags, words };
}

function portIn(flags: ReadonlyMap<string, string>, usual: number): number {
  const port = numberIn(flags, 'port') ?? usual;
  if (port > 65_535) {
    throw new EngineArgumentsError(`error: argument --port: invalid value: ${port}`);
  }
  return port;
}

function numberIn(flags: ReadonlyMap<string, string>, name: string, none?: string): number | undefined {
  const text = flags.get(name);
  if (text === undefined || text === none) {
    return undefined;
  }
  if (!/^\d{1,9}$/.test(text)) {
    throw new EngineArgumentsError(`error: argument --${name}: invalid int value: '${text}'`);
  }
  return Number(text);
}
