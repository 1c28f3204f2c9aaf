import { ByteReader } from '../../../ssh/byteReader';
import type { RunOptions, RunResult } from '../../../ssh/run';
import {
  atMost,
  beginMark,
  beginScript,
  lastLines,
  runStep,
  TransferError,
  type TransferDeps,
} from '../../../ssh/transfer';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import { shownName } from '../rawPath';

/** A machine that does the work of a set. */
export interface ParkedCall extends Pick<TransferDeps, 'ssh' | 'clock' | 'platform'> {
  readonly alias: string;
}

/** The most bytes that start-up files may print before an answer, and that a line of an answer has. */
const noiseBytes = 65_536;

/** The machine has no such folder. */
export class FolderGoneError extends UserError {
  constructor(root: string) {
    super(text('The instance has no folder {0}.', shownName(root)));
  }
}

export interface ParkedStep extends Pick<RunOptions, 'signal' | 'input'> {
  readonly program: string;
  /** The folder that the program works in, raw. */
  readonly root: string;
  /** Lines of the script before the program. */
  readonly before?: readonly string[];
  /** The most bytes of the answer; may change while it arrives. */
  readonly most: () => number;
}

/** Runs a program, and hands the reader of its output to `read` with the first line. */
export async function runParkedStep(
  call: ParkedCall,
  { program, root, before = [], most, signal, input }: ParkedStep,
  read: (line: string, reader: ByteReader) => Promise<void>,
): Promise<RunResult> {
  const script = [setRaw('root', root), ...before, beginScript, program].join('\n');
  const answer = { isThere: false };
  const result = await runStep(call, call.alias, script, {
    signal,
    input,
    output: async (bytes) => {
      const reader = new ByteReader(atMost(bytes, () => noiseBytes + most()));
      const line = (await reader.until(beginMark, noiseBytes)) && (await reader.until('\n', noiseBytes));
      if (line) {
        answer.isThere = true;
        refuse(line.toString('latin1'), root);
        await read(line.toString('latin1'), reader);
      }
      await reader.drain();
    },
  });
  if (!answer.isThere) {
    throw new TransferError(lastLines(result));
  }
  return result;
}

/** @throws UserError for an answer that is a refusal. */
function refuse(line: string, root: string): void {
  const [, lacks] = /^lacks((?: (?:tar|find|sha256sum))+)$/.exec(line) ?? [];
  if (lacks !== undefined) {
    const names = lacks.trim().split(' ').join(', ');
    throw new UserError(
      text('The instance lacks GNU programs: {0}. Install them there (tar, findutils, coreutils).', names),
      { nextStep: 'retry' },
    );
  }
  if (line === 'gone') {
    throw new FolderGoneError(root);
  }
}

/** Returns a line of a script that sets a variable to raw bytes, which a script can't hold as they are. */
function setRaw(variable: string, raw: string): string {
  return `${variable}=$(printf '${octal(raw)}.') && ${variable}=\${${variable}%.}`;
}

function octal(raw: string): string {
  const escaped = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return raw.replace(/[^A-Za-z0-9_/-]/g, escaped);
}

/** Returns lines that have `find` leave out names below its folder, by conditions in `"$@"`. */
export function leaveOut(names: readonly string[]): readonly string[] {
  const pattern = (name: string) => `./${name}`.replace(/[\\*?[]/g, '\\$&');
  return [
    'set --',
    ...names.flatMap((name) => [setRaw('p', pattern(name)), 'set -- "$@" -path "$p" -prune -o']),
  ];
}
