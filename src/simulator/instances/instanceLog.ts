import type { InstanceState } from '../state';
import { variablesOf } from './envFlags';
import { imageRuntype } from './runtype';

/**
 * What the container would have written. Image, arguments and scripts are shown as recorded and never run on this
 * computer; values of variables are not shown.
 */
export function containerLog(instance: InstanceState): string[] {
  const names = variablesOf(instance.env).map(([name]) => name);
  return [
    `[simulator] This machine is simulated: nothing below was run.`,
    `[simulator] image: ${instance.image}`,
    `[simulator] run type: ${imageRuntype(instance.access)}`,
    ...(instance.imageLogin === null ? [] : ['[simulator] private registry: credentials given']),
    ...(instance.args.length > 0 ? [`[simulator] arguments: ${instance.args.join(' ')}`] : []),
    ...(names.length > 0 ? [`[simulator] environment: ${names.join(', ')}`] : []),
    ...(instance.onstart
      ? [
          '[simulator] on-start script:',
          ...instance.onstart.split(/\r?\n/).map((line) => `[onstart] ${line}`),
        ]
      : []),
    ...(instance.actualStatus === 'running' ? ['[simulator] ready'] : []),
  ];
}

/** Lines that contain the filter, the last `tail` of them. */
export function selectLines(
  lines: readonly string[],
  filter: string | undefined,
  tail: number | undefined,
): string {
  const kept = filter === undefined ? lines : lines.filter((line) => line.includes(filter));
  const last = tail === undefined ? kept : tail <= 0 ? [] : kept.slice(-tail);
  return last.map((line) => `${line}\n`).join('');
}
