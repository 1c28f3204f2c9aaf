import * as z from 'zod';
import { id, looseList, looseTime, numbers, texts } from './field';

/** Account keys name the text `key`, `public_key` or `ssh_key` (docs/service/ssh-keys.md#record). */
export const sshKey = z.looseObject({
  id,
  ...numbers('user_id'),
  ...texts('name', 'public_key', 'key', 'ssh_key'),
  created_at: looseTime,
});
export type WireSshKey = z.infer<typeof sshKey>;

/** GET /ssh/ answers a bare array, to some clients an object (docs/service/ssh-keys.md#account-keys). */
export const sshKeyList = looseList('ssh_keys');

/**
 * POST /ssh/ answers the record under `key`; a bare record is accepted as well
 * (docs/service/ssh-keys.md#account-keys).
 */
export const addedSshKey = z.looseObject({ key: z.unknown().optional() });
