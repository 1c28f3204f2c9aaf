import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { ForbiddenError, NotFoundError } from '../../src/api/errors';
import type { SecondFactorLogin, SecondFactorStatus, TotpSetup } from '../../src/model/accounts/secondFactor';
import { describeFailures, refused, type MatrixOperation, type Refusal } from '../support/failureMatrix';
import { lastCode, orderAccount, totpCode, type OrderedAccount } from '../support/secondFactorAccount';
import type { TestSimulator } from '../support/startSimulator';

/** What `prepare` leaves for `call` beside a number; each test starts by preparing. */
interface Prepared {
  account?: OrderedAccount;
  simulator?: TestSimulator;
  code?: string;
  secret?: string;
}

function operation(
  make: (prepared: Prepared) => Omit<MatrixOperation, 'repeat' | 'prepare'> & {
    readonly repeat?: 'read';
    readonly prepare?: (simulator: TestSimulator, client: Client) => Promise<number>;
  },
): void {
  const prepared: Prepared = {};
  const { prepare, ...rest } = make(prepared);
  describeFailures({
    repeat: 'write',
    ...rest,
    prepare: async (simulator, client) => {
      prepared.simulator = simulator;
      const accountId = simulator.world.accounts[0]?.id ?? 0;
      prepared.account = await orderAccount(simulator, 'both', { accountId, demanded: false });
      return (await prepare?.(simulator, client)) ?? 0;
    },
  });
}

const codeOf = (prepared: Prepared) =>
  prepared.simulator && prepared.account ? totpCode(prepared.simulator, prepared.account.totpSecret) : '';
const lastBody = (simulator: TestSimulator) => simulator.received().at(-1)?.body;

const wrongCode = refused(400, '2fa_verification_failed', /code is wrong/, 'retry');
const locked = refused(429, 'tfa_locked', /locked for 15 minutes/);
const expired = refused(400, '2fa_expired', /no longer valid/, 'retry');
const noChallenge = refused(400, 'challenge_not_found', /no longer valid/, 'retry');
const unverified = refused(400, 'email_not_verified', /not verified/, 'openConsole');
const missing = refused(400, 'missing_params', /value is missing/i);
const badBackup = refused(401, 'invalid_backup_code', /backup code is wrong/, 'retry');
const notConfigured = refused(400, 'tfa_method_not_configured', /not set up/);
const notFound: Refusal = {
  status: 404,
  code: 'not_found',
  error: NotFoundError,
  message: /does not know/,
  nextStep: 'retry',
};
const teamUser: Refusal = {
  status: 403,
  code: 'team_user_forbidden',
  error: ForbiddenError,
  message: /team account/,
  nextStep: 'signIn',
};
const untracked = refused(400, 'untracked_2fa_found', /only the web console/, 'openConsole');

operation(() => ({
  name: 'secondFactor.status',
  method: 'GET',
  path: '/api/v0/tfa/status/',
  repeat: 'read',
  call: (client, _, options) => client.secondFactor.status(options),
  succeeds: (result) => {
    const { methods, ...rest } = result as SecondFactorStatus;
    assert.deepEqual(rest, {
      enabled: true,
      backupCodesRemaining: 10,
      newMethodAuthorized: false,
      skipped: 0,
    });
    assert.deepEqual(
      methods.map((method) => [method.type, method.label, method.phone, method.isPrimary]),
      [
        ['totp', 'Authenticator', undefined, true],
        ['sms', 'Phone', '********0142', false],
      ],
    );
  },
}));

operation((prepared) => ({
  name: 'secondFactor.logIn',
  method: 'POST',
  path: '/api/v0/tfa/',
  prepare: () => {
    prepared.code = codeOf(prepared);
    return Promise.resolve(0);
  },
  call: (client, _, options) =>
    client.secondFactor.logIn(
      { kind: 'code', factor: 'totp', code: prepared.code ?? '', methodId: 1 },
      options,
    ),
  succeeds: (result, simulator) => {
    const { sessionKey, ...rest } = result as SecondFactorLogin;
    assert.ok(sessionKey.length > 20);
    assert.deepEqual(rest, { isLegacy: false });
    assert.deepEqual(lastBody(simulator), {
      tfa_method: 'totp',
      code: prepared.code,
      tfa_method_id: 1,
    });
  },
  refusals: [
    wrongCode,
    locked,
    expired,
    noChallenge,
    missing,
    badBackup,
    notConfigured,
    notFound,
    refused(400, '2fa_login_failed', /no longer valid/, 'retry'),
    refused(400, 'invalid_tfa_method', /not set up for the account/),
    refused(400, 'bad_request', /did not accept the request/),
    refused(401, 'missing_auth_value', /no longer valid/, 'signIn'),
  ],
}));

operation(() => ({
  name: 'secondFactor.sendEmail',
  method: 'POST',
  path: '/api/v0/tfa/email/',
  call: (client, _, options) => client.secondFactor.sendEmail(undefined, options),
  succeeds: (result, simulator) => {
    assert.ok((result as { secret: string }).secret.length > 20);
    assert.deepEqual(lastBody(simulator), {});
  },
  refusals: [unverified, refused(400, 'missing_email', /no e-mail address/, 'openConsole')],
}));

const smsRefusals: Refusal[] = [
  unverified,
  refused(400, 'missing_phone_number', /no phone number/),
  refused(400, 'phone_number_mismatch', /same number/),
  refused(400, 'twilio_error', /could not be sent/, 'retry'),
  refused(400, 'sms_blocked_number', /No text messages/),
  refused(429, 'sms_rate_limited', /Too many text messages/),
  refused(429, 'preauth_phone_cap', /Too many text messages/),
  refused(429, 'twilio_rate_limited', /Too many text messages/),
  refused(500, 'challenge_creation_failed', /problem of its own/, 'retry'),
  refused(503, 'service_unavailable', /problem of its own/, 'retry'),
  {
    status: 403,
    code: 'sms_fraud_detected',
    error: ForbiddenError,
    message: /another number or method/,
    nextStep: 'none',
  },
];

operation(() => ({
  name: 'secondFactor.sendSms',
  method: 'POST',
  path: '/api/v0/tfa/sms/',
  call: (client, _, options) => client.secondFactor.sendSms({ methodId: 2 }, options),
  succeeds: (result, simulator) => {
    assert.ok((result as { secret: string }).secret.length > 20);
    assert.deepEqual(lastBody(simulator), { tfa_method_id: 2 });
  },
  refusals: [...smsRefusals, refused(400, 'tfa_challenge_exists', /sent again/, 'retry'), notFound],
}));

operation((prepared) => ({
  name: 'secondFactor.resendSms',
  method: 'POST',
  path: '/api/v0/tfa/sms/resend/',
  prepare: async (_, client) => {
    prepared.secret = (await client.secondFactor.sendSms({ methodId: 2 })).secret;
    return 0;
  },
  call: (client, _, options) =>
    client.secondFactor.resendSms(
      { phone: prepared.account?.phone ?? '', secret: prepared.secret ?? '' },
      options,
    ),
  succeeds: (result, simulator) => {
    assert.deepEqual(result, { secret: prepared.secret });
    assert.deepEqual(lastBody(simulator), {
      phone_number: prepared.account?.phone,
      secret: prepared.secret,
    });
  },
  refusals: [
    ...smsRefusals,
    refused(400, 'no_challenge_found', /No code was sent/, 'retry'),
    noChallenge,
    expired,
  ],
}));

operation(() => ({
  name: 'secondFactor.startAuthorization',
  method: 'POST',
  path: '/api/v0/tfa/authorize-new-method/',
  call: (client, _, options) =>
    client.secondFactor.startAuthorization({ kind: 'code', factor: 'totp', methodId: 1 }, options),
  succeeds: (result, simulator) => {
    assert.ok((result as { secret?: string }).secret);
    assert.deepEqual(lastBody(simulator), { tfa_method: 'totp', tfa_method_id: 1 });
  },
  refusals: [unverified, badBackup, notConfigured, notFound, missing, teamUser],
}));

operation((prepared) => ({
  name: 'secondFactor.finishAuthorization',
  method: 'PUT',
  path: '/api/v0/tfa/authorize-new-method/',
  prepare: async (_, client) => {
    prepared.secret =
      (await client.secondFactor.startAuthorization({ kind: 'code', factor: 'totp' })).secret ?? '';
    prepared.code = codeOf(prepared);
    return 0;
  },
  call: (client, _, options) =>
    client.secondFactor.finishAuthorization(
      { code: prepared.code ?? '', secret: prepared.secret ?? '' },
      options,
    ),
  succeeds: (result, simulator) => {
    assert.equal(result, undefined);
    assert.deepEqual(lastBody(simulator), { code: prepared.code, secret: prepared.secret });
  },
  refusals: [
    wrongCode,
    locked,
    expired,
    missing,
    teamUser,
    refused(400, 'no_pending_authorization', /Authorize it again/, 'retry'),
  ],
}));

operation(() => ({
  name: 'secondFactor.setUpTotp',
  method: 'POST',
  path: '/api/v0/tfa/totp-setup/',
  call: (client, _, options) => client.secondFactor.setUpTotp(options),
  succeeds: (result, simulator) => {
    const { secret, uri } = result as TotpSetup;
    assert.match(secret, /^[A-Z2-7]{32}$/);
    assert.ok(uri.startsWith('otpauth://totp/') && uri.includes(secret));
    assert.equal(lastBody(simulator), '');
  },
}));

operation((prepared) => ({
  name: 'secondFactor.confirmNew',
  method: 'POST',
  path: '/api/v0/tfa/confirm-new/',
  prepare: async (simulator, client) => {
    await client.secondFactor.startAuthorization({
      kind: 'backup',
      backupCode: prepared.account?.backupCodes[0] ?? '',
    });
    prepared.secret = (await client.secondFactor.sendSms({ phone: '+14155550177' })).secret;
    prepared.code = await lastCode(simulator);
    return 0;
  },
  call: (client, _, options) =>
    client.secondFactor.confirmNew(
      {
        type: 'sms',
        code: prepared.code ?? '',
        secret: prepared.secret ?? '',
        phone: '+14155550177',
        label: 'Second phone',
      },
      options,
    ),
  succeeds: (result, simulator) => {
    assert.deepEqual(result, {}, 'backup codes come with the first method alone');
    assert.deepEqual(lastBody(simulator), {
      tfa_method: 'sms',
      code: prepared.code,
      secret: prepared.secret,
      phone_number: '+14155550177',
      label: 'Second phone',
    });
  },
  refusals: [
    wrongCode,
    locked,
    expired,
    noChallenge,
    missing,
    teamUser,
    untracked,
    refused(400, 'duplicate_tfa_method', /set up already/),
    refused(400, 'missing_phone_number', /no phone number/),
    refused(400, 'phone_number_mismatch', /same number/),
    refused(403, 'authorization_required', /missing or has expired/, 'retry'),
  ],
}));

operation(() => ({
  name: 'secondFactor.update',
  method: 'PUT',
  path: '/api/v0/tfa/update/',
  call: (client, _, options) => client.secondFactor.update(2, { label: 'Mine', isPrimary: true }, options),
  succeeds: (result, simulator) => {
    assert.equal(result, undefined);
    assert.deepEqual(lastBody(simulator), { tfa_method_id: 2, label: 'Mine', is_primary: true });
  },
  refusals: [missing, notFound, teamUser, untracked],
}));

operation((prepared) => ({
  name: 'secondFactor.remove',
  method: 'DELETE',
  path: '/api/v0/tfa/',
  call: (client, _, options) =>
    client.secondFactor.remove(
      2,
      { kind: 'backup', backupCode: prepared.account?.backupCodes[0] ?? '' },
      options,
    ),
  succeeds: (result, simulator) => {
    assert.deepEqual(result, { remaining: 1 });
    assert.deepEqual(lastBody(simulator), {
      backup_code: prepared.account?.backupCodes[0],
      target_id: 2,
    });
  },
  refusals: [wrongCode, locked, expired, noChallenge, missing, badBackup, notConfigured, notFound, teamUser],
}));

operation((prepared) => ({
  name: 'secondFactor.regenerateBackupCodes',
  method: 'PUT',
  path: '/api/v0/tfa/regen-backup-codes/',
  prepare: async (simulator, client) => {
    prepared.secret = (await client.secondFactor.sendEmail()).secret;
    prepared.code = await lastCode(simulator);
    return 0;
  },
  call: (client, _, options) =>
    client.secondFactor.regenerateBackupCodes(
      { kind: 'code', factor: 'email', code: prepared.code ?? '', secret: prepared.secret ?? '' },
      options,
    ),
  succeeds: (result, simulator) => {
    assert.equal((result as string[]).length, 10);
    assert.deepEqual(lastBody(simulator), {
      tfa_method: 'email',
      code: prepared.code,
      secret: prepared.secret,
    });
  },
  refusals: [wrongCode, locked, expired, noChallenge, missing, badBackup, notConfigured, teamUser, untracked],
}));
