import type { Client } from '../../../api/client';
import { mayHaveTakenEffect } from '../../../api/errors';
import type { Volume } from '../../../model/volume';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';

/** The service may list a volume a little after it answered; the rate limit spaces these reads. */
const mostReads = 3;

export interface MadeVolume {
  /** Undefined if the service accepted the request but does not list the volume yet. */
  readonly volume: Volume | undefined;
  /** The request had no answer, and the list shows that it took effect. */
  readonly answerWasLost: boolean;
}

/**
 * Sends a request that creates a volume, once, and then reads the list until it shows the volume. `isIt` recognizes it
 * without its id, among the volumes that `before` lacks. Rejects if the service refused, or if nothing shows whether it
 * was created.
 */
export async function makeVolume(
  client: Pick<Client['volumes'], 'list'>,
  wanted: {
    readonly name: string;
    readonly before: ReadonlySet<number>;
    readonly isIt: (volume: Volume) => boolean;
    readonly send: () => Promise<{ readonly id?: number }>;
  },
): Promise<MadeVolume> {
  let made: { readonly id?: number } | undefined;
  let lost: unknown;
  try {
    made = await wanted.send();
  } catch (error) {
    if (!mayHaveTakenEffect(error)) {
      throw error;
    }
    lost = error;
  }
  const isIt = (volume: Volume) =>
    made?.id === undefined ? !wanted.before.has(volume.id) && wanted.isIt(volume) : volume.id === made.id;
  let volume: Volume | undefined;
  for (let reads = 0; reads < mostReads && !volume; reads += 1) {
    // A list that can't be read shows nothing, so the next one counts.
    volume = (await client.list().catch(() => undefined))?.items.find(isIt);
  }
  if (!volume && !made) {
    throw new NotConfirmedVolumeError(wanted.name, lost);
  }
  return { volume, answerWasLost: made === undefined };
}

class NotConfirmedVolumeError extends UserError {
  constructor(name: string, cause: unknown) {
    super(
      text(
        'The service did not answer, so the volume {0} may have been created and cost money. Refresh the list before you try again.',
        name,
      ),
      { cause },
    );
  }
}
