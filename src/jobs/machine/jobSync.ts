import { randomBytes } from 'node:crypto';
import { quoteForShell } from '../../ssh/commandLine';
import { relisted } from '../../ssh/fileTree';
import { isRemotePath } from '../../ssh/remoteFolders';
import { sentTree } from '../../ssh/sentFiles';
import { reasons, TransferError } from '../../ssh/transfer';
import { mirror } from '../../ssh/upload';
import { text } from '../../util/text';
import type { MoveOptions, Moved, SentTree } from '../model/jobMachine';
import { JobMachineError } from '../model/jobMachineError';
import type { JobOrder } from '../model/onMachine';
import { checkHex, jobFolder, linesOf, type MachineCall } from './machineCall';
import { jobPrograms } from './programs';

/**
 * Sends changes into the mirror of the workspace, and copies the mirror into the folder of the job, so that sending
 * the next job changes nothing for one that waits or runs.
 */
export async function syncJob(
  call: MachineCall,
  order: JobOrder,
  sent: SentTree | undefined,
  options: MoveOptions,
): Promise<Moved> {
  const { signal } = options;
  if (!sent) {
    await linesOf(call, [`mkdir -p ${jobFolder(order.id)}/src`], { signal });
    return { files: 0, bytes: 0, leftOut: [] };
  }
  const tree = await sentTree(sent.root, sent.names);
  const now = Math.floor(call.clock.now() / 1000);
  const { folder, scanned } = await openMirror(call, order, now, signal);
  let isListed = true;
  const outcome = await mirror(
    call,
    call.alias,
    () => {
      const now = isListed ? Promise.resolve(tree) : relisted(tree);
      isListed = false;
      return now;
    },
    { parent: folder, name: 'tree', scanned },
    options,
  );
  const known = new Set(tree.leftOut.map(({ name }) => name));
  const missing = outcome.leftOut.find(({ name, why }) => !known.has(name) && why !== reasons.changed);
  if (missing) {
    throw new JobMachineError(text('{0} did not reach the instance: {1}', missing.name, missing.why), {
      nextStep: 'retry',
    });
  }
  // After a change during the transfer, the size of the mirror is not known exactly.
  const isExact = outcome.leftOut.every(({ name }) => known.has(name));
  const size = isExact ? `${outcome.files} ${tree.links.size} ${outcome.bytes}` : undefined;
  await copyMirror(call, order, { folder, scanned: now, size }, signal);
  return outcome;
}

interface OpenMirror {
  readonly folder: string;
  readonly scanned: number;
}

async function openMirror(
  call: MachineCall,
  order: JobOrder,
  now: number,
  signal: AbortSignal | undefined,
): Promise<OpenMirror> {
  const lines = await linesOf(
    call,
    [`set -- "$HOME"/.gpu-rental/mirrors/${checkHex(order.workspaceKey)} ${now}`, jobPrograms.mirror],
    { signal, timeoutMs: copyMs },
  );
  const [folder, scanned] = lines.slice(-2);
  if (!isRemotePath(folder)) {
    throw new TransferError('');
  }
  return { folder, scanned: /^\d{1,12}$/.test(scanned ?? '') ? Number(scanned) : 0 };
}

interface WholeMirror extends OpenMirror {
  /** The number of files and links, and the bytes of the files. */
  readonly size: string | undefined;
}

async function copyMirror(
  call: MachineCall,
  order: JobOrder,
  { folder, scanned, size }: WholeMirror,
  signal: AbortSignal | undefined,
): Promise<void> {
  const lines = await linesOf(
    call,
    [
      'umask 077',
      `set -- ${quoteForShell(folder)} ${jobFolder(order.id)} ${randomBytes(8).toString('hex')} ${scanned} ${quoteForShell(size ?? '')} ${call.largeMirrorKb ?? largeMirrorKb}`,
      jobPrograms.copy,
    ],
    { signal, timeoutMs: copyMs },
  );
  if (!lines.includes('copied')) {
    throw new TransferError(lines.includes('differs') ? 'the copy on the instance differs' : '');
  }
}

/**
 * A mirror of at least this size is moved into the job instead of copied, where possible; in units of 1,024 bytes.
 */
const largeMirrorKb = 65_536;
/** Copying some gigabytes on the slow disk of a rented machine takes its time (ms). */
const copyMs = 1_200_000;
