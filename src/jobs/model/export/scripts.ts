import type { JobSpec } from '../jobSpec';
import type { LeavingJob } from './engineJob';

/** One script with the seconds that it may take; without them, the engine has a limit of its own. */
interface Timed {
  readonly script: string;
  readonly name: 'RUN' | 'SETUP';
  readonly seconds?: number;
  readonly graceSeconds?: number;
}

/**
 * Returns lines that run a script as a job does: in a bash of its own that stops at the first error, whatever the engine
 * joins to it. The script comes by a here-document that its shell reads as a file, so that its standard input is free.
 */
export function scriptBlock({ script, name, seconds, graceSeconds = 0 }: Timed): string {
  const lines = script.split('\n');
  let end: string = name;
  for (let count = 2; lines.includes(end); count += 1) {
    end = `${name}_${count}`;
  }
  const limit =
    seconds === undefined
      ? ''
      : `timeout ${graceSeconds > 0 ? `-k ${graceSeconds} ` : ''}${Math.ceil(seconds)} `;
  return `${limit}bash -eo pipefail /dev/fd/3 3<<'${end}'\n${script.replace(/\n$/, '')}\n${end}\n`;
}

export interface ReadBlock {
  readonly script: string;
  readonly name: 'RUN' | 'SETUP';
  readonly seconds?: number;
  readonly graceSeconds?: number;
}

/** Returns the scripts of the blocks in a text that we wrote; `undefined` for any other text. */
export function readBlocks(source: string): readonly ReadBlock[] | undefined {
  const lines = source.replace(/\n$/, '').split('\n');
  const blocks: ReadBlock[] = [];
  let at = 0;
  while (ownLine.test(lines[at] ?? '')) {
    at += 1;
  }
  while (at < lines.length) {
    const [, grace, seconds, end, name] =
      /^(?:timeout (?:-k (\d{1,4}) )?(\d{1,8}) )?bash -eo pipefail \/dev\/fd\/3 3<<'((RUN|SETUP)(?:_\d+)?)'$/.exec(
        lines[at] ?? '',
      ) ?? [];
    const last = end === undefined ? -1 : lines.indexOf(end, at + 1);
    if (last < 0) {
      return undefined;
    }
    blocks.push({
      script: lines.slice(at + 1, last).join('\n'),
      name: name === 'SETUP' ? 'SETUP' : 'RUN',
      ...(seconds === undefined ? {} : { seconds: Number(seconds), graceSeconds: Number(grace ?? 0) }),
    });
    at = last + 1;
  }
  return blocks;
}

/** The names under which an engine gives what our jobs get by `GPU_RENTAL_` names. */
export interface EngineNames {
  readonly gpus: string;
  readonly id: string;
}
export const skypilotNames: EngineNames = { gpus: 'SKYPILOT_NUM_GPUS_PER_NODE', id: 'SKYPILOT_TASK_ID' };
export const skypilotSetupNames: EngineNames = {
  ...skypilotNames,
  gpus: 'SKYPILOT_SETUP_NUM_GPUS_PER_NODE',
};
export const dstackNames: EngineNames = { gpus: 'DSTACK_GPUS_PER_NODE', id: 'DSTACK_RUN_ID' };

/** Lines of ours before the scripts, which an import leaves out. */
const ownLine = new RegExp(
  [
    'set -e',
    String.raw`(?:mkdir -p |export GPU_RENTAL_OUTPUTS=(?:"\$PWD"/)?)(?:[\w./-]+|'[^']*'(?:\\''[^']*')*)`,
    String.raw`export GPU_RENTAL_(?:GPUS|JOB_ID)="\$[A-Z_]+"`,
    String.raw`export GPU_RENTAL_DEADLINE=\$\(\(\$\(date \+%s\) \+ \d+\)\)`,
  ]
    .map((line) => `^${line}$`)
    .join('|'),
);

/** Returns the lines that give scripts the folder of their outputs, and the variables of our jobs that they name. */
export function linesBefore(
  { spec, outputs }: LeavingJob,
  scripts: readonly string[],
  names: EngineNames,
): string {
  const uses = (variable: string) => scripts.some((script) => script.includes(`GPU_RENTAL_${variable}`));
  const values = {
    OUTPUTS: outputs && (outputs.isAbsolute ? outputs.quoted : `"$PWD"/${outputs.quoted}`),
    GPUS: `"$${names.gpus}"`,
    JOB_ID: `"$${names.id}"`,
    DEADLINE: `$(($(date +%s) + ${secondsOf(spec)}))`,
  };
  const lines = [
    ...(outputs === undefined || !scripts.includes(spec.run) ? [] : [`mkdir -p ${outputs.quoted}`]),
    ...Object.entries(values).flatMap(([name, value]) =>
      value !== undefined && uses(name) ? [`export GPU_RENTAL_${name}=${value}`] : [],
    ),
  ];
  // The end of one script alone is what its engine sees.
  const stop = lines.length + scripts.length > 1 ? ['set -e'] : [];
  return [...stop, ...lines].map((line) => `${line}\n`).join('');
}

/** Returns the variables of our jobs that are the same on each machine, as far as the scripts name them. */
export function ownVariables({ spec }: LeavingJob): Readonly<Record<string, string>> {
  const values = { GPU_RENTAL_JOB: spec.name, GPU_RENTAL_ATTEMPT: '1', GPU_RENTAL_RESUME: '' };
  const scripts = `${spec.run}\n${spec.setup ?? ''}`;
  return Object.fromEntries(Object.entries(values).filter(([name]) => scripts.includes(name)));
}

export function secondsOf({ hours }: JobSpec): number {
  return Math.ceil(hours * 3600);
}
