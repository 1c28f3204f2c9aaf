import * as z from 'zod';
import { startWatchShape } from '../../model/rentals/startWatch';
import type { Log } from '../../util/log';
import { JsonFile } from '../jsonFile';
import { KeptFile } from '../keptFile';
import { accountPath } from '../accounts/accountFiles';

const readinessContent = z.object({
  version: z.literal(1),
  watches: z.array(startWatchShape),
  /** Troubles that were reported, so that each is reported once. */
  troubles: z.array(z.tuple([z.number(), z.string()])),
  /** When each watched start or reboot was requested. */
  begun: z.array(z.tuple([z.number(), z.number()])),
});

/** Returns the file in which an account's starting machines survive a restart. */
export function readinessFile(storageDir: string, accountKey: string, log: Log) {
  const file = new JsonFile(accountPath(storageDir, accountKey, 'readiness.json'), readinessContent, log);
  return new KeptFile(file, log, 'The machines on their way could not be read');
}
