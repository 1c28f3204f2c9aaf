import { copyFromDaemon, type DaemonCopy, type OpenDaemon } from '../../ssh/rsync/daemonCopy';
import { text } from '../../util/text';
import { JobMachineError } from '../model/jobMachineError';
import type { JobThere } from '../model/onMachine';
import { linesOf, type MachineCall } from './machineCall';
import { jobPrograms } from './programs';

/** Limit for an unresponsive machine (ms). */
const timeoutMs = 20_000;

/** The most jobs that are kept and shown; each is waited for and spared. */
const mostJobs = 500;

/** Returns the jobs of a machine that run or hold unfetched outputs, ordered from any computer. */
export async function listJobs(
  call: MachineCall,
  signal: AbortSignal | undefined,
): Promise<readonly JobThere[]> {
  return wholeList(await linesOf(call, [jobPrograms.others], { signal, timeoutMs, isLook: true }));
}

/** Parses the output of the program. @throws JobMachineError for more jobs than are kept: the others would be lost. */
export function wholeList(lines: readonly string[]): readonly JobThere[] {
  const jobs = parseJobs(lines);
  if (jobs.length > mostJobs) {
    throw new JobMachineError(text('It has more than {0} unfinished jobs or jobs with outputs.', mostJobs));
  }
  return jobs;
}

/** Parses the output of the program; the last attempt of a job counts. */
export function parseJobs(lines: readonly string[]): readonly JobThere[] {
  const last = new Map<string, JobThere | undefined>();
  for (const line of lines) {
    const [, id, state, name] = /^job ([0-9a-f]{18}) (atWork|unfetched|over) ([ -~]{0,60})$/.exec(line) ?? [];
    if (id !== undefined) {
      const isOver = state === 'over';
      const there = { id, name: name || id, isAtWork: state === 'atWork' };
      last.set(id.slice(0, 16), isOver ? undefined : there);
    }
  }
  return [...last.values()].filter((one) => one !== undefined);
}

const notes = ['spec', 'phase', 'outputs.list'];
/** A larger list names a file. */
const mostNote = 65_536;

/** Returns the jobs of a stopped machine that hold unfetched outputs, by the rules of `others.sh`. */
export async function listStoppedJobs(
  open: OpenDaemon,
  copy: Pick<DaemonCopy, 'module' | 'folder' | 'signal'>,
): Promise<readonly JobThere[]> {
  let paths: readonly string[] = [];
  const found = new Map<string, string>();
  await copyFromDaemon(open, {
    ...copy,
    // The files of the jobs themselves.
    exclude: '/*/src',
    choose: (files) => {
      paths = files.map(({ path }) => path.toString('utf8'));
      return files.filter(
        ({ path, kind, size }) =>
          kind === 'file' && size <= mostNote && notes.includes(path.toString('utf8').split('/')[1] ?? ''),
      );
    },
    write: async ({ path }, content) => {
      const pieces: Buffer[] = [];
      for await (const piece of content) {
        pieces.push(piece);
      }
      found.set(path.toString('utf8'), Buffer.concat(pieces).toString('latin1'));
    },
  });
  const begun = paths.flatMap((path) => /^([0-9a-f]+)\/lock\/started$/.exec(path)?.[1] ?? []).sort();
  const all = new Set(paths);
  return wholeList(
    begun.map((id) => `job ${id} ${stateOf(id, all, found)} ${nameOf(found.get(`${id}/spec`))}`),
  );
}

function stateOf(id: string, paths: ReadonlySet<string>, found: ReadonlyMap<string, string>): string {
  const list = found.get(`${id}/outputs.list`);
  const isEmpty = list !== undefined && !/^\/\/[^4][0-9a-f]* \d* \d* /m.test(list);
  const hasWaited = /^waiting\b/.test(found.get(`${id}/phase`) ?? '');
  return paths.has(`${id}/fetched`) || hasWaited || isEmpty ? 'over' : 'unfetched';
}

function nameOf(spec = ''): string {
  const [, name = ''] = /^\{"id":"[0-9a-f]*","name":"([^"\\]*)"/.exec(spec) ?? [];
  return name.replace(/[^ -~]/g, '').slice(0, 60);
}
