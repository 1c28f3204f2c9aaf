import { createHash } from 'node:crypto';
import { downloadList } from '../../ssh/download';
import { isRemotePath } from '../../ssh/remoteFolders';
import { hashOf, parseRecord, type RemoteEntry } from '../../ssh/remoteTree';
import { reasons, TransferError, type LeftOut } from '../../ssh/transfer';
import { actingPart } from '../../util/actingNames';
import { defined } from '../../util/defined';
import type { Place } from '../../util/realPlace';
import { text } from '../../util/text';
import type { MoveOptions, Moved } from '../model/jobMachine';
import { JobMachineError } from '../model/jobMachineError';
import type { JobOutput, JobOutputs } from '../model/onMachine';
import { answerOf, jobFolder, linesOf, type MachineCall } from './machineCall';
import { matcherOf, outputsProgram } from './outputPatterns';

/** Hashing large outputs takes minutes (ms). */
const listMs = 3_600_000;

/** Returns the list that the machine made at the end of the job; if it could not, it makes one now. */
export async function listOutputs(
  call: MachineCall,
  id: string,
  patterns: readonly string[],
  signal: AbortSignal | undefined,
): Promise<JobOutputs> {
  const script = [
    `d=${jobFolder(id)}; cd "$d" || exit 3`,
    'umask 077',
    // On a full disk the list is printed without being stored.
    'if [ ! -e outputs.list ] && sh "$d/outputs.sh" 2>/dev/null >outputs.list.new; then mv outputs.list.new outputs.list; fi',
    'rm -f outputs.list.new',
    'if [ -e outputs.list ]; then cat outputs.list; else sh "$d/outputs.sh"; fi',
  ];
  return read(await answerOf(call, script, { signal, timeoutMs: listMs }), patterns);
}

function read(answer: Buffer, patterns: readonly string[]): JobOutputs {
  const list = readOutputs(answer, patterns);
  if (!list) {
    throw new JobMachineError(text('The list of outputs on the instance can’t be read.'), {
      nextStep: 'retry',
    });
  }
  return list;
}

/** Lists what a running job has written so far. */
export async function listCheckpoint(
  call: MachineCall,
  id: string,
  patterns: readonly string[],
  signal: AbortSignal | undefined,
): Promise<JobOutputs> {
  const script = [
    `d=${jobFolder(id)}; cd "$d" || exit 3`,
    'umask 077',
    'cat >checkpoint.sh && sh "$d/checkpoint.sh"',
  ];
  const options = { signal, timeoutMs: listMs, input: outputsProgram(patterns) };
  return read(await answerOf(call, script, options), patterns);
}

/**
 * Parses the records of `stat`, then the lines of a hashing program; `undefined` if the list is incomplete. The host can
 * write any list, so only files that the patterns name are taken from it.
 */
export function readOutputs(list: Buffer, patterns: readonly string[]): JobOutputs | undefined {
  const parts = list.toString('utf8').split('//');
  const [before, ...records] = parts.slice(0, -2);
  const [how = '', ...hashLines] = parts.at(-2)?.split('\n') ?? [];
  if (before !== '' || parts.at(-1) !== 'end\n' || !/^(?:un)?hashed$/.test(how)) {
    return undefined;
  }
  const hashes = new Map(hashLines.map(hashOf));
  const matches = matcherOf(patterns);
  const files = new Map<string, JobOutput>();
  const leftOut = new Map<string, LeftOut>();
  const privateFolders: string[] = [];
  for (const record of records) {
    const entry = parseRecord(Buffer.from(record));
    if (!entry) {
      return undefined;
    }
    if (entry.kind === 'folder') {
      privateFolders.push(...(entry.isPrivate ? [entry.name] : []));
      continue;
    }
    const problem = problemOf(entry, matches);
    if (problem) {
      leftOut.set(problem.name, problem);
    } else if (entry.kind === 'file' || entry.kind === 'link') {
      const { name: path, kind, size, modified, isPrivate } = entry;
      const sha256 = kind === 'file' ? hashes.get(path) : undefined;
      files.set(path, { path, kind, size, modified, sha256, ...(isPrivate ? { isPrivate } : {}) });
    }
  }
  return {
    files: [...files.values()],
    ...(privateFolders.length === 0 ? {} : { privateFolders }),
    leftOut: [...leftOut.values()],
    hash: createHash('sha256').update(list).digest('hex'),
    areHashed: how === 'hashed',
  };
}

const notNamed = text('no pattern of the job names it');

/**
 * Returns what is left out of a listed file, and why. Names come from an untrusted machine: none may lead out of the
 * target folder, be another than the patterns name, or run something here. A folder that could do so is left out once.
 */
export function problemOf(
  { name, kind }: Pick<RemoteEntry, 'name' | 'kind'>,
  matches: (name: string) => boolean,
): LeftOut | undefined {
  const why = problemOfName(name) ?? (kind === 'other' ? reasons.noFile : undefined);
  const acting = actingPart(name);
  if (why) {
    return { name, why };
  }
  if (acting !== undefined) {
    return { name: acting, why: reasons.acts };
  }
  return matches(name) ? undefined : { name, why: notNamed };
}

function problemOfName(name: string): LeftOut['why'] | undefined {
  if (
    name
      .replace(/^\//, '')
      .split('/')
      .some((part) => ['', '.', '..'].includes(part))
  ) {
    return reasons.hostileName;
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    return reasons.control;
  }
  return name.includes('\uFFFD') ? reasons.notUtf8 : undefined;
}

/** Fetches the listed files. An absolute path on the machine maps to the same path below the folder. */
export async function fetchOutputs(
  call: MachineCall,
  id: string,
  list: JobOutputs,
  into: Place,
  options: MoveOptions,
): Promise<Moved> {
  const lines = await linesOf(call, [`cd ${jobFolder(id)}/src && pwd`], { signal: options.signal });
  const folder = lines.at(-1);
  if (!isRemotePath(folder)) {
    throw new TransferError('');
  }
  let outcome: Moved = { files: 0, bytes: 0, leftOut: list.leftOut };
  const privateFolders = new Set((list.privateFolders ?? []).map((path) => path.replace(/^\//, '')));
  for (const part of [
    { folder, files: list.files.filter(({ path }) => !path.startsWith('/')) },
    { folder: '/', files: list.files.filter(({ path }) => path.startsWith('/')) },
  ].filter(({ files }) => files.length > 0)) {
    const { files, bytes, leftOut, notKept } = await downloadList(
      call,
      call.alias,
      {
        folder: part.folder,
        privateFolders,
        entries: part.files.map(({ path, ...file }) => ({ ...file, name: path.replace(/^\//, '') })),
        hashes: new Map(
          part.files.flatMap(({ path, sha256 }) =>
            sha256 === undefined ? [] : [[path.replace(/^\//, ''), sha256] as const],
          ),
        ),
      },
      into,
      options,
    );
    outcome = defined<Moved>({
      files: outcome.files + files,
      bytes: outcome.bytes + bytes,
      leftOut: [...outcome.leftOut, ...leftOut],
      notKept: outcome.notKept ?? notKept,
    });
  }
  return outcome;
}
