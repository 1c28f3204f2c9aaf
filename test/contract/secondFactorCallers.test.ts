import assert from 'node:assert/strict';
import { lastCode, orderAccount, totpCode } from '../support/secondFactorAccount';
import { Someone, type Caller } from '../support/secondFactorCaller';
import { useSimulators, type TestAnswer } from '../support/startSimulator';

describe('the callers of two-factor authentication', () => {
  const simulators = useSimulators();

  async function someone(kind: Caller) {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'both');
    const person = new Someone(kind, simulator, account);
    if (kind === 'logged in') {
      await person.becomeLoggedIn();
    }
    const code = () => totpCode(simulator, account.totpSecret);
    return { simulator, account, person, code };
  }

  const refusedBy = (answer: TestAnswer): unknown[] => [answer.status, answer.json.error];

  describe('logged out, with a secret alone', () => {
    it('log in, by each method, with a cookie and without a session key in the body', async () => {
      const { simulator, account, person, code } = await someone('logged out');
      const ways: [string, (secret: string) => Promise<Record<string, unknown>>][] = [
        ['totp', () => Promise.resolve({ tfa_method: 'totp', code: code() })],
        ['backup code', () => Promise.resolve({ backup_code: account.backupCodes[0] })],
        [
          'sms',
          async (secret) => {
            await person.call('POST', 'sms/', { secret });
            return { tfa_method: 'sms', code: await lastCode(simulator, 'sms') };
          },
        ],
        [
          'email',
          async (secret) => {
            await person.call('POST', 'email/', { secret });
            return { tfa_method: 'email', code: await lastCode(simulator, 'email') };
          },
        ],
      ];
      for (const [name, proof] of ways) {
        const secret = await person.firstSecret();
        const answer = await person.call('POST', '', { ...(await proof(secret)), secret });
        assert.equal(answer.status, 200, `${name}: ${answer.text}`);
        assert.equal(answer.json.email, account.email);
        assert.equal('session_key' in answer.json, false);
        assert.match(answer.headers.get('set-cookie') ?? '', /^session=\w{64}; .*HttpOnly/);
      }
    });

    it('send and resend codes', async () => {
      const { person } = await someone('logged out');
      const secret = await person.firstSecret();
      for (const below of ['sms/', 'sms/resend/', 'email/']) {
        const answer = await person.call('POST', below, { secret });
        assert.deepEqual([answer.status, answer.json.secret], [200, secret]);
      }
    });

    it('are refused without a secret and with one that is unknown', async () => {
      const { person } = await someone('logged out');
      for (const below of ['', 'email/', 'sms/', 'sms/resend/']) {
        assert.deepEqual(refusedBy(await person.call('POST', below, {})), [401, 'missing_auth_value']);
        assert.deepEqual(refusedBy(await person.call('POST', below, { secret: 'x' })), [
          400,
          'challenge_not_found',
        ]);
      }
    });

    it('have no part in anything else', async () => {
      const { person } = await someone('logged out');
      const secret = await person.firstSecret();
      const closed: [string, string][] = [
        ['GET', 'status/'],
        ['POST', 'authorize-new-method/'],
        ['PUT', 'authorize-new-method/'],
        ['POST', 'totp-setup/'],
        ['POST', 'confirm-new/'],
        ['DELETE', ''],
        ['PUT', 'update/'],
        ['PUT', 'regen-backup-codes/'],
      ];
      for (const [method, below] of closed) {
        const answer = await person.call(method, below, { secret });
        assert.deepEqual(refusedBy(answer), [403, 'auth_error'], `${method} ${below}`);
      }
    });
  });

  describe('logged in, with a key and a cookie', () => {
    it('do not log in again', async () => {
      const { person, code } = await someone('logged in');
      const answer = await person.call('POST', '', { tfa_method: 'totp', code: code() });
      assert.deepEqual(refusedBy(answer), [400, 'bad_request']);
    });

    it('need no second factor elsewhere, which the key alone does', async () => {
      const { simulator, account, person } = await someone('logged in');
      const alone = await simulator.call('GET', '/api/v0/template/', undefined, account.key);
      assert.deepEqual(refusedBy(alone), [403, 'auth_error']);
      const answer = await person.call('GET', '../template/');
      assert.equal(answer.status, 200);
    });
  });

  for (const kind of ['logged in', 'cli'] as const) {
    describe(`${kind}: managing`, () => {
      it('send codes with a key, and resend by secret or by key', async () => {
        const { person } = await someone(kind);
        const email = await person.call('POST', 'email/', {});
        const again = await person.call('POST', 'email/', {});
        assert.notEqual(email.json.secret, again.json.secret, 'a fresh challenge each call');
        const kept = await person.call('POST', 'email/', { secret: again.json.secret });
        assert.equal(kept.json.secret, again.json.secret);
        const sms = await person.call('POST', 'sms/');
        assert.equal(sms.json.msg, '2FA Sent');
        assert.deepEqual(refusedBy(await person.call('POST', 'sms/')), [400, 'tfa_challenge_exists']);
        const bySecret = await person.call('POST', 'sms/resend/', { secret: sms.json.secret });
        assert.equal(bySecret.json.secret, sms.json.secret);
        const byKey = await person.call('POST', 'sms/resend/');
        assert.notEqual(byKey.json.secret, sms.json.secret);
        const replaced = await person.call('POST', 'sms/resend/', { secret: sms.json.secret });
        assert.deepEqual(refusedBy(replaced), [400, 'challenge_not_found']);
      });

      it('read the status', async () => {
        const { person } = await someone(kind);
        const { json } = await person.call('GET', 'status/');
        assert.deepEqual(
          [json.success, json.tfa_enabled, json.methods.length, json.backup_codes_remaining],
          [true, true, 2, 10],
        );
      });

      it('authorize in two steps, the second with the secret, and then confirm with the secret', async () => {
        const { simulator, person, code } = await someone(kind);
        const setUp = await person.call('POST', 'totp-setup/');
        const wanted = () => ({
          tfa_method: 'totp',
          secret: setUp.json.secret,
          code: totpCode(simulator, String(setUp.json.secret)),
        });
        assert.deepEqual(refusedBy(await person.call('POST', 'confirm-new/', wanted())), [
          403,
          'authorization_required',
        ]);
        const started = await person.call('POST', 'authorize-new-method/', { tfa_method: 'totp' });
        const noSecret = await person.call('PUT', 'authorize-new-method/', { code: code() });
        assert.deepEqual(refusedBy(noSecret), [400, 'missing_params']);
        const finished = await person.call('PUT', 'authorize-new-method/', {
          secret: started.json.secret,
          code: code(),
        });
        assert.deepEqual(finished.json, { success: true, msg: 'Authorization successful.' });
        const without = { ...wanted(), secret: undefined };
        assert.deepEqual(refusedBy(await person.call('POST', 'confirm-new/', without)), [
          400,
          'missing_params',
        ]);
        const confirmed = await person.call('POST', 'confirm-new/', wanted());
        assert.deepEqual(confirmed.json, { success: true, msg: 'TOTP 2FA method added successfully.' });
      });

      it('update, regenerate and remove; a secret is needed for codes that were sent', async () => {
        const { simulator, person } = await someone(kind);
        const updated = await person.call('PUT', 'update/', { tfa_method_id: 2, label: 'Mine' });
        assert.equal(updated.json.method.label, 'Mine');
        const sent = await person.call('POST', 'email/', {});
        const proof = { tfa_method: 'email', code: await lastCode(simulator, 'email') };
        for (const [method, below] of [
          ['PUT', 'regen-backup-codes/'],
          ['DELETE', ''],
        ] as const) {
          const refused = await person.call(method, below, { ...proof, target_id: 2 });
          assert.deepEqual(refusedBy(refused), [400, 'missing_params']);
        }
        const fresh = await person.call('PUT', 'regen-backup-codes/', { ...proof, secret: sent.json.secret });
        assert.deepEqual([fresh.json.msg, fresh.json.backup_codes.length], ['success', 10]);
        const removed = await person.call('DELETE', '', {
          backup_code: fresh.json.backup_codes[0],
          target_id: 2,
        });
        assert.deepEqual(removed.json, { success: true, msg: '2FA method removed', remaining_methods: 1 });
      });
    });
  }

  describe('cli, with a key', () => {
    it('log in with a session key in the body and no cookie', async () => {
      const { simulator, person, code } = await someone('cli');
      const answer = await person.call('POST', '', { tfa_method: 'totp', code: code() });
      assert.equal(answer.headers.get('set-cookie'), null);
      const key = String(answer.json.session_key);
      const user = await simulator.call('GET', '/api/v0/users/current', undefined, key);
      assert.equal(user.json.id, answer.json.id);
      assert.equal('backup_codes_remaining' in answer.json, false);
      assert.equal('legacy_tfa_user' in answer.json, false);
    });

    it('are refused with a wrong key, even beside a right secret', async () => {
      const { simulator, account, person } = await someone('cli');
      const secret = await person.firstSecret();
      const wrong = await simulator.call('POST', '/api/v0/tfa/email/', { secret }, 'not-a-key');
      assert.deepEqual(refusedBy(wrong), [401, 'auth_error']);
      const container = simulator.world.keys.create({
        accountId: account.accountId,
        name: 'instance',
        onlyInstance: 5,
      });
      const restricted = await simulator.call('POST', '/api/v0/tfa/email/', {}, container.value);
      assert.equal(restricted.status, 403);
    });

    it('of a team are kept from changing methods and not from using them', async () => {
      const simulator = await simulators.start();
      const account = await orderAccount(simulator, 'team');
      const person = new Someone('cli', simulator, account);
      const login = await person.call('POST', '', {
        tfa_method: 'totp',
        code: totpCode(simulator, account.totpSecret),
      });
      assert.equal(login.status, 200);
      const answer = await person.call('PUT', 'update/', { tfa_method_id: 1, label: 'x' });
      assert.deepEqual(refusedBy(answer), [403, 'team_user_forbidden']);
    });
  });
});
