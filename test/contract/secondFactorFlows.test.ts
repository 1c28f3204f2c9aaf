import assert from 'node:assert/strict';
import { NotUnderstoodError, RefusedError, UnauthorizedError, ForbiddenError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { lastCode, orderAccount, otherThan, totpCode } from '../support/secondFactorAccount';
import { useSimulators } from '../support/startSimulator';

describe('the second factor, from the client', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('opens an account that demands it: the key alone is accepted for users/current and tfa/*', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'totp');
    const { client } = clients.connect(simulator, { key: account.key });
    assert.equal((await client.users.current()).tfaStatus, 'enabled');
    await assert.rejects(
      client.instances.list(),
      (error) => error instanceof UnauthorizedError && error.code === 'auth_error',
    );
    const proof = {
      kind: 'code',
      factor: 'totp',
      code: totpCode(simulator, account.totpSecret),
    } as const;
    const { sessionKey } = await client.secondFactor.logIn(proof);
    const { client: inSession } = clients.connect(simulator, { key: sessionKey });
    assert.deepEqual((await inSession.instances.list()).items, []);
    assert.equal((await inSession.users.current()).email, account.email);
  });

  it('ends with its session', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'both');
    const { client } = clients.connect(simulator, { key: account.key });
    const { secret } = await client.secondFactor.sendSms({});
    const code = await lastCode(simulator, 'sms');
    const { sessionKey } = await client.secondFactor.logIn({ kind: 'code', factor: 'sms', code, secret });
    const { client: inSession } = clients.connect(simulator, { key: sessionKey });
    await inSession.templates.search({});
    await simulator.call('POST', '/__sim/expire-sessions/', {});
    await assert.rejects(inSession.templates.search({}), UnauthorizedError);
    simulator.fail({
      kind: 'error',
      path: '/api/v0/template/',
      status: 404,
      msg: 'Session expired. Please log in again.',
    });
    await assert.rejects(inSession.templates.search({}), UnauthorizedError);
  });

  it('keeps the permissions of the key that it began with', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'totp');
    const scoped = await simulator.call('POST', '/__sim/keys/', {
      account_id: account.accountId,
      permissions: { api: { user_read: {}, user_write: {} } },
    });
    const { client } = clients.connect(simulator, { key: scoped.json.key });
    const code = totpCode(simulator, account.totpSecret);
    const { sessionKey } = await client.secondFactor.logIn({ kind: 'code', factor: 'totp', code });
    const { client: inSession } = clients.connect(simulator, { key: sessionKey });
    assert.deepEqual(await inSession.secrets.list(), []);
    await assert.rejects(inSession.instances.list(), ForbiddenError);
  });

  it('is not open to a key without the permission', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'totp');
    const reader = await simulator.call('POST', '/__sim/keys/', {
      account_id: account.accountId,
      permissions: { api: { user_read: {} } },
    });
    const { client } = clients.connect(simulator, { key: reader.json.key });
    assert.equal((await client.secondFactor.status()).enabled, true);
    const code = totpCode(simulator, account.totpSecret);
    await assert.rejects(client.secondFactor.logIn({ kind: 'code', factor: 'totp', code }), ForbiddenError);
  });

  it('reports how often a code was wrong, and until when the method is locked', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'totp');
    const { client } = clients.connect(simulator, { key: account.key });
    const right = totpCode(simulator, account.totpSecret);
    const attempt = (code: string) => client.secondFactor.logIn({ kind: 'code', factor: 'totp', code });
    for (let count = 1; count <= 5; count += 1) {
      await assert.rejects(
        attempt(otherThan(right)),
        (error) =>
          error instanceof RefusedError &&
          error.failCount === count &&
          (error.lockedUntil !== undefined) === (count === 5),
      );
    }
    await assert.rejects(
      attempt(right),
      (error) => error instanceof RefusedError && error.code === 'tfa_locked' && error.failCount === 5,
    );
    const [method] = (await client.secondFactor.status()).methods;
    assert.ok((method?.lockedUntil ?? 0) > simulator.world.now() + 890);
    simulator.advance(15 * 60);
    assert.ok((await attempt(totpCode(simulator, account.totpSecret))).sessionKey);
  });

  it('counts backup codes down to none', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'totp');
    const { client } = clients.connect(simulator, { key: account.key });
    const left: (number | undefined)[] = [];
    for (const backupCode of account.backupCodes) {
      left.push((await client.secondFactor.logIn({ kind: 'backup', backupCode })).backupCodesRemaining);
    }
    assert.deepEqual(left, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('is set up from nothing and taken off again', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'plain');
    const { client } = clients.connect(simulator, { key: account.key });
    assert.equal((await client.users.current()).tfaStatus, 'disabled');
    const { secret = '' } = await client.secondFactor.startAuthorization({ kind: 'code' });
    await client.secondFactor.finishAuthorization({ secret, code: await lastCode(simulator, 'email') });
    assert.equal((await client.secondFactor.status()).newMethodAuthorized, true);
    const totp = await client.secondFactor.setUpTotp();
    const code = totpCode(simulator, totp.secret);
    const { backupCodes = [] } = await client.secondFactor.confirmNew({
      type: 'totp',
      code,
      secret: totp.secret,
    });
    assert.equal(backupCodes.length, 10);
    assert.equal((await client.users.current()).tfaStatus, 'enabled');
    const [method] = (await client.secondFactor.status()).methods;
    const gone = await client.secondFactor.remove(method?.id, {
      kind: 'backup',
      backupCode: backupCodes[0] ?? '',
    });
    assert.deepEqual(gone, {});
    assert.deepEqual(await client.secondFactor.status(), {
      enabled: false,
      methods: [],
      backupCodesRemaining: 0,
      newMethodAuthorized: false,
      skipped: 0,
    });
  });

  it('can’t begin while the e-mail is not verified, not even with TOTP', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'unverified');
    const { client } = clients.connect(simulator, { key: account.key });
    assert.equal((await client.users.current()).emailVerified, false);
    await assert.rejects(
      client.secondFactor.startAuthorization({ kind: 'code', factor: 'totp' }),
      (error) => error instanceof RefusedError && error.code === 'email_not_verified',
    );
  });

  it('of a legacy account is known from the user and the log-in, and turned off without naming a method', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'legacy');
    const { client } = clients.connect(simulator, { key: account.key });
    assert.equal((await client.users.current()).tfaStatus, 'legacy');
    const status = await client.secondFactor.status();
    assert.deepEqual([status.enabled, status.methods], [true, []]);
    const sent = await client.secondFactor.sendSms({});
    const proof = {
      kind: 'code',
      factor: 'sms',
      code: await lastCode(simulator, 'sms'),
      secret: sent.secret,
    } as const;
    assert.equal((await client.secondFactor.logIn(proof)).isLegacy, true);
    const again = await client.secondFactor.sendSms({});
    const code = await lastCode(simulator, 'sms');
    const gone = await client.secondFactor.remove(undefined, {
      kind: 'code',
      factor: 'sms',
      code,
      secret: again.secret,
    });
    assert.deepEqual(gone, {});
    assert.equal((await client.users.current()).tfaStatus, 'disabled');
  });

  it('gives administrators an admin session on request', async () => {
    const simulator = await simulators.start();
    const admin = await orderAccount(simulator, 'admin');
    const { client } = clients.connect(simulator, { key: admin.key });
    const code = totpCode(simulator, admin.totpSecret);
    await client.secondFactor.logIn({ kind: 'code', factor: 'totp', code, methodId: 1 }, { admin: true });
    assert.equal((simulator.received().at(-1)?.body as { admin?: boolean }).admin, true);
    const plain = await orderAccount(simulator, 'totp');
    const { client: other } = clients.connect(simulator, { key: plain.key });
    await assert.rejects(
      other.secondFactor.logIn(
        { kind: 'code', factor: 'totp', code: totpCode(simulator, plain.totpSecret) },
        { admin: true },
      ),
      (error) => error instanceof UnauthorizedError || error instanceof ForbiddenError,
    );
  });

  it('does not read unreadable backup codes as none', async () => {
    const { simulator, client } = await clients.start();
    simulator.fail({
      kind: 'answer',
      path: '/api/v0/tfa/confirm-new/',
      body: { success: true, backup_codes: 'AAAA-BBBB-CCCC' },
    });
    await assert.rejects(
      client.secondFactor.confirmNew({ type: 'totp', code: '1', secret: 'A' }),
      NotUnderstoodError,
    );
  });

  it('survives a restart of the simulator', async () => {
    const { mkdtemp, rm } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const path = await import('node:path');
    const folder = await mkdtemp(path.join(tmpdir(), 'sim-state-'));
    try {
      const stateFile = path.join(folder, 'state.json');
      const first = await simulators.start({ stateFile });
      const account = await orderAccount(first, 'totp');
      const before = clients.connect(first, { key: account.key }).client;
      const code = totpCode(first, account.totpSecret);
      const { sessionKey } = await before.secondFactor.logIn({ kind: 'code', factor: 'totp', code });
      await first.close();
      const second = await simulators.start({ stateFile });
      const after = clients.connect(second, { key: sessionKey }).client;
      assert.equal((await after.secondFactor.status()).methods.length, 1);
      assert.deepEqual((await after.instances.list()).items, []);
      await second.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
