import type { Client } from '../../../api/client';
import { mayHaveTakenEffect } from '../../../api/errors';
import { volumeName, type Volume } from '../../../model/volume';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';

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
  const all = [...sent];
  let listed: Awaited<ReturnType<typeof client.list>>;
  try {
    listed = await client.list();
  } catch (unread) {
    const isRefused = (error: unknown) => error !== undefined && !mayHaveTakenEffect(error);
    const problems = all.map(([volume, error]) =>
      isRefused(error) ? error : new NotConfirmedError(volume, unread),
    );
    return { deleted: [], problems };
  }
  const { items, skipped } = listed;
  const remaining = new Set(items.map(({ id }) => id));
  // The record that could not be read may be one of them.
  const remains = ([{ id }, error]: readonly [Volume, unknown]) =>
    remaining.has(id) || (error !== undefined && skipped > 0);
  return {
    deleted: all.filter((each) => !remains(each)).map(([volume]) => volume),
    problems: all.filter(remains).map(([volume, error]) => error ?? new NotDeletedError(volume)),
  };
}

function failureOf(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

class NotConfirmedError extends UserError {
  constructor(volume: Volume, cause: unknown) {
    super(
      text(
        'The service did not confirm that the volume {0} is deleted. If it is not, it still costs money. Refresh to check.',
        volumeName(volume),
      ),
      { cause },
    );
  }
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
