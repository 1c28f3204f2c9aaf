import * as z from 'zod';
import { id, looseBoolean, looseNumber, looseString, rawString } from './field';

/** GET users/current (docs/service/users.md#record). */
export const user = z.looseObject({
  id,
  key_id: looseNumber,
  email: looseString,
  username: looseString,
  fullname: looseString,
  full_name: looseString,
  balance: looseNumber,
  credit: looseNumber,
  ssh_key: rawString,
  sid: rawString,
  tfa_status: looseString,
  email_verified_at: z.union([z.number(), z.string(), z.null()]).optional().catch(undefined),
  email_verified: looseBoolean,
  is_admin: looseBoolean,
});
export type WireUser = z.infer<typeof user>;
