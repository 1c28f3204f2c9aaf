import assert from 'node:assert/strict';
import { lastCode, orderAccount, totpCode, type OrderedAccount } from '../support/secondFactorAccount';
import { Someone } from '../support/secondFactorCaller';
import { useSimulators, type TestSimulator } from '../support/startSimulator';

type Body = Record<string, unknown>;

/** Each way to prove an identity, for calls with a key (docs/service/two-factor.md#callers). */
const proofs: Readonly<
  Record<
    string,
    {
      readonly needsSecret: boolean;
      readonly make: (person: Someone, simulator: TestSimulator, account: OrderedAccount) => Promise<Body>;
    }
  >
> = {
  'a code of an app': {
    needsSecret: false,
    make: (_, simulator, { totpSecret }) =>
      Promise.resolve({ tfa_method: 'totp', code: totpCode(simulator, totpSecret) }),
  },
  'a code by text message': {
    needsSecret: true,
    make: async (person, simulator) => {
      const { json } = await person.call('POST', 'sms/', { tfa_method_id: 2 });
      return { tfa_method: 'sms', code: await lastCode(simulator, 'sms'), secret: json.secret };
    },
  },
  'a code by e-mail': {
    needsSecret: true,
    make: async (person, simulator) => {
      const { json } = await person.call('POST', 'email/', {});
      return { tfa_method: 'email', code: await lastCode(simulator, 'email'), secret: json.secret };
    },
  },
  'a backup code': {
    needsSecret: false,
    make: (_, __, { backupCodes }) => Promise.resolve({ backup_code: backupCodes[0] }),
  },
};

const uses = {
  'DELETE tfa': { method: 'DELETE', path: '', more: { target_id: 2 } },
  'PUT regen-backup-codes': { method: 'PUT', path: 'regen-backup-codes/', more: {} },
} as const;

describe('the proofs that two-factor authentication accepts', () => {
  const simulators = useSimulators();

  async function start(kind: 'logged in' | 'cli') {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'both');
    const person = new Someone(kind, simulator, account);
    if (kind === 'logged in') {
      await person.becomeLoggedIn();
    }
    return { simulator, account, person };
  }

  for (const kind of ['logged in', 'cli'] as const) {
    for (const [use, { method, path, more }] of Object.entries(uses)) {
      for (const [name, { needsSecret, make }] of Object.entries(proofs)) {
        it(`${use}, ${kind}: ${name}${needsSecret ? ', with its secret alone' : ''}`, async () => {
          const { simulator, account, person } = await start(kind);
          const { secret, ...proof } = await make(person, simulator, account);
          if (needsSecret) {
            const refused = await person.call(method, path, { ...proof, ...more });
            assert.deepEqual([refused.status, refused.json.error], [400, 'missing_params']);
          }
          const answer = await person.call(method, path, { ...proof, secret, ...more });
          assert.equal(answer.status, 200, answer.text);
        });
      }
    }

    for (const [name, { needsSecret, make }] of Object.entries(proofs)) {
      it(`authorize-new-method, ${kind}: ${name}`, async () => {
        const { simulator, account, person } = await start(kind);
        const wanted = { 'a code by text message': 'sms', 'a code by e-mail': 'email' }[name] ?? 'totp';
        const isBackup = name === 'a backup code';
        const first = isBackup ? await make(person, simulator, account) : { tfa_method: wanted };
        const started = await person.call('POST', 'authorize-new-method/', first);
        assert.equal(started.status, 200, started.text);
        if (!isBackup) {
          const code = needsSecret
            ? await lastCode(simulator)
            : (await make(person, simulator, account))['code'];
          const finished = await person.call('PUT', 'authorize-new-method/', {
            code,
            secret: started.json.secret,
          });
          assert.equal(finished.status, 200, finished.text);
        }
        const { json } = await person.call('GET', 'status/');
        assert.equal(json.new_method_authorized, true);
      });
    }

    it(`confirm-new, ${kind}: a telephone, with the secret of its message`, async () => {
      const { simulator, account, person } = await start(kind);
      await person.call('POST', 'authorize-new-method/', { backup_code: account.backupCodes[0] });
      const sent = await person.call('POST', 'sms/', { phone_number: '+14155550177' });
      const body = {
        tfa_method: 'sms',
        code: await lastCode(simulator, 'sms'),
        phone_number: '+14155550177',
      };
      const refused = await person.call('POST', 'confirm-new/', body);
      assert.deepEqual([refused.status, refused.json.error], [400, 'missing_params']);
      const confirmed = await person.call('POST', 'confirm-new/', { ...body, secret: sent.json.secret });
      assert.equal(confirmed.json.msg, 'SMS 2FA method added successfully.');
    });
  }
});
