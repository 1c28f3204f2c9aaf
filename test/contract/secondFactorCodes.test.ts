import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { errorCodes } from '../../src/api/errorCodes';
import {
  ApiError,
  ForbiddenError,
  GoneError,
  NotFoundError,
  RefusedError,
  UnauthorizedError,
} from '../../src/api/errors';
import { formatText } from '../../src/util/text';
import { useClients } from '../support/apiClient';
import { startTestSimulator, type TestSimulator } from '../support/startSimulator';

/**
 * Each code with its status (docs/service/two-factor.md#error-codes). No source says which operation answers
 * which code, so any may.
 */
const codes: Readonly<Record<number, string>> = {
  400: `bad_request invalid_tfa_method missing_auth_value missing_params email_not_verified 2fa_expired
    challenge_not_found no_challenge_found tfa_challenge_exists no_pending_authorization duplicate_tfa_method
    twilio_error phone_number_mismatch 2fa_login_failed 2fa_verification_failed missing_email
    missing_phone_number tfa_method_not_configured sms_blocked_number untracked_2fa_found`,
  401: 'missing_auth_value invalid_backup_code auth_error',
  403: 'auth_error authorization_required team_user_forbidden sms_fraud_detected',
  404: 'not_found auth_error',
  429: 'tfa_locked sms_rate_limited preauth_phone_cap twilio_rate_limited',
  500: 'challenge_creation_failed',
  503: 'service_unavailable',
};
const documented = Object.entries(codes).flatMap(([status, names]) =>
  names.split(/\s+/).map((code) => ({ status: Number(status), code })),
);

const proof = { kind: 'code', factor: 'totp', code: '123456', methodId: 1 } as const;
const operations: Readonly<
  Record<
    string,
    { readonly path: string; readonly call: (secondFactor: Client['secondFactor']) => Promise<unknown> }
  >
> = {
  'GET status': { path: 'status/', call: (secondFactor) => secondFactor.status() },
  'POST tfa': { path: '', call: (secondFactor) => secondFactor.logIn(proof) },
  'POST email': { path: 'email/', call: (secondFactor) => secondFactor.sendEmail() },
  'POST sms': { path: 'sms/', call: (secondFactor) => secondFactor.sendSms({ methodId: 2 }) },
  'POST sms/resend': { path: 'sms/resend/', call: (secondFactor) => secondFactor.resendSms({ methodId: 2 }) },
  'POST authorize-new-method': {
    path: 'authorize-new-method/',
    call: (secondFactor) => secondFactor.startAuthorization({ kind: 'code', factor: 'totp', methodId: 1 }),
  },
  'PUT authorize-new-method': {
    path: 'authorize-new-method/',
    call: (secondFactor) => secondFactor.finishAuthorization({ code: '123456', secret: 's' }),
  },
  'POST totp-setup': { path: 'totp-setup/', call: (secondFactor) => secondFactor.setUpTotp() },
  'POST confirm-new': {
    path: 'confirm-new/',
    call: (secondFactor) => secondFactor.confirmNew({ type: 'totp', code: '123456', secret: 's' }),
  },
  'PUT update': { path: 'update/', call: (secondFactor) => secondFactor.update(1, { isPrimary: true }) },
  'DELETE tfa': { path: '', call: (secondFactor) => secondFactor.remove(1, proof) },
  'PUT regen-backup-codes': {
    path: 'regen-backup-codes/',
    call: (secondFactor) => secondFactor.regenerateBackupCodes(proof),
  },
};

/** By the code alone, whatever the status: a wrong code must not look like a wrong key, nor a locked method like a rate limit. */
function classOf(code: string): abstract new (...args: never[]) => Error {
  const kinds = {
    unauthorized: UnauthorizedError,
    forbidden: ForbiddenError,
    notFound: NotFoundError,
    gone: GoneError,
    refused: RefusedError,
  };
  const meaning = errorCodes[code];
  assert.ok(meaning, `${code} has no sentence`);
  return kinds[meaning.kind];
}

describe('each documented code of two-factor authentication', () => {
  for (const [name, { path, call }] of Object.entries(operations)) {
    describe(name, () => {
      const clients = useClients();
      let simulator: TestSimulator;
      before(async () => {
        simulator = await startTestSimulator();
      });
      after(() => simulator.close());

      for (const { status, code } of documented) {
        it(`${status} ${code} has its own message, and is requested again only by a read`, async () => {
          const { client } = clients.connect(simulator);
          const seen = simulator.requests().at(-1)?.seq ?? 0;
          simulator.faults.clear();
          const msg = 'words of the service';
          const extra = code === 'tfa_locked' ? { fail_count: 5, locked_until: 1_900_000_000 } : {};
          simulator.fail({
            kind: 'answer',
            path: `/api/v0/tfa/${path}`,
            status,
            body: { success: false, error: code, msg, ...extra },
            times: 0,
          });
          await assert.rejects(call(client.secondFactor), (error: unknown) => {
            assert.ok(error instanceof ApiError);
            assert.ok(error instanceof classOf(code), `${error.name}: ${error.message}`);
            assert.equal(error.code, code);
            const sentence = formatText(errorCodes[code]?.text ?? '');
            assert.ok(error.message.startsWith(sentence), error.message);
            if (code === 'tfa_locked' && error instanceof RefusedError) {
              assert.deepEqual([error.failCount, error.lockedUntil], [5, 1_900_000_000]);
            }
            return true;
          });
          // A read is repeated after a failure of the service; a refusal never, and no write.
          const isRepeated = name.startsWith('GET') && status >= 500;
          assert.equal(simulator.requests(seen).length, isRepeated ? 3 : 1);
        });
      }
    });
  }
});
