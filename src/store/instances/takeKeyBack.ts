import type { Client } from '../../api/client';
import { mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import type { CallOptions } from '../../api/http';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/**
 * Takes a key off an instance, and reads its keys until they prove that. Rejects if the service refused, or if
 * the key is still listed, or may be among those that can't be read.
 */
export async function takeKeyBack(
  { keys, detachKey }: Pick<Client['instances'], 'keys' | 'detachKey'>,
  instanceId: number,
  isIt: (publicKey: string) => boolean,
  options?: CallOptions,
): Promise<void> {
  const before = await keys(instanceId, options);
  const found = before.items.filter(({ publicKey }) => isIt(publicKey));
  for (const { id } of found) {
    try {
      await detachKey(instanceId, id, options);
    } catch (error) {
      // Another window may have been first, and a lost answer is looked up below.
      if (!(error instanceof NotFoundError) && !mayHaveTakenEffect(error)) {
        throw error;
      }
    }
  }
  const after = found.length === 0 ? before : await keys(instanceId, options);
  // Of a key that was listed, the others tell nothing.
  const unread = found.length === 0 ? 0 : before.skipped;
  if (after.skipped > unread || after.items.some(({ publicKey }) => isIt(publicKey))) {
    throw new StillThereError();
  }
}

class StillThereError extends UserError {
  constructor() {
    super(
      text(
        'The service does not show that the SSH key is off the instance. Refresh its keys, then try again, or destroy the instance.',
      ),
      { nextStep: 'retry' },
    );
  }
}
