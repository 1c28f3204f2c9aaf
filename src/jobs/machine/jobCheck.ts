import { ByteReader } from '../../ssh/byteReader';
import { TransferError } from '../../ssh/transfer';
import type { JobAgo, JobBeat, JobEnd, JobCheck, PhaseOnMachine } from '../model/onMachine';
import { answerOf, jobFolder, type MachineCall } from './machineCall';
import { jobPrograms } from './programs';

/** Time for a look, and for the bytes that it may bring over a slow connection (ms, bytes a ms). */
const checkMs = 120_000;
const slowest = 32;

/** Reads the state of a job once, and a piece of its log. */
export async function checkJob(
  call: MachineCall,
  id: string,
  offset: number,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<JobCheck> {
  const values = `set -- ${jobFolder(id)} ${Math.floor(offset)} ${Math.floor(maxBytes)}`;
  const timeoutMs = checkMs + maxBytes / slowest;
  for (let tries = 1; tries <= 3; tries++) {
    const check = await readCheck(await answerOf(call, [values, jobPrograms.check], { signal, timeoutMs }));
    if (check) {
      return check;
    }
  }
  throw new TransferError('');
}

/**
 * Parses the answer: lines, the last of which states how many bytes of log follow, so that
 * no log content can pass for a line, and after these bytes the place of the log again.
 * Returns `undefined` if the answer is truncated, or if the log was moved while it was read.
 */
export async function readCheck(answer: Buffer): Promise<JobCheck | undefined> {
  const reader = new ByteReader(only(answer));
  const facts = new Map<string, string>();
  while (!facts.has('log')) {
    const line = await reader.until('\n', 1_000);
    if (!line) {
      return undefined;
    }
    const [name = '', ...rest] = line.toString('latin1').trim().split(' ');
    facts.set(name, rest.join(' '));
  }
  const [, from, length] = /^(\d{1,15}) (\d{1,9})$/.exec(facts.get('log') ?? '') ?? [];
  const rest = await reader.read(answer.length);
  const piece = rest.subarray(0, Number(length));
  // The exit code of a login may arrive before the end of its output, so it does not prove that the output is
  // complete.
  const isWhole = rest.subarray(piece.length).toString('latin1') === `base ${facts.get('base') ?? ''}\n`;
  if (from === undefined || !isWhole) {
    return undefined;
  }
  const pidAlive = facts.has('alive');
  const beat = beatOf(facts.get('beat') ?? '');
  const phase = phaseOf(facts.get('phase') ?? '');
  const end = endOf(facts, phase, beat);
  return {
    phase,
    end,
    beat,
    ago: agoOf(facts, end),
    log: { offset: Number(from) + piece.length, piece },
    pidAlive,
    hasOutputsList: facts.has('listed'),
  };
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

const phases: readonly PhaseOnMachine[] = ['synced', 'waiting', 'settingUp', 'running', 'ended'];

function phaseOf(value: string): PhaseOnMachine {
  return phases.find((phase) => phase === value) ?? 'none';
}

const reasonsOfEnd: readonly JobEnd['why'][] = [
  'itself',
  'limit',
  'idle',
  'cancelled',
  'setup',
  'setupLimit',
  'log',
];

function endOf(
  facts: ReadonlyMap<string, string>,
  phase: PhaseOnMachine,
  beat: JobBeat | undefined,
): JobEnd | undefined {
  const isOutOfMemory = facts.has('outOfMemory');
  const [, code, at, value] = /^(\d{1,3}) (\d{1,12}) (\w+)$/.exec(facts.get('exit') ?? '') ?? [];
  const why = reasonsOfEnd.find((reason) => reason === value);
  if (why) {
    return { code: Number(code), why, at: Number(at), isOutOfMemory };
  }
  // A runner that ended right after it began has written no phase.
  const hasBegun = ['waiting', 'settingUp', 'running'].includes(phase) || facts.has('begun');
  const isGone = hasBegun && phase !== 'ended' && !facts.has('alive');
  return isGone
    ? {
        code: undefined,
        why: facts.has('samePid1') ? 'killed' : 'interrupted',
        at: beat?.at,
        isOutOfMemory,
      }
    : undefined;
}

function agoOf(facts: ReadonlyMap<string, string>, end: JobEnd | undefined): JobAgo | undefined {
  const [, now] = /^(\d{1,12})$/.exec(facts.get('now') ?? '') ?? [];
  const [, work, script] = /^(\d{1,12})(?: (\d{1,12}))?$/.exec(facts.get('times') ?? '') ?? [];
  const since = (at: string | number | undefined) =>
    at === undefined ? undefined : Number(now) - Number(at);
  return now === undefined ? undefined : { work: since(work), script: since(script), end: since(end?.at) };
}

function beatOf(value: string): JobBeat | undefined {
  const [, at, logSize, freeKb, gpu, idle] =
    /^(\d{1,12}) (\d{1,15}) (\d{1,15})(?: (\d{1,3}))?(?: idle(\d{1,9}))?$/.exec(value) ?? [];
  return at === undefined
    ? undefined
    : {
        at: Number(at),
        logSize: Number(logSize),
        freeKb: Number(freeKb),
        ...(gpu === undefined ? {} : { gpuPercent: Number(gpu) }),
        ...(idle === undefined ? {} : { idleSeconds: Number(idle) }),
      };
}
