import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import {
  ForbiddenError,
  NotFoundError,
  NotReachableError,
  NotUnderstoodError,
  RateLimitedError,
  UnauthorizedError,
} from '../../src/api/errors';
import { keysOf } from '../../src/instanceKeys';
import { parsePublicKey } from '../../src/ssh/publicKey';
import { CancelledError } from '../../src/util/errors';
import { silentLog } from '../../src/util/log';
import { publicKeys } from '../support/rentedInstance';

const [mine, other] = publicKeys;

describe('the keys that an instance accepts', () => {
  /** Asks an account whose keys are these; `skipped` of the instance can't be read. */
  async function registered(keys: {
    readonly onInstance: readonly string[] | Error;
    readonly ofAccount?: readonly string[];
    readonly inRecord?: string;
    readonly skipped?: number;
  }) {
    const list = (lines: readonly string[] | Error, skipped = 0) =>
      lines instanceof Error
        ? Promise.reject(lines)
        : Promise.resolve({ items: lines.map((publicKey, id) => ({ id, publicKey })), skipped });
    const client = {
      instances: { keys: () => list(keys.onInstance, keys.skipped), logs: () => Promise.resolve('log') },
      sshKeys: { list: () => list(keys.ofAccount ?? []) },
    } as unknown as Client;
    const publicKey = parsePublicKey(mine);
    assert.ok(publicKey);
    const facts = { publicFile: undefined, privateFile: '/id', inAgent: false, encrypted: false };
    const ssh = { localKeys: () => Promise.resolve([{ publicKey, line: mine, ...facts }]) };
    const user = { id: 1, ...(keys.inRecord === undefined ? {} : { sshKey: keys.inRecord }) };
    return keysOf({ ssh, log: silentLog }, { client, user }, 7);
  }

  it('are those that it lists', async () => {
    const { registeredKeys } = await registered({ onInstance: [other, mine], ofAccount: [] });
    assert.deepEqual(registeredKeys, [other, mine]);
  });

  it('are also those of the account, which it does not list, where none of this computer is listed', async () => {
    const ofAccount = await registered({ onInstance: [other], ofAccount: [mine] });
    assert.deepEqual(ofAccount.registeredKeys, [other, mine]);
    const inRecord = await registered({ onInstance: [], inRecord: mine });
    assert.deepEqual(inRecord.registeredKeys, [mine]);
  });

  it('are unknown if one that can’t be read may be of this computer', async () => {
    assert.equal((await registered({ onInstance: [other], skipped: 1 })).registeredKeys, undefined);
  });

  const odd = {
    'an answer that can not be understood': new NotUnderstoodError(),
    'no such list': new NotFoundError(),
    'a rate limit': new RateLimitedError(),
    'a key that may not read them': new ForbiddenError(),
  };
  for (const [name, error] of Object.entries(odd)) {
    it(`are unknown, which ends no connection, after ${name}`, async () => {
      const { registeredKeys, isOld, log } = await registered({ onInstance: error });
      assert.equal(registeredKeys, undefined);
      // The service has answered, and the log is still compared at a first contact.
      assert.equal(isOld, undefined);
      assert.equal(await log?.(), 'log');
    });
  }

  it('are unknown while the service is out of reach, which is reported', async () => {
    const { registeredKeys, isOld } = await registered({ onInstance: new NotReachableError() });
    assert.deepEqual([registeredKeys, isOld], [undefined, true]);
  });

  it('are not asked for by an ended session or after a stop', async () => {
    for (const error of [new UnauthorizedError(), new CancelledError()]) {
      await assert.rejects(registered({ onInstance: error }), error);
    }
  });
});
