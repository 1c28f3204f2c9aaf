import { join } from 'node:path';
import * as z from 'zod';
import { startWatchShape } from '../../model/rentals/startWatch';
import { JsonFile } from '../jsonFile';

const readinessContent = z.object({
  version: z.literal(1),
  watches: z.array(startWatchShape),
  /** The trouble that was told of a machine, so that it is told once. */
  troubles: z.array(z.tuple([z.number(), z.string()])),
  /** When the start or reboot was asked for that is or was watched. */
  begun: z.array(z.tuple([z.number(), z.number()])),
});

/** Where the machines of an account that are on their way survive a restart. */
export function readinessFile(storageDir: string, accountKey: string) {
  return new JsonFile(join(storageDir, 'readiness', `${accountKey}.json`), readinessContent);
}
