import type { Client } from '../../api/client';
import { volumeName, type Volume } from '../../model/volume';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

export interface RemovedVolumes {
  readonly deleted: readonly Volume[];
  /** Why the other volumes still exist or may exist. */
  readonly problems: readonly unknown[];
}

/**
 * Deletes volumes one by one. A volume counts as deleted once the service no longer lists it. The client must belong
 * to the account that owns them: the list of another account lacks them in any case.
 */
export async function removeVolumes(
  { volumes: client }: Pick<Client, 'volumes'>,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<RemovedVolumes> {
  const sent = new Map<Volume, unknown>();
  for (const volume of volumes) {
    if (!signal.aborted) {
      sent.set(volume, await failureOf(client.remove(volume.id)));
    }
  }
  const { items, skipped } = await client.list();
  const left = new Set(items.map(({ id }) => id));
  // The record that could not be read may be one of them.
  const isLeft = ([{ id }, error]: readonly [Volume, unknown]) =>
    left.has(id) || (error !== undefined && skipped > 0);
  const all = [...sent];
  return {
    deleted: all.filter((each) => !isLeft(each)).map(([volume]) => volume),
    problems: all.filter(isLeft).map(([volume, error]) => error ?? new NotDeletedError(volume)),
  };
}

function failureOf(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

class NotDeletedError extends UserError {
  constructor(volume: Volume) {
    super(
      text(
        'The service still lists the volume {0}, which still costs money. Try again in half a minute.',
        volumeName(volume),
      ),
    );
  }
}
