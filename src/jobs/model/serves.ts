/** The programs that run a model. */
export const engineNames = ['vllm', 'llamaCpp'] as const;
export type EngineName = (typeof engineNames)[number];

/** The form of a model's name for its clients. */
export const servedNameShape = /^[A-Za-z0-9._-]{1,80}$/;
/** The form of the name of a repository at the hub. */
export const repositoryShape = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/;

/** The model that a job serves until it ends. */
export interface Serves {
  /** As clients call it. */
  readonly name: string;
  /** The name of its repository at the hub, with that of its owner. */
  readonly repository: string;
  readonly revision?: string | undefined;
  readonly engine: EngineName;
  /** The file or quantization of a repository for llama.cpp. */
  readonly file?: string | undefined;
  readonly downloadBytes?: number | undefined;
  /** The wanted context; absent if the engine chooses what fits. */
  readonly contextTokens?: number | undefined;
  readonly toolParser?: string | undefined;
  readonly reasoningParser?: string | undefined;
  readonly gpus: number;
  /** The most answers at once. */
  readonly maxSequences: number;
  /** Without a completion for so long, it ends. */
  readonly idleMinutes: number;
}
