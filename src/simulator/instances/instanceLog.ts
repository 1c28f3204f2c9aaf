import { unpackedScript } from '../login/guardOfJob';
import type { InstanceState } from '../state';
import { variablesOf } from './envFlags';
import { imageRuntype } from './runtype';

/**
 * Returns the lines that the container would have written. Image, arguments and scripts
 * are shown as recorded and never run on this computer; values of variables are not shown.
 */
export function containerLog(instance: InstanceState, hostKey?: Buffer): string[] {
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
          ...instance.onstart
            .split(/\r?\n/)
            .filter((line) => !line.endsWith(startLineMark))
            .map((line) => `[onstart] ${line}`),
          ...printedHostKey(instance, hostKey),
        ]
      : []),
    ...(instance.actualStatus === 'running' ? ['[simulator] ready'] : []),
  ];
}

const startLineMark = '# GPU Rental: prints the host key';

/** Plays the start line of a client that prints the host keys (docs/ssh.md#first-contact), whose script is not run. */
function printedHostKey({ actualStatus, onstart }: InstanceState, hostKey: Buffer | undefined): string[] {
  const line = unpackedScript(onstart ?? '')
    .split('\n')
    .find((one) => one.endsWith(startLineMark));
  const [, token] = /\[gpu-rental ([0-9a-f]{24}) /.exec(line ?? '') ?? [];
  if (actualStatus !== 'running' || hostKey === undefined || token === undefined) {
    return [];
  }
  return [`[gpu-rental ${token} ssh-ed25519 ${hostKey.toString('base64')} ]${token}`];
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

/**
 * Statuses from which an instance that is meant to run never recovers (docs/service/instances.md#failed-statuses).
 */
export const failureStatuses: readonly string[] = ['exited', 'unknown', 'offline', 'created'];

/** True when a start needs no download. */
export function imageOnMachine(instance: InstanceState): boolean {
  return instance.startedAt !== null;
}

/** The messages of the host while it prepares the machine, in order. */
export function bootMessages(instance: InstanceState): readonly string[] {
  const starting = [
    `Creating container C.${instance.id}`,
    instance.access.ssh ? 'Starting sshd and waiting for the first answer' : 'Starting the image entrypoint',
  ];
  return imageOnMachine(instance)
    ? starting
    : [
        `Pulling from ${instance.image}`,
        `Downloading ${instance.image}: 38%`,
        `Downloading ${instance.image}: 81%`,
        `Extracting ${instance.image}`,
        ...starting,
      ];
}
