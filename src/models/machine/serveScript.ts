import { repositoryShape, servedNameShape, type Serves } from '../../jobs/model/serves';
import tick from '../../schedules/machine/timer/tick.sh';
import { quoteForShell } from '../../ssh/commandLine';
import { assembled } from '../../ssh/shellProgram';
import askEngine from './askEngine.sh';
import engineOutput from './engineOutput.sh';
import serve from './serve.sh';

const script = assembled(serve, {
  'tick.sh': tick,
  'engineOutput.sh': engineOutput,
  'askEngine.sh': askEngine,
});

/** Where a served model keeps what it downloads, and how long it waits; all but the folder is for tests. */
export interface ServePlace {
  /** An absolute path on a volume of the machine; absent: the cache of the image, or the home folder. */
  readonly cacheFolder?: string | undefined;
  /** Seconds between looks at the counters of the engine. */
  readonly lookSeconds?: number;
  /** Seconds without a downloaded byte in which the engine must become ready. */
  readonly startSeconds?: number;
  /** The first port that is tried; absent: a random one above 18200, as machines of the demo share their ports. */
  readonly port?: number;
  /** Seconds in which the counters of a ready engine must be read. */
  readonly silentSeconds?: number;
}

/**
 * Returns the script that a job runs to serve a model. It ends with code 0 only once no request has come for the idle time
 * (0: never). `revision` is for vLLM alone. Throws for a value that could be read as anything but a value.
 */
export function serveScript(serves: Serves, place: ServePlace = {}): string {
  const idleSeconds = Math.round(serves.idleMinutes * 60);
  const usualLook = idleSeconds === 0 ? 15 : Math.min(15, Math.max(1, Math.floor(idleSeconds / 4)));
  const { lookSeconds = usualLook, startSeconds = 3600, silentSeconds = 600 } = place;
  const values = {
    kind: serves.engine === 'vllm' ? 'vllm' : 'llama',
    name: checked(serves.name, servedNameShape),
    repository: checked(serves.repository, repositoryShape),
    revision: checked(serves.revision, /^\w[\w./-]{0,100}$/),
    file: checked(serves.file, /^\w[\w.-]{0,150}$/),
    tool_parser: checked(serves.toolParser, /^\w{1,40}$/),
    reasoning_parser: checked(serves.reasoningParser, /^\w{1,40}$/),
    download_bytes: whole(serves.downloadBytes),
    context: whole(serves.contextTokens),
    gpus: whole(serves.gpus),
    sequences: whole(serves.maxSequences),
    cache: checked(place.cacheFolder, /^\/[^\0\n]{0,500}$/),
    idle_seconds: whole(idleSeconds),
    warn_seconds: whole(Math.min(300, Math.floor(idleSeconds / 2))),
    port: whole(place.port),
    interval: whole(lookSeconds),
    measure_seconds: whole(Math.min(5, lookSeconds)),
    start_seconds: whole(startSeconds),
    silent_seconds: whole(silentSeconds),
  };
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quoteForShell(value)}\n`);
  return lines.join('') + script;
}

function checked(value: string | undefined, form: RegExp): string {
  if (value !== undefined && !form.test(value)) {
    throw new RangeError(`Not a value for the script: ${value}`);
  }
  return value ?? '';
}

function whole(value: number | undefined): string {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
    throw new RangeError(`Not a number for the script: ${value}`);
  }
  return value === undefined ? '' : String(value);
}
