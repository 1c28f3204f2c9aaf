import { JobMachineError } from '../model/jobMachineError';
import type { JobThere } from '../model/onMachine';
import { text } from '../../util/text';
import { linesOf, type MachineCall } from './machineCall';
import { jobPrograms } from './programs';

/** Limit for an unresponsive machine (ms). */
const timeoutMs = 20_000;

/** The most jobs that are kept and shown; each is waited for and spared. */
const mostJobs = 500;

/** Returns the jobs of a machine that run or hold unfetched outputs, whoever ordered them. */
export async function listJobs(
  call: MachineCall,
  signal: AbortSignal | undefined,
): Promise<readonly JobThere[]> {
  return wholeList(await linesOf(call, [jobPrograms.others], { signal, timeoutMs }));
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
