import * as z from 'zod';
import { flags, id, numbers, rawTexts, successAnswer, texts } from './field';

/**
 * A telephone number arrives masked, a TOTP secret never (docs/service/two-factor.md#methods). Times are Unix
 * seconds.
 */
export const secondFactorMethod = z.looseObject({
  id,
  ...texts('method', 'label', 'phone_number'),
  ...flags('is_primary'),
  ...numbers('user_id', 'fail_count', 'locked_until', 'created_at', 'last_used'),
});
export type WireSecondFactorMethod = z.infer<typeof secondFactorMethod>;

/** GET tfa/status; `tfa_enabled` does not distinguish `enabled` from `legacy`. */
export const secondFactorStatusAnswer = z.looseObject({
  ...flags('success', 'tfa_enabled', 'new_method_authorized'),
  ...numbers('backup_codes_remaining'),
  methods: z.array(z.unknown()),
});

/** POST tfa: the user object. The fields below are present only when due (docs/service/two-factor.md#log-in). */
export const secondFactorLoginAnswer = z.looseObject({
  id: id.optional().catch(undefined),
  ...rawTexts('session_key'),
  ...numbers('backup_codes_remaining'),
  ...flags('legacy_tfa_user'),
});

/** POST email, sms, sms/resend and authorize-new-method; the backup-code flow answers without `secret`. */
export const secondFactorChallengeAnswer = z.looseObject({
  ...flags('success'),
  ...texts('msg'),
  ...rawTexts('secret'),
});

export const totpSetupAnswer = z.looseObject({
  secret: z.string().min(1),
  provisioning_uri: z.string().min(1),
});

/** POST confirm-new: the first method has the backup codes; PUT regen-backup-codes always. */
export const backupCodesAnswer = successAnswer.extend({
  /** Unreadable codes must not pass for missing codes. */
  backup_codes: z.array(z.string()).nullish(),
});

/** DELETE tfa: `remaining_methods` is left out with the last method. */
export const secondFactorRemoveAnswer = successAnswer.extend({
  remaining_methods: z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).nullish(),
});
