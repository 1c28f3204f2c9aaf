import { ByteReader } from '../byteReader';
import type { RunOptions } from '../run';
import { beginMark, beginScript, lastWords, runStep, TransferError, type TransferDeps } from '../transfer';
import { plainText } from '../plainText';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/** What the calls of one machine share. */
export interface MachineCall extends TransferDeps {
  readonly alias: string;
  /** A new log is begun after so many bytes; `logBytes` of `jobSteps.ts` unless given. */
  readonly logBytes?: number;
  /** A mirror of so many KiB is not copied where it can be given away; `largeMirrorKb` of `jobSync.ts` unless given. */
  readonly largeMirrorKb?: number;
}

/** The machine can't do one step of a job; the connection works. */
export class JobMachineError extends UserError {}

/** What a machine may print before it begins. */
const noiseBytes = 65_536;
const answerBytes = 100_000_000;
const timeoutMs = 120_000;

/** The folder of a job, as a word for a script of ours. */
export function jobFolder(id: string): string {
  return `"$HOME"/.gpu-rental/jobs/${checkHex(id)}`;
}

/** A name that can be nothing else in a script. */
export function checkHex(value: string): string {
  if (/^[0-9a-f]{1,64}$/.test(value)) {
    return value;
  }
  throw new Error(`Not hexadecimal: ${value}`);
}

type AnswerOptions = Pick<RunOptions, 'signal' | 'input' | 'timeoutMs'>;

/** Runs a script and returns the bytes that it prints. A broken connection, and a script that failed, reject. */
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
      const reader = new ByteReader(bytes);
      if (await reader.until(beginMark, noiseBytes)) {
        answer = await reader.read(answerBytes);
      }
      await reader.drain();
    },
  });
  if (result.timedOut || !answer) {
    throw new TransferError(result.timedOut ? 'time-out' : lastWords(result));
  }
  if (result.code !== 0) {
    throw new JobMachineError(
      text('The instance could not do its part of the job: {0}', plainText(lastWords(result)) || '–'),
      { nextStep: 'retry' },
    );
  }
  return answer;
}

/** The same for a script that prints lines. */
export async function linesOf(
  call: MachineCall,
  script: readonly string[],
  options: AnswerOptions = {},
): Promise<readonly string[]> {
  const answer = await answerOf(call, script, options);
  return answer.toString('utf8').split('\n').slice(0, -1);
}
