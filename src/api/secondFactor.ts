import type { SmsTarget, SecondFactorMethod, SecondFactorProof } from '../model/accounts/secondFactor';
import { defined } from '../util/defined';
import {
  backupCodesAnswer,
  secondFactorChallengeAnswer,
  secondFactorLoginAnswer,
  secondFactorMethod,
  secondFactorRemoveAnswer,
  secondFactorStatusAnswer,
  totpSetupAnswer,
  type WireSecondFactorMethod,
} from '../wire/secondFactor';
import type { Client } from './client';
import { NotUnderstoodError } from './errors';
import type { ApiRequest, CallOptions, Http } from './http';
import { readRecords } from './listing';
import { nonEmpty } from './modelValues';
import { read, sendWrite, write } from './request';
import { secondsAhead } from './serviceClock';

/**
 * Two-factor authentication as a client with a key calls it: each call carries the bearer
 * (docs/service/two-factor.md#callers).
 */
export function secondFactorApi(http: Http): Client['secondFactor'] {
  const challenge = async (request: ApiRequest, options: CallOptions | undefined) => {
    const { secret } = await http.call(request, secondFactorChallengeAnswer, options);
    return { secret: required(secret, request) };
  };
  return {
    status: async (options) => {
      const request = read('GET /api/v0/tfa/status/');
      let ahead = 0;
      const onHeaders: CallOptions['onHeaders'] = (headers, now) => {
        ahead = secondsAhead(headers, now);
      };
      const answer = await http.call(request, secondFactorStatusAnswer, { ...options, onHeaders });
      // A user whose methods are all of an unknown kind can still use backup codes and e-mail.
      const context = { http, route: request.route, isPart: true } as const;
      const toLocal = (wire: WireSecondFactorMethod) => toMethod(wire, ahead);
      const methods = await readRecords(answer.methods, knownMethod, toLocal, context);
      return {
        enabled: answer.tfa_enabled ?? answer.methods.length > 0,
        methods: methods.items,
        newMethodAuthorized: answer.new_method_authorized ?? false,
        skipped: methods.skipped,
        ...(answer.backup_codes_remaining === undefined
          ? {}
          : { backupCodesRemaining: answer.backup_codes_remaining }),
      };
    },
    logIn: async (proof, { admin, ...options } = {}) => {
      const body = { ...proofBody(proof), admin: admin ? true : undefined };
      const request = { ...write('POST /api/v0/tfa/'), body };
      const answer = await http.call(request, secondFactorLoginAnswer, options);
      return {
        sessionKey: required(answer.session_key, request),
        isLegacy: answer.legacy_tfa_user ?? false,
        // The service leaves the count out when no code is left (docs/service/two-factor.md#log-in).
        ...(proof.kind === 'backup' ? { backupCodesRemaining: answer.backup_codes_remaining ?? 0 } : {}),
      };
    },
    sendEmail: (secret, options) =>
      challenge(
        { ...write('POST /api/v0/tfa/email/'), body: secret === undefined ? {} : { secret } },
        options,
      ),
    sendSms: (target, options) =>
      challenge({ ...write('POST /api/v0/tfa/sms/'), body: smsBody(target) }, options),
    resendSms: (target, options) =>
      challenge({ ...write('POST /api/v0/tfa/sms/resend/'), body: smsBody(target) }, options),
    ...managementOf(http),
  };
}

type Management =
  | 'startAuthorization'
  | 'finishAuthorization'
  | 'setUpTotp'
  | 'confirmNew'
  | 'update'
  | 'remove'
  | 'regenerateBackupCodes';

function managementOf(http: Http): Pick<Client['secondFactor'], Management> {
  return {
    startAuthorization: async (by, options) => {
      const body =
        by.kind === 'backup'
          ? { backup_code: by.backupCode }
          : { tfa_method: by.factor, tfa_method_id: by.methodId };
      const request = { ...write('POST /api/v0/tfa/authorize-new-method/'), body };
      const { secret } = await http.call(request, secondFactorChallengeAnswer, options);
      // A backup code authorizes at once and answers without a secret.
      return by.kind === 'backup' ? {} : { secret: required(secret, request) };
    },
    finishAuthorization: ({ code, secret }, options) =>
      sendWrite(http, { ...write('PUT /api/v0/tfa/authorize-new-method/'), body: { code, secret } }, options),
    setUpTotp: async (options) => {
      const answer = await http.call(write('POST /api/v0/tfa/totp-setup/'), totpSetupAnswer, options);
      return { secret: answer.secret, uri: answer.provisioning_uri };
    },
    confirmNew: async (method, options) => {
      const request = {
        ...write('POST /api/v0/tfa/confirm-new/'),
        body: {
          tfa_method: method.type,
          code: method.code,
          secret: method.secret,
          phone_number: method.type === 'sms' ? method.phone : undefined,
          label: method.label,
        },
      };
      const answer = await http.call(request, backupCodesAnswer, options);
      return answer.backup_codes ? { backupCodes: answer.backup_codes } : {};
    },
    update: (methodId, { label, isPrimary }, options) => {
      const body = { tfa_method_id: methodId, label, is_primary: isPrimary };
      return sendWrite(http, { ...write('PUT /api/v0/tfa/update/'), body }, options);
    },
    remove: async (targetId, proof, options) => {
      // `target_id` is sent even if it is optional: the service must not choose what is
      // removed. A legacy account has no methods and so nothing to name.
      const body = { ...proofBody(proof), target_id: targetId };
      const request = { ...write('DELETE /api/v0/tfa/'), body };
      const { remaining_methods, msg = '' } = await http.call(request, secondFactorRemoveAnswer, options);
      // Only the end of 2FA has no number, which its text states (docs/service/two-factor.md#remove-a-method).
      return /disabled/i.test(msg) ? {} : { remaining: required(remaining_methods, request) };
    },
    regenerateBackupCodes: async (proof, options) => {
      const request = { ...write('PUT /api/v0/tfa/regen-backup-codes/'), body: proofBody(proof) };
      const answer = await http.call(request, backupCodesAnswer, options);
      return required(answer.backup_codes, request);
    },
  };
}

function proofBody(proof: SecondFactorProof): Record<string, unknown> {
  return proof.kind === 'backup'
    ? { backup_code: proof.backupCode }
    : {
        tfa_method: proof.factor,
        code: proof.code,
        secret: proof.secret,
        tfa_method_id: proof.methodId,
      };
}

function smsBody({ methodId, phone, secret }: SmsTarget): Record<string, unknown> {
  return { phone_number: phone, tfa_method_id: methodId, secret };
}

/** Without this value the flow can't continue, at any status. */
function required<T>(value: T | null | undefined, { route, repeat }: ApiRequest): T {
  if (value === undefined || value === null || (typeof value === 'string' && value === '')) {
    throw new NotUnderstoodError({ route, isWrite: repeat === 'write', status: 200 });
  }
  return value;
}

const knownMethod = secondFactorMethod.refine(
  (wire) => wire.method === 'sms' || wire.method === 'totp',
  'neither sms nor totp',
);

/** The service masks numbers; one that arrives in full is masked here. */
function masked(phone: string): string {
  const digits = phone.replace(/\D/g, '').length;
  let before = 0;
  return phone.replace(/[\d+]/g, (sign) => {
    before += sign === '+' ? 0 : 1;
    return digits - before >= 4 ? '*' : sign;
  });
}

/** `ahead`: seconds by which this computer's clock is ahead of the service's. */
function toMethod(wire: WireSecondFactorMethod, ahead: number): SecondFactorMethod {
  return defined<SecondFactorMethod>({
    id: wire.id,
    type: wire.method === 'sms' ? 'sms' : 'totp',
    label: nonEmpty(wire.label),
    phone: nonEmpty(wire.phone_number && masked(wire.phone_number)),
    isPrimary: wire.is_primary ?? false,
    failCount: wire.fail_count,
    lockedUntil: wire.locked_until === undefined ? undefined : wire.locked_until + ahead,
    createdAt: wire.created_at,
    lastUsedAt: wire.last_used,
  });
}
