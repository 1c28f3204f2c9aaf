import * as z from 'zod';
import { flags, id, looseTime, numbers, rawTexts, texts } from './field';

/** GET users/current (docs/service/users.md#record). */
export const user = z.looseObject({
  id,
  ...numbers('key_id', 'balance', 'credit'),
  ...texts('email', 'username', 'fullname', 'full_name', 'tfa_status'),
  ...rawTexts('ssh_key'),
  email_verified_at: looseTime,
  ...flags('email_verified', 'is_admin'),
});
export type WireUser = z.infer<typeof user>;
