import type { JobThere } from '../../model/jobs/onMachine';
import { linesOf, type MachineCall } from './machineCall';
import { jobPrograms } from './programs';

/** A machine that does not answer is not waited for. */
const timeoutMs = 20_000;

/** More would not be shown. */
const mostJobs = 50;

/** The jobs of a machine that are at work or hold outputs that were not fetched, whoever ordered them. */
export async function listJobs(
  call: MachineCall,
  signal: AbortSignal | undefined,
): Promise<readonly JobThere[]> {
  return parseJobs(await linesOf(call, [jobPrograms.others], { signal, timeoutMs }));
}

/** Reads what the program prints; of the attempts of a job the last one counts. */
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
