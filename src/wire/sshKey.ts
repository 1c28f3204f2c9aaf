import * as z from 'zod';
import { id, looseNumber, looseString } from './field';

/** Account keys name the text `key`, `public_key` or `ssh_key` (docs/service/ssh-keys.md#record). */
export const sshKey = z.looseObject({
  id,
  user_id: looseNumber,
  name: looseString,
  public_key: looseString,
  key: looseString,
  ssh_key: looseString,
  created_at: z.union([z.string(), z.number()]).nullish().catch(undefined),
  deleted_at: z.union([z.string(), z.number()]).nullish().catch(undefined),
});
export type WireSshKey = z.infer<typeof sshKey>;

/** GET /ssh/ answers a bare array, to some clients an object (docs/service/ssh-keys.md#account-keys). */
export const sshKeyList = z.union([z.array(z.unknown()), z.looseObject({ ssh_keys: z.array(z.unknown()) })]);

/**
 * POST /ssh/ answers the record under `key`; a bare record is accepted as well
 * (docs/service/ssh-keys.md#account-keys).
 */
export const addedSshKey = z.looseObject({ key: z.unknown().optional() });
