import type { InstanceState } from '../state';

/**
 * Statuses from which an instance that is meant to run never comes back
 * (docs/service/instances.md#failed-statuses).
 */
export const failureStatuses: readonly string[] = ['exited', 'unknown', 'offline', 'created'];

/** True when a start needs no download. */
export function imageOnMachine(instance: InstanceState): boolean {
  return instance.startedAt !== null;
}

/** What the host says while it prepares the machine, in order. */
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
