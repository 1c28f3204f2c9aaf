import { gpuUseFields, readGpuUse, type GpuReading } from '../model/instances/gpuReading';
import type { Clock } from '../util/clock';
import { MutableDisposable, type Disposable } from '../util/disposable';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import gpuUseScript from './gpuUse.sh';
import { plainText } from './plainText';
import type { SshService } from './service';

const script = `set -- ${gpuUseFields}\n${gpuUseScript}`;
/** A machine without a reading for so long is followed no longer; a driver that hangs takes less once (ms). */
const silenceMs = 45_000;
/** A machine that prints more for a reading prints something else (characters). */
const longestReading = 32_768;
/** The script waits longer: a machine that prints faster gets no more of our time (ms). */
const leastGapMs = 2_000;

/**
 * Logs in once and passes on what each GPU does, every few seconds. The entry must be prepared. Rejects as canceled when
 * the signal fires, and with the reason when the machine reports nothing more.
 */
export async function followGpus(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  {
    clock,
    signal,
    onReading,
  }: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onReading: (reading: GpuReading) => void;
  },
): Promise<never> {
  const broken = new AbortController();
  const ends = AbortSignal.any([signal, broken.signal]);
  const silence = new MutableDisposable<Disposable>();
  const expectNext = () => {
    silence.value = clock.schedule(() => broken.abort(), silenceMs);
  };
  let readAt = -leastGapMs;
  let lines = '';
  let length = 0;
  const receive = (piece: string) => {
    length += piece.length;
    if (length > longestReading) {
      broken.abort();
      return;
    }
    const [last = '', ...earlier] = (lines + piece).split(/^\.\r?\n/m).reverse();
    lines = last;
    for (const reading of earlier.reverse()) {
      const gpus = readGpuUse(reading);
      if (gpus.length > 0 && clock.elapsed() - readAt >= leastGapMs) {
        readAt = clock.elapsed();
        length = lines.length;
        expectNext();
        onReading({ at: clock.now(), gpus });
      }
    }
  };
  expectNext();
  try {
    const { stderr } = await ssh.exec(alias, script, {
      signal: ends,
      // The script ends with its input, which stays open.
      input: openUntil(ends),
      endsWithUs: true,
      isLook: true,
      onStdout: receive,
    });
    throw notReported(stderr);
  } catch (error) {
    throw broken.signal.aborted && !signal.aborted ? notReported('') : error;
  } finally {
    silence.dispose();
    broken.abort();
  }
}

function notReported(stderr: string): UserError {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return new UserError(text('The machine did not report its GPUs: {0}', plainText(last) || '–'), {
    nextStep: 'retry',
  });
}

async function* openUntil(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
