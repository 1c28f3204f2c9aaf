import type { Serves } from '../../jobs/model/serves';
import { bytesText } from '../../util/bytes';
import { text, type Text } from '../../util/text';

/** What can help against a failure, the most helpful first. */
export type WayOn =
  | 'smallerContext'
  /** A format of the weights that takes less memory, or that older GPUs know. */
  | 'otherFormat'
  | 'largerGpu'
  | 'moreGpus'
  | 'moreDisk'
  | 'otherOffer'
  | 'otherModel'
  | 'openModelPage'
  | 'setToken';

export type ServingFailureKind = keyof typeof kinds;

/** Why a model is not served. Names are a stranger's. */
export interface ServingFailure {
  readonly kind: ServingFailureKind;
  readonly name?: string | undefined;
  /** Tokens, minutes, an exit code, or the bytes that are needed. */
  readonly count?: number | undefined;
  readonly freeBytes?: number | undefined;
}

type Model = Pick<Serves, 'repository' | 'gpus'>;
interface Kind {
  readonly words: (model: Model, failure: ServingFailure) => Text;
  readonly ways: readonly WayOn[];
}

const kinds = {
  gated: {
    words: ({ repository }) =>
      text('{0} is gated. Accept its license at the hub, and set a token of your account there.', repository),
    ways: ['openModelPage', 'setToken'],
  },
  notFound: {
    words: ({ repository }) => text('The hub has no model {0}, or it is private.', repository),
    ways: ['openModelPage', 'setToken', 'otherModel'],
  },
  remoteCode: {
    words: ({ repository }) =>
      text('{0} runs code of its repository, which GPU Rental does not allow.', repository),
    ways: ['otherModel'],
  },
  disk: {
    words: ({ repository }, { count, freeBytes }) =>
      count === undefined || freeBytes === undefined
        ? text('The disk is too small for {0}.', repository)
        : text(
            'The disk is too small for {0}: {1} are needed, {2} are free.',
            repository,
            bytesText(count),
            bytesText(freeBytes),
          ),
    ways: ['moreDisk', 'otherOffer'],
  },
  tooOld: {
    words: ({ repository }) => text('The GPU or the driver of the host is too old for {0}.', repository),
    ways: ['otherOffer', 'otherFormat'],
  },
  gpuInUse: {
    words: ({ repository }) => text('Another process uses the GPU, so {0} does not fit.', repository),
    ways: ['otherOffer'],
  },
  memory: {
    words: ({ repository }) => text('{0} does not fit: the GPU has no memory left.', repository),
    ways: ['largerGpu', 'moreGpus', 'otherFormat', 'smallerContext'],
  },
  context: {
    words: ({ repository }, { count }) =>
      count === undefined
        ? text('The context of {0} does not fit on the GPU.', repository)
        : text('The context of {0} does not fit on the GPU: at most {1} tokens do.', repository, count),
    ways: ['smallerContext', 'largerGpu'],
  },
  sequences: {
    words: ({ repository }) => text("The GPU can't hold several answers of {0} at once.", repository),
    ways: ['largerGpu'],
  },
  architecture: {
    words: ({ repository }, { name }) =>
      name === undefined
        ? text("The inference server can't run {0}.", repository)
        : text(
            "The inference server can't run {0}: it does not know the architecture {1}.",
            repository,
            name,
          ),
    ways: ['otherModel'],
  },
  split: {
    words: ({ repository, gpus }) => text("{0} can't be split over {1} GPUs.", repository, gpus),
    ways: ['otherOffer'],
  },
  network: {
    words: ({ repository }) => text('The host could not reach the hub to download {0}.', repository),
    ways: ['otherOffer'],
  },
  modelFile: {
    words: ({ repository }) => text('The inference server could not read the files of {0}.', repository),
    ways: ['otherModel'],
  },
  noEngine: {
    words: (_, { name = '' }) => text('The image has no {0}. Serve the model on another instance.', name),
    ways: ['otherOffer'],
  },
  programs: {
    words: (_, { name = '' }) => text('The image lacks programs that serving needs: {0}.', name),
    ways: ['otherOffer'],
  },
  folder: {
    words: (_, { name = '' }) => text('Could not write to {0} on the instance.', name),
    ways: ['otherOffer'],
  },
  noAnswer: {
    words: ({ repository }, { name = '' }) =>
      name === ''
        ? text('{0} is loaded, but gave no answer.', repository)
        : text('{0} is loaded, but gave no answer: {1}', repository, name),
    ways: ['otherModel'],
  },
  notReady: {
    words: ({ repository }, { count = 0 }) =>
      text('{0} was not ready {1} minutes after its download.', repository, count),
    ways: ['otherOffer'],
  },
  silent: {
    words: ({ repository }, { count = 0 }) =>
      text('{0} did not answer for {1} minutes, so serving ended.', repository, count),
    ways: ['otherOffer'],
  },
  killed: {
    words: ({ repository }) =>
      text(
        'The inference server of {0} was killed. Usually the memory of the machine is too small.',
        repository,
      ),
    ways: ['otherOffer'],
  },
  ended: {
    words: ({ repository }, { count = 0 }) =>
      text('The inference server of {0} ended with code {1}.', repository, count),
    ways: [],
  },
} satisfies Record<string, Kind>;

/** Returns the sentence for a failure. */
export function servingFailureText(failure: ServingFailure, model: Model): Text {
  const { words }: Kind = kinds[failure.kind];
  return words(model, failure);
}

/** Returns what can help; the log and the end of the machine can always be offered. */
export function waysOn({ kind }: ServingFailure): readonly WayOn[] {
  return kinds[kind].ways;
}

const hub = String.raw`(?:status|code|HTTP|GET failed)\b\D{0,20}`;

/**
 * What engines print, the causes before what they cause: a download that was tried again may have failed for its first time,
 * and memory that is full may close a connection. Each looks a bounded way ahead.
 */
const signs: readonly (readonly [ServingFailureKind, RegExp])[] = [
  ['remoteCode', /trust[_-]remote[_-]code=True/],
  ['gated', /GatedRepoError|Cannot access gated repo|Access to model .{1,200} is restricted/],
  ['notFound', new RegExp(`Repository ?Not ?Found|not a valid model identifier|${hub}404\\b`)],
  ['gated', new RegExp(`gated repo|(?:401|403) Client Error|${hub}40[13]\\b`)],
  ['disk', /No space left on device/],
  [
    'tooOld',
    /CUDA driver version is insufficient|no kernel image is available|NVIDIA driver on your system is too old|GPUs with compute capability|unsupported display driver/,
  ],
  ['gpuInUse', /Free memory on device .{1,200} is less than desired/],
  ['sequences', /exceeds available Mamba cache blocks/],
  [
    'context',
    /To serve at least one request with the model's max seq len|greater than the derived max_model_len/,
  ],
  [
    'memory',
    /No available memory for the cache blocks|CUDA out of memory|OutOfMemoryError|cudaMalloc failed: out of memory|failed to allocate .{0,60}buffer|unable to allocate .{0,60}buffer/,
  ],
  [
    'architecture',
    /Model architectures \[(.{1,100}?)\] are not supported|unknown model architecture: '(.{1,60}?)'|does not recognize this architecture/,
  ],
  ['split', /must be divisible by (?:the )?tensor parallel size/],
  ['network', /Max retries exceeded|Connection error|name resolution|Could not resolve host|HTTPLIB failed/],
  ['modelFile', /failed to open GGUF file|failed to load model|deserializing header/],
];
/** What one of them has. */
const hint =
  /memory|less than|exceed|serve at|greater than|space left|driver|kernel image|capability|gated|Not ?Found|restricted|Error|architecture|divisible|resol|retries|GGUF|failed|trust.remote|identifier|status|code|HTTP|buffer|header/;

/** Returns what a line of the engine complains of, if it is worse than what is known. */
export function complaintIn(line: string, known: ServingFailure | undefined): ServingFailure | undefined {
  if (!hint.test(line)) {
    return known;
  }
  const rank = known ? signs.findIndex(([kind]) => kind === known.kind) : signs.length;
  for (const [kind, sign] of signs.slice(0, rank)) {
    const found = sign.exec(line);
    if (found) {
      const [, tokens] = /estimated maximum model length is (\d{1,9})\b/.exec(line) ?? [];
      const name = found[1]?.replace(/['"]/g, '') ?? found[2];
      return {
        kind,
        ...(name !== undefined && { name }),
        ...(kind === 'context' && tokens !== undefined && { count: Number(tokens) }),
      };
    }
  }
  return known;
}
