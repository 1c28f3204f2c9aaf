import * as z from 'zod';
import { successAnswer, id, looseBoolean, looseNumber, looseString, rawString } from './field';

/**
 * A telephone number arrives masked, a TOTP secret never (docs/service/two-factor.md#methods). Times are Unix
 * seconds.
 */
export const tfaMethod = z.looseObject({
  id,
  user_id: looseNumber,
  method: looseString,
  label: looseString,
  phone_number: looseString,
  is_primary: looseBoolean,
  fail_count: looseNumber,
  locked_until: looseNumber,
  created_at: looseNumber,
  last_used: looseNumber,
});
export type WireTfaMethod = z.infer<typeof tfaMethod>;

/** GET tfa/status; `tfa_enabled` does not tell `enabled` from `legacy`. */
export const tfaStatusAnswer = z.looseObject({
  success: looseBoolean,
  tfa_enabled: looseBoolean,
  methods: z.array(z.unknown()),
  backup_codes_remaining: looseNumber,
  new_method_authorized: looseBoolean,
});

/** POST tfa: the user object. The fields below come only when due (docs/service/two-factor.md#log-in). */
export const tfaLoginAnswer = z.looseObject({
  id: id.optional(),
  session_key: rawString,
  backup_codes_remaining: looseNumber,
  legacy_tfa_user: looseBoolean,
});

/** POST email, sms, sms/resend and authorize-new-method; the backup-code flow answers without `secret`. */
export const tfaChallengeAnswer = z.looseObject({
  success: looseBoolean,
  msg: looseString,
  secret: rawString,
});

export const totpSetupAnswer = z.looseObject({
  secret: z.string().min(1),
  provisioning_uri: z.string().min(1),
});

/** POST confirm-new: the first method comes with the backup codes; PUT regen-backup-codes always. */
export const backupCodesAnswer = successAnswer.extend({
  /** Codes that cannot be read must not pass for codes that did not come. */
  backup_codes: z.array(z.string()).nullish(),
});

/** DELETE tfa: `remaining_methods` is left out with the last method. */
export const tfaRemoveAnswer = successAnswer.extend({
  remaining_methods: z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).nullish(),
});
