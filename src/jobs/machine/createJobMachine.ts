import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { TransferError } from '../../ssh/transfer';
import { text, type Text } from '../../util/text';
import type { JobMachine } from '../model/jobMachine';
import { JobMachineError, UnfitMachineError } from '../model/jobMachineError';
import type { JobOrder } from '../model/onMachine';
import { checkJob } from './jobCheck';
import { archiveOf, jobFiles, variablesOf } from './jobFiles';
import { fetchOutputs, listCheckpoint, listOutputs } from './jobOutputs';
import { syncJob } from './jobSync';
import { checkHex, jobFolder, linesOf, type MachineCall } from './machineCall';
import { listJobs } from './otherJobs';
import { jobPrograms, neededPrograms } from './programs';

/** A new log is started after this many bytes; one old log is kept. */
const logBytes = 100_000_000;

/** Returns the machine behind an alias. */
export function createJobMachine(call: MachineCall): JobMachine {
  return {
    begin: (order, signal) => beginJob(call, order, signal),
    sync: (order, tree, options = {}) => syncJob(call, order, tree, options),
    start: (order, signal) => startJob(call, order, signal),
    check: (id, offset, maxBytes, signal) => checkJob(call, id, offset, maxBytes, signal),
    cancel: (id, signal) => cancelJob(call, id, signal),
    extend: (id, seconds, signal) => giveMoreTime(call, id, seconds, signal),
    outputs: (id, patterns, signal) => listOutputs(call, id, patterns, signal),
    checkpoint: (id, patterns, signal) => listCheckpoint(call, id, patterns, signal),
    fetch: (id, list, into, options = {}) => fetchOutputs(call, id, list, into, options),
    markFetched: (id, hash, signal) => markJobFetched(call, id, hash, signal),
    jobsThere: (signal) => listJobs(call, signal),
    remove: (id, signal) => removeJob(call, id, signal),
  };
}

/** Creates the folder of the job; a job that was started stays unchanged. */
async function beginJob(call: MachineCall, order: JobOrder, signal: AbortSignal | undefined): Promise<void> {
  const now = Math.floor(call.clock.now() / 1000);
  const files = jobFiles(order);
  const names = [...files.keys()];
  const isWhole = [...files].map(([name, { length }]) => `[ "$(wc -c <${name})" -eq ${length} ]`);
  const lines = await linesOf(
    call,
    [
      'umask 077',
      'lacks=""',
      `for one in ${neededPrograms.join(' ')}; do command -v "$one" >/dev/null 2>&1 || lacks="$lacks $one"; done`,
      'command -v setsid >/dev/null 2>&1 || command -v nohup >/dev/null 2>&1 || lacks="$lacks setsid"',
      'if [ -n "$lacks" ]; then echo "missing$lacks"; exit 0; fi',
      `d=${jobFolder(order.id)}`,
      'mkdir -p "$d" && cd "$d" || exit 3',
      // Where the disk keeps no modes, none are needed by the job.
      'chmod 700 "$HOME/.gpu-rental" "$HOME/.gpu-rental/jobs" "$d"',
      '[ ! -e lock ] || { echo begun; exit 0; }',
      `rm -f ${names.join(' ')} || exit 4`,
      // It also fails where the disk keeps no times, with all bytes there.
      `tar -xof - || { ${isWhole.join(' && ')}; } || exit 4`,
      '[ ! -e begun ] || echo begun',
    ],
    { signal, input: Readable.from(archiveOf(files, now)) },
  );
  const missing = lines.flatMap((line) => /^missing ([\w. -]+)$/.exec(line)?.[1]?.split(' ') ?? []);
  if (missing.length > 0) {
    throw new UnfitMachineError(
      text(
        'The instance lacks programs that a job needs: {0}. Choose an image that has them.',
        missing.join(', '),
      ),
    );
  }
  if (!lines.includes('begun')) {
    throw new TransferError('');
  }
}

const refusals: Readonly<Record<string, Text>> = {
  'no-folder': text('The folder of the job is gone from the instance.'),
  'not-synced': text('The files of the job are not on the instance yet.'),
  busy: text('Another job is being started on the instance.'),
  'not-started': text('The job did not start on the instance. Its disk may be full.'),
};

/** Starts the job, or finds that it was started already. */
async function startJob(
  call: MachineCall,
  order: JobOrder,
  signal: AbortSignal | undefined,
): Promise<'started' | 'already'> {
  const { setupSeconds, limitSeconds, graceSeconds, idleSeconds = 0, endsIfIdle = false } = order;
  const seconds = [setupSeconds, limitSeconds, graceSeconds].map((value) => Math.max(0, Math.ceil(value)));
  const log = call.logBytes ?? logBytes;
  const lines = await linesOf(
    call,
    [
      `set -- ${jobFolder(order.id)} ${order.id} ${randomBytes(8).toString('hex')} ${seconds.join(' ')} ${log} ${Math.ceil(idleSeconds)} ${endsIfIdle ? 'yes' : 'no'}`,
      jobPrograms.start,
    ],
    { signal, input: variablesOf(order) },
  );
  const lastLine = lines.at(-1) ?? '';
  if (lastLine === 'started' || lastLine === 'already') {
    return lastLine;
  }
  const refusal = refusals[lastLine];
  throw refusal ? new JobMachineError(refusal, { nextStep: 'retry' }) : new TransferError(lastLine);
}

/** Requests the end. A job that has not started ends as soon as it does. */
async function cancelJob(call: MachineCall, id: string, signal: AbortSignal | undefined): Promise<void> {
  await linesOf(call, [`cd ${jobFolder(id)} 2>/dev/null || exit 0`, 'umask 077', ': >cancel'], { signal });
}

/** Extends the time of the script, from its start. Returns false if the machine is already ending it. */
async function giveMoreTime(
  call: MachineCall,
  id: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const lines = await linesOf(
    call,
    [
      `cd ${jobFolder(id)} || exit 3`,
      'umask 077',
      `echo ${Math.floor(seconds)} >limit.new && mv limit.new limit || exit 4`,
      // Read after the write: what the runner decided before that counts.
      'read -r why _ <why && [ "$why" = reserved ] && echo extended',
      'exit 0',
    ],
    { signal },
  );
  return lines.includes('extended');
}

/** Marks all attempts of the job: what the others brought is in these outputs, or is not wanted. */
async function markJobFetched(
  call: MachineCall,
  id: string,
  hash: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const value = /^[0-9a-f]{64}$/.exec(hash)?.[0] ?? '';
  const script = [
    `cd ${jobFolder(id)} || exit 3`,
    'umask 077',
    `for one in ../${checkHex(id).slice(0, -2)}??; do echo ${value} >"$one/fetched.new" && mv "$one/fetched.new" "$one/fetched" || exit 4; done`,
  ];
  await linesOf(call, script, { signal });
}

/** Removes the folder of a job that does not run. */
async function removeJob(call: MachineCall, id: string, signal: AbortSignal | undefined): Promise<void> {
  const lines = await linesOf(
    call,
    [
      jobPrograms.processes,
      `d=${jobFolder(id)}`,
      'cd "$d" 2>/dev/null || exit 0',
      'if read -r runner began _ 2>/dev/null <pid && alive "$runner" "$began"; then echo runs; exit 0; fi',
      'cd .. && rm -rf "$d"',
    ],
    { signal },
  );
  if (lines.includes('runs')) {
    throw new JobMachineError(text('The job still runs on the instance. Stop it first.'));
  }
}
