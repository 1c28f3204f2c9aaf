import { randomBytes } from 'node:crypto';
import { ByteReader } from '../../../ssh/byteReader';
import { quoteForShell } from '../../../ssh/commandLine';
import { isRemotePath } from '../../../ssh/remoteFolders';
import { hashOf } from '../../../ssh/remoteTree';
import type { ExecOptions } from '../../../ssh/service';
import {
  atMost,
  beginMark,
  beginScript,
  lastLines,
  runStep,
  TransferError,
  zeroEnded,
  type TransferDeps,
} from '../../../ssh/transfer';
import { bytesText } from '../../../util/bytes';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import type { FileThere, MirrorStep } from '../../model/mirrorPlan';
import { mirrorPrograms } from './programs';

/** What a login of a mirror needs. */
export interface FarCall extends TransferDeps {
  readonly alias: string;
  /** Whose mirror it is, as hexadecimal digits; the same for this folder of this computer. */
  readonly key: string;
  /** The name of the folder there. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
}

/** The machine as it was when it was looked at. */
export interface FarLook {
  readonly machineId: string;
  readonly remote: string;
  readonly freeBytes: number;
  /** Seconds, by the clock of the disk there. */
  readonly now: number;
  readonly files: ReadonlyMap<string, FileThere>;
}

/** The machine no longer knows the mirror: it was wiped, or is another one. */
export class OtherMachineError extends Error {}

/** Folders that are never searched there: programs make them again. */
const pruned = ['.git', 'node_modules', '.venv', 'venv', '__pycache__', '.mypy_cache', '.ipynb_checkpoints'];
const prunes = pruned.map((name) => `-o -name ${name}`).join(' ');

/** The most bytes that start-up files may print before an answer, and that an answer has. */
const noiseBytes = 65_536;
const answerBytes = 200_000_000;
const lookMs = 120_000;
/** Without this many KiB the machine can't do its work. */
const reserveKb = 65_536;
const uncheckedBytes = 500_000;
/** The exit code of a list without all names. */
const removedCode = 2;
/** A change within this time (s) may have left the time as it was, on a disk that notes parts of seconds and on another. */
const sameMomentS = { parts: 0.1, whole: 2 };

/**
 * Lists the mirror there, and hashes the named files. A folder is chosen at the first contact, and when another mirror
 * has taken it.
 */
export async function lookAtFarSide(
  call: FarCall,
  remote: string | undefined,
  hashed: readonly string[],
): Promise<FarLook> {
  const script = mirrorPrograms.look.replace('$prune', () => prunes);
  const fresh = randomBytes(8).toString('hex');
  const answer = await answerOf(call, script, [call.key, call.name, fresh, remote ?? ''], {
    input: zeroEnded(hashed),
    timeoutMs: lookMs,
    isLook: true,
  });
  const look = parseLook(answer);
  if (look.machineId === 'other') {
    if (remote === undefined) {
      throw new UserError(text('The instance has folders of this name for too many other folders.'));
    }
    return lookAtFarSide(call, undefined, []);
  }
  return look;
}

/** Exported for tests with hostile answers. @throws TransferError for what is no answer. */
export function parseLook(answer: Buffer): FarLook {
  const [remote, machineId = '', free = '', now = '', ...rest] = answer.toString('utf8').split('\n');
  const isWhole =
    /^(?:[0-9a-f]{16}|other)$/.test(machineId) && /^\d{1,15}$/.test(free) && /^\d+(?:\.\d+)?$/.test(now);
  if (!isRemotePath(remote) || !isWhole) {
    throw new TransferError('');
  }
  const files = new Map<string, FileThere>();
  const [list = '', hashes = ''] = rest.join('\n').split(/^\/\/=\n/m);
  for (const record of list.split('//').slice(1)) {
    const [, stamp = '', mode = '', size = '', name = ''] =
      /^(([0-9a-f]{1,8}) (\d{1,16}) \S+ \S+) \.\/([^]+)\n$/.exec(record) ?? [];
    // A name that is not UTF-8 can't be named here, and one that leads elsewhere is a lie.
    if (isPlainName(name)) {
      files.set(name, { kind: kindOf(parseInt(mode, 16)), size: Number(size), stamp });
    }
  }
  for (const line of hashes.split('\n')) {
    const isLink = line.startsWith('l');
    const [name, hash] = hashOf(isLink ? line.slice(1) : line);
    const file = files.get(name);
    if (file && (file.kind === 'link') === isLink && hash !== '') {
      files.set(name, { ...file, hash: isLink ? `l${hash}` : hash });
    }
  }
  return { machineId, remote, freeBytes: Number(free) * 1024, now: Number(now), files };
}

/** Returns whether the programs can work with a name; control characters would end a line. */
export function isPlainName(name: string): boolean {
  return (
    !/[\p{Cc}\\\ufffd]/u.test(name) &&
    !name.split('/').some((part) => part === '' || part === '.' || part === '..')
  );
}

function kindOf(mode: number): FileThere['kind'] {
  const kinds: Readonly<Record<number, FileThere['kind']>> = { 0x8: 'file', 0x4: 'folder', 0xa: 'link' };
  return kinds[mode >> 12] ?? 'other';
}

/** Returns the facts of a file, or nothing where a change in the same moment would not show in them. */
export function settledStamp(stamp: string, now: number): string {
  const changed = Number(stamp.split(' ').at(-1));
  return changed < now - sameMomentS[Number.isInteger(changed) ? 'whole' : 'parts'] ? stamp : '';
}

/** Returns when a file was changed there, in seconds since 1970. */
export function modifiedThere(stamp: string): number {
  return Math.floor(Number(stamp.split(' ')[2]));
}

/** What is done with one name, if it still is what it was. */
export interface FarStep extends MirrorStep {
  /** `put` replaces; `save` too, and keeps the other version for a while; `drop` keeps what it deletes for a while. */
  readonly what: 'put' | 'save' | 'drop';
}

/** A file that was sent alone before, as `large/<id>`. */
export interface LargeStep {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
}

export interface FarOutcome {
  /** Facts of what is there now, by name; empty where a change in the same moment would not show. */
  readonly placed: ReadonlyMap<string, string>;
  /** Names that were not what they had to be, so that nothing was done. */
  readonly refused: ReadonlySet<string>;
}

/** Writes the last files of the archive, which say what is to be done. */
export function orderOf(steps: readonly FarStep[], large: readonly LargeStep[]) {
  const line = ({ what, stamp, hashes, name }: FarStep) =>
    `${what}\t${stamp === '' ? '?' : stamp}\t${hashes.join(',') || '-'}\t${name}\n`;
  return {
    list: steps.map(line).join(''),
    names: steps.map(({ name }) => `./${name}\0`).join(''),
    large: large.map(({ id, hash, name }) => `${id}\t${hash}\t${name}\n`).join(''),
  };
}

/** Sends an archive, with `tree/…` and at its end what `orderOf` returned, and has each file put in its place. */
export async function sendToFarSide(
  call: FarCall,
  { remote, machineId }: Pick<FarLook, 'remote' | 'machineId'>,
  archive: AsyncIterable<Uint8Array>,
  { bytes, count, others }: { readonly bytes: number; readonly count: number; readonly others: number },
): Promise<FarOutcome> {
  // A full disk refuses a small file as well, only later.
  const kb = bytes > uncheckedBytes ? Math.ceil(bytes / 1024) + reserveKb : 0;
  const token = randomBytes(6).toString('hex');
  const args = [call.key, call.name, machineId, remote, String(kb), token, String(count), String(others)];
  const answer = (await answerOf(call, mirrorPrograms.send, args, { input: archive })).toString('utf8');
  const [first = '', now = '', ...lines] = answer.split('\n');
  const [, free] = /^full (\d{1,15})$/.exec(first) ?? [];
  if (free !== undefined) {
    throw diskFull(bytes, Number(free) * 1024);
  }
  if (first === 'other') {
    throw new OtherMachineError();
  }
  if (first !== 'placed' || !/^\d+(?:\.\d+)?$/.test(now)) {
    throw new TransferError('');
  }
  const placed = new Map<string, string>();
  const refused = new Set<string>();
  for (const line of lines) {
    const [, stamp, name] = /^([0-9a-f]{1,8} \d{1,16} \S+ \S+) \.\/(.+)$/.exec(line) ?? [];
    if (line.startsWith('x ')) {
      refused.add(line.slice(2));
    } else if (stamp !== undefined && name !== undefined) {
      placed.set(name, settledStamp(stamp, Number(now)));
    }
  }
  return { placed, refused };
}

export function diskFull(needed: number, free: number): UserError {
  return new UserError(
    text('The disk of the instance is full: {0} needed, {1} free.', bytesText(needed), bytesText(free)),
    { nextStep: 'retry' },
  );
}

/** Runs a program with its arguments and returns what it prints. */
async function answerOf(
  call: FarCall,
  program: string,
  args: readonly string[],
  options: ExecOptions,
): Promise<Buffer> {
  let answer: Buffer | undefined;
  const script = [`set -- ${args.map(quoteForShell).join(' ')}`, beginScript, program].join('\n');
  const result = await runStep(call, call.alias, script, {
    signal: call.signal,
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
  // What was removed while it was listed is no fault; what can't be read leaves open what else exists.
  const isRemoved = result.stderr
    .split('\n')
    .every((line) => line === '' || line.includes('No such file or directory'));
  if (result.code !== 0 && !(result.code === removedCode && isRemoved)) {
    throw new TransferError(lastLines(result));
  }
  return answer;
}
