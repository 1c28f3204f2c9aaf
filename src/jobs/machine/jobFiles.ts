import { quoteForShell } from '../../ssh/commandLine';
import { tarEnd, tarHeader, tarPadding } from '../../ssh/tar';
import type { JobOrder } from '../model/onMachine';
import { checkHex } from './machineCall';
import { outputsFolder, outputsProgram } from './outputPatterns';
import { jobPrograms } from './programs';

/** Returns the files of the folder of a job. They contain no secrets: the variables are sent with the start. */
export function jobFiles(order: JobOrder): ReadonlyMap<string, Buffer> {
  const spec = { id: order.id, name: order.name, attempt: order.attempt, outputs: order.outputs };
  const files: Readonly<Record<string, string>> = {
    spec: `${JSON.stringify(spec)}\n`,
    'runner.sh': jobPrograms.runner,
    'job.sh': jobPrograms.job,
    'outputs.sh': outputsProgram(order.outputs),
    'run.sh': order.run,
    ...(order.setup === undefined ? {} : { 'setup.sh': order.setup }),
    // The last file shows that all arrived.
    begun: '',
  };
  return new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]));
}

export function* archiveOf(files: ReadonlyMap<string, Buffer>, now: number): Generator<Uint8Array> {
  for (const [name, bytes] of files) {
    yield tarHeader({ name, kind: 'file', size: bytes.length, modified: now, mode: 0o600 });
    yield bytes;
    yield tarPadding(bytes.length);
  }
  yield tarEnd;
}

/** Returns the variables of a job, including secret ones, as lines for its shell. */
export function variablesOf(order: JobOrder): string {
  const ours: Readonly<Record<string, string>> = {
    GPU_RENTAL_JOB: order.name,
    GPU_RENTAL_JOB_ID: order.id,
    GPU_RENTAL_ATTEMPT: String(order.attempt),
  };
  const lines = Object.entries({ ...ours, ...order.env, ...order.secrets }).map(
    ([name, value]) => `export ${checkName(name)}=${quoteForShell(checkValue(value))}`,
  );
  const setup =
    order.setupKey === undefined
      ? 'GPU_RENTAL_SETUP='
      : `GPU_RENTAL_SETUP="$HOME/.gpu-rental/setups/${checkHex(order.setupKey)}"`;
  const resume =
    order.previous === undefined ? '' : `"$HOME"/.gpu-rental/jobs/${checkHex(order.previous)}/src`;
  return [
    ...lines,
    `export GPU_RENTAL_RESUME=${resume}`,
    setup,
    `GPU_RENTAL_LIMIT=${Math.ceil(order.limitSeconds)}`,
    ...outputsLines(order.outputs),
    '# end',
    '',
  ].join('\n');
}

function outputsLines(outputs: readonly string[]): readonly string[] {
  const folder = outputsFolder(outputs);
  if (folder === undefined) {
    return [];
  }
  const path = quoteForShell(folder.replace(/^\.\/?/, ''));
  const base = folder.startsWith('/') ? '' : '"$GPU_RENTAL_JOB_FOLDER"/src/';
  return [`export GPU_RENTAL_OUTPUTS=${base}${path}`, 'mkdir -p "$GPU_RENTAL_OUTPUTS"'];
}

function checkName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return name;
  }
  throw new Error('Not the name of a variable');
}

function checkValue(value: string): string {
  if (!value.includes('\0')) {
    return value;
  }
  throw new Error('A variable can hold no zero byte');
}
