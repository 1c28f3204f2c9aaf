import { UserError } from '../../../util/errors';
import { text, type Text } from '../../../util/text';
import { dstackName, dstackTask, type DstackPlace } from './dstackTask';
import type { JobEngine, EngineTask, LeavingJob } from './engineJob';
import { lossesOf } from './fieldTable';
import { skypilotName, skypilotTask } from './skypilotTask';
import { taskYaml } from './taskYaml';

export interface Exported {
  /** The content of the file. It depends on the job alone, so that exporting it again changes nothing. */
  readonly content: string;
  readonly command: string;
}

export interface ExportTo extends DstackPlace {
  readonly engine: JobEngine;
  /** The file as the command names it, quoted for a shell. */
  readonly file: string;
  readonly localize: (sentence: Text) => string;
}

/** How the names of files end: dstack reads no others. */
export const endings: Readonly<Record<JobEngine, string>> = { skypilot: '.sky.yaml', dstack: '.dstack.yml' };

/** Returns the name of a job in an engine. */
export function taskName(engine: JobEngine, name: string): string {
  return engine === 'skypilot' ? skypilotName(name) : dstackName(name);
}

/** Returns the file of another engine for a job. Throws a sentence that says why it can't be one. */
export function exportJob(job: LeavingJob, to: ExportTo): Exported {
  if (job.recipe.image === undefined) {
    throw new UserError(
      text('The machine of {0} has no image. Add "image" to the file, then export again.', job.spec.name),
    );
  }
  if (!/^[\w./:@-]{1,500}$/.test(job.recipe.image)) {
    throw new UserError(text('{0} is not the name of an image.', job.recipe.image));
  }
  if (job.recipe.volumes?.some(({ optional }) => optional !== true)) {
    throw new UserError(
      text(
        '{0} needs a volume, and neither tool has volumes on this market. Make it optional in the file to export the job without it.',
        job.spec.name,
      ),
    );
  }
  const task = to.engine === 'skypilot' ? skypilotTask(job) : dstackTask(job, to);
  const command = task.command(to.file);
  return { content: `${header(job, to, task, command)}\n${taskYaml(task.value)}`, command };
}

function header(job: LeavingJob, { engine, localize }: ExportTo, task: EngineTask, command: string): string {
  const losses = lossesOf(engine, job);
  const lines = [
    localize(text('Exported by GPU Rental from the job {0}.', job.spec.name)),
    '',
    localize(text('Start it from the folder of the workspace:')),
    { verbatim: `  ${command}` },
    '',
    ...task.before.map((sentence) => localize(sentence)),
    localize(text('The machine is listed among your instances. Check there that it has ended.')),
    ...(losses.length === 0 ? [] : ['', localize(text('What differs from the job:'))]),
    ...losses.map(({ fields, lost }) => `- ${fields.join(', ')}: ${localize(lost)}`),
  ];
  return lines
    .flatMap((line) => (typeof line === 'string' ? wrapped(plain(line)) : [plain(line.verbatim)]))
    .map((line) => (line === '' ? '#' : `# ${line}`))
    .join('\n');
}

/** Returns one line, whatever stands in it: it can't end the comment. */
function plain(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trimEnd();
}

const longestLine = 98;

function wrapped(line: string): readonly string[] {
  const indent = line.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (joined.length > longestLine && current !== '') {
      lines.push(current);
      current = `${indent}${word}`;
    } else {
      current = joined;
    }
  }
  return [...lines, current];
}
