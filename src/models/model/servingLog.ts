import { complaintIn, type ServingFailure } from './servingFailure';

/** How far the start of a model is, in the order of its stages. */
const servingStages = [
  'preparing',
  'downloading',
  'loading',
  'compiling',
  'answering',
  'ready',
  'ended',
] as const;
export type ServingStage = (typeof servingStages)[number];

/** What the engine counted since it started, as of the last line about it. */
export interface ServingCounters {
  /** Answers under way, and requests that wait for one. */
  readonly running: number;
  readonly waiting: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly tokensPerSecond: number;
  /** llama.cpp counts no requests. */
  readonly requests?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly lastUseSecondsAgo: number;
}

/** What the log of a served model says of it: a stranger's text, which changes only what is shown. */
export interface Serving {
  readonly stage: ServingStage;
  readonly downloadedBytes?: number | undefined;
  readonly loadedPercent?: number | undefined;
  /** The context of one answer that the engine made fit. */
  readonly contextTokens?: number | undefined;
  /** Whether a tool call was answered by one. */
  readonly hasTools?: boolean | undefined;
  readonly counters?: ServingCounters | undefined;
  /** When serving ends without a request, in seconds after the last line about it. */
  readonly idleEndInSeconds?: number | undefined;
  /** Serving ends soon, because there are no requests. */
  readonly isEnding?: boolean | undefined;
  /** Why it is not served; absent if it ended as agreed. */
  readonly failure?: ServingFailure | undefined;
  /** What the engine complained of, which is the reason if it ends now. */
  readonly complaint?: ServingFailure | undefined;
}

/** Longer lines are read up to here (characters). */
const longestLine = 4000;
const ours = 'gpu-rental: ';

/**
 * Returns what is known after more whole lines of the log, in time that grows with their length alone. Only a line that begins
 * with our name is ours: the script keeps the engine from such lines.
 */
export function readServing(previous: Serving | undefined, newLogText: string): Serving {
  let serving: Serving = previous ?? { stage: 'preparing' };
  let from = 0;
  while (from < newLogText.length) {
    const end = newLogText.indexOf('\n', from);
    const next = end < 0 ? newLogText.length : end;
    const line = newLogText.slice(from, Math.min(next, from + longestLine));
    serving = line.startsWith(ours)
      ? afterOurLine(serving, line.slice(ours.length))
      : afterEngineLine(serving, line);
    from = next + 1;
  }
  return serving;
}

type Found = readonly (string | undefined)[];
type Read = (serving: Serving, found: Found) => Serving;

const number = String.raw`(\d{1,15})`;
const rate = String.raw`(\d{1,12}\.\d)`;

/** The lines of `serve.sh`. */
const lines: readonly (readonly [RegExp, Read])[] = [
  [
    new RegExp(
      `^In use: (?:${number} requests, ${rate} requests/s, )?${number} prompt tokens, ${number} output tokens, ${rate} tokens/s, ${number} running, ${number} waiting, last use ${number} s ago(?:, ends in ${number} s)?\\.$`,
    ),
    inUse,
  ],
  [
    new RegExp(`^Downloaded ${number}(?: of ${number})? bytes\\.$`),
    (serving, [, bytes]) => ({ ...atLeast(serving, 'downloading'), downloadedBytes: Number(bytes) }),
  ],
  [
    new RegExp(`^Starting again with (?:a context of ${number} tokens|\\d{1,15} answers at a time)\\.$`),
    ({ downloadedBytes }, [, tokens]) => ({
      stage: 'preparing',
      downloadedBytes,
      contextTokens: tokens === undefined ? undefined : Number(tokens),
    }),
  ],
  [/^Starting \/.{1,4000} with /, () => ({ stage: 'preparing' })],
  [/^The inference server is up\./, (serving) => atLeast(serving, 'answering')],
  [
    new RegExp(`^Ready\\. Context: (?:${number}|unknown) tokens\\. Tool calls: (yes|no)\\.$`),
    (serving, [, tokens, tools]) => ({
      ...serving,
      stage: 'ready',
      contextTokens: tokens === undefined ? undefined : Number(tokens),
      hasTools: tools === 'yes',
      complaint: undefined,
    }),
  ],
  [
    new RegExp(`^Ends in ${number} s, because there are no requests\\.$`),
    (serving, [, seconds]) => ({ ...serving, idleEndInSeconds: Number(seconds), isEnding: true }),
  ],
  [/^Ended after \d{1,15} minutes without requests\.$/, (serving) => ended(serving, undefined)],
  [
    new RegExp(`^No space left on device: ${number} bytes are needed, ${number} are free\\.$`),
    (serving, [, needed, free]) =>
      ended(serving, { kind: 'disk', count: Number(needed), freeBytes: Number(free) }),
  ],
  [
    /^Missing on this machine: (.{1,200})\.$/,
    (serving, [, name]) => ended(serving, { kind: 'programs', name }),
  ],
  [
    /^([\w-]{1,40}) is not installed on this machine\.$/,
    (serving, [, name]) => ended(serving, { kind: 'noEngine', name }),
  ],
  [/^Could not write to (.{1,600})\.$/, (serving, [, name]) => ended(serving, { kind: 'folder', name })],
  [
    /^The inference server gave no answer \(\w{1,10}\): (.{0,300})$/,
    (serving, [, name]) => ended(serving, serving.complaint ?? { kind: 'noAnswer', name }),
  ],
  [
    new RegExp(`^The inference server is not ready ${number} minutes after its download\\.$`),
    (serving, [, count]) => ended(serving, serving.complaint ?? { kind: 'notReady', count: Number(count) }),
  ],
  [
    new RegExp(`^The inference server has not answered for ${number} minutes\\.$`),
    (serving, [, count]) => ended(serving, serving.complaint ?? { kind: 'silent', count: Number(count) }),
  ],
  [
    new RegExp(`^The inference server ended with code ${number}\\.$`),
    (serving, [, code]) =>
      ended(
        serving,
        serving.complaint ?? (code === '137' ? { kind: 'killed' } : { kind: 'ended', count: Number(code) }),
      ),
  ],
];

function afterOurLine(serving: Serving, line: string): Serving {
  for (const [form, read] of lines) {
    const found = form.exec(line);
    if (found) {
      return read(serving, found);
    }
  }
  return serving;
}

function inUse(serving: Serving, found: Found): Serving {
  const [requests, requestRate, prompt, output, tokenRate, running, waiting, ago, left] = found
    .slice(1)
    .map((one) => (one === undefined ? undefined : Number(one)));
  return {
    ...serving,
    counters: {
      running: running ?? 0,
      waiting: waiting ?? 0,
      promptTokens: prompt ?? 0,
      outputTokens: output ?? 0,
      tokensPerSecond: tokenRate ?? 0,
      requests,
      requestsPerSecond: requestRate,
      lastUseSecondsAgo: ago ?? 0,
    },
    idleEndInSeconds: left,
    isEnding: serving.isEnding === true && ago !== 0,
  };
}

function ended(serving: Serving, failure: ServingFailure | undefined): Serving {
  return { ...serving, stage: 'ended', failure, idleEndInSeconds: undefined, isEnding: false };
}

/** The stages that an engine names itself, with how much of its weights is loaded. */
const stages: readonly (readonly [ServingStage, RegExp])[] = [
  ['loading', /Loading .{1,60}checkpoint shards: {1,4}(\d{1,3})% Completed/],
  [
    'loading',
    /Time spent downloading weights|^load_tensors:|loading model tensors|srv {1,4}load_model: loading/,
  ],
  ['compiling', /torch\.compile|Dynamo bytecode transform|Capturing CUDA graphs|warming up the model/],
];

function afterEngineLine(serving: Serving, line: string): Serving {
  const complaint = complaintIn(line, serving.complaint);
  let next = complaint === serving.complaint ? serving : { ...serving, complaint };
  for (const [stage, form] of serving.stage === 'ready' || serving.stage === 'ended' ? [] : stages) {
    const found = form.exec(line);
    if (found) {
      next = atLeast(next, stage);
      next = found[1] === undefined ? next : { ...next, loadedPercent: Math.min(100, Number(found[1])) };
    }
  }
  return next;
}

/** Stages only follow each other: the folder of a model can grow after its download. */
function atLeast(serving: Serving, stage: ServingStage): Serving {
  return servingStages.indexOf(stage) > servingStages.indexOf(serving.stage)
    ? { ...serving, stage }
    : serving;
}
