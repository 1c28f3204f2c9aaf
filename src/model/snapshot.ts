/** A container that is saved as an image in a registry of the user. */
export interface Snapshot {
  /** Host of the registry, with its port where needed. */
  readonly registry: string;
  /** `namespace/name`, without a registry, tag or digest. */
  readonly repository: string;
  readonly user: string;
  /** Goes to the service and to the host. */
  readonly password: string;
  /** Stops what runs while the container is read. */
  readonly pauses: boolean;
}

/** Returns true for the registry whose images are named without it. */
export function isDockerHub(registry: string): boolean {
  return ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'hub.docker.com'].includes(registry);
}

const part = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/** True for `namespace/name`, or more parts, as registries name repositories. */
export function isRepository(text: string): boolean {
  const parts = text.split('/');
  return text.length <= 200 && parts.length >= 2 && parts.every((one) => part.test(one));
}

/** Returns the image of a tag, as `docker pull` names it. */
export function snapshotImage({ registry, repository }: Pick<Snapshot, 'registry' | 'repository'>): string {
  return isDockerHub(registry) ? repository : `${registry}/${repository}`;
}

/** Returns the tag that a snapshot of this instance added, the last in the order of their names. */
export function newTag(
  before: readonly string[],
  after: readonly string[],
  instanceId: number,
): string | undefined {
  const isOurs = new RegExp(`(?<!\\d)${instanceId}(?!\\d)`);
  return after
    .filter((tag) => isOurs.test(tag) && !before.includes(tag))
    .sort()
    .at(-1);
}
