import type { JobThere } from '../../model/jobs/onMachine';
import { linesOf, type MachineCall } from './machineCall';
import { jobPrograms } from './programs';

/** Limit for an unresponsive machine (ms). */
const timeoutMs = 20_000;

/** The most jobs that are shown. */
const mostJobs = 50;

/** Returns the jobs of a machine that run or hold unfetched outputs, whoever ordered them. */
export async function listJobs(
  call: MachineCall,
  signal: AbortSignal | undefined,
): Promise<readonly JobThere[]> {
  return parseJobs(await linesOf(call, [jobPrograms.others], { signal, timeoutMs }));
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
  return [...last.values()].filter((one) => one !== undefined).slice(0, mostJobs);
}
