import { ByteReader } from '../../ssh/byteReader';
import { plainText } from '../../ssh/plainText';
import type { ExecOptions } from '../../ssh/service';
import {
  atMost,
  beginMark,
  beginScript,
  lastLines,
  runStep,
  TransferError,
  type TransferDeps,
} from '../../ssh/transfer';
import { text } from '../../util/text';
import { JobMachineError } from '../model/jobMachineError';

/** The shared parameters of all calls to one machine. */
export interface MachineCall extends TransferDeps {
  readonly alias: string;
  /** A new log is started after this many bytes; by default `logBytes` of `jobSteps.ts`. */
  readonly logBytes?: number;
  /**
   * A mirror of this many KiB is moved instead of copied, where possible; by default `largeMirrorKb` of `jobSync.ts`.
   */
  readonly largeMirrorKb?: number;
}

/** The most bytes that a machine may print before its answer. */
const noiseBytes = 65_536;
const answerBytes = 100_000_000;
const timeoutMs = 120_000;

/** Returns the folder of a job as a word for our scripts. */
export function jobFolder(id: string): string {
  return `"$HOME"/.gpu-rental/jobs/${checkHex(id)}`;
}

/** Checks a name that is safe in a script. */
export function checkHex(value: string): string {
  if (/^[0-9a-f]{1,64}$/.test(value)) {
    return value;
  }
  throw new Error(`Not hexadecimal: ${value}`);
}

type AnswerOptions = Pick<ExecOptions, 'signal' | 'input' | 'timeoutMs' | 'isLook'>;

/** Runs a script and returns the bytes that it prints. Rejects if the connection broke or the script failed. */
export async function answerOf(
  call: MachineCall,
  script: readonly string[],
  options: AnswerOptions = {},
): Promise<Buffer> {
  let answer: Buffer | undefined;
  const result = await runStep(call, call.alias, [beginScript, ...script].join('\n'), {
    timeoutMs,
    ...options,
    output: async (bytes) => {
      const reader = new ByteReader(atMost(bytes, () => noiseBytes + answerBytes));
      if (await reader.until(beginMark, noiseBytes)) {
        answer = await reader.read(answerBytes);
      }
      await reader.drain();
    },
  });
  if (result.timedOut || !answer) {
    throw new TransferError(result.timedOut ? 'time-out' : lastLines(result));
  }
  if (result.code !== 0) {
    throw new JobMachineError(
      text('The instance could not do its part of the job: {0}', plainText(lastLines(result)) || '–'),
      { nextStep: 'retry' },
    );
  }
  return answer;
}

/** Runs a script and returns the lines that it prints. */
export async function linesOf(
  call: MachineCall,
  script: readonly string[],
  options: AnswerOptions = {},
): Promise<readonly string[]> {
  const answer = await answerOf(call, script, options);
  return answer.toString('utf8').split('\n').slice(0, -1);
}
