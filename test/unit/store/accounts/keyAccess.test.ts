import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../../../src/api/client';
import { ForbiddenError } from '../../../../src/api/errors';
import type { ApiKey } from '../../../../src/model/accounts/apiKey';
import type { Account, AccountsState } from '../../../../src/store/accounts/accounts';
import { KeyAccess, KeyLacksError } from '../../../../src/store/accounts/keyAccess';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { aUser } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';
import { until } from '../../../support/until';

/** One account with a key of which the service may tell the record. */
class Scene {
  readonly hubs = new FakeHubs();
  readonly clock = new FakeClock();
  readonly changed = new Emitter<AccountsState>();
  records: readonly ApiKey[] | Error = [];
  reads = 0;
  active: Account;

  constructor(readonly storageDir: string) {
    this.active = this.accountWithKey(11);
  }

  accountWithKey(keyId: number): Account {
    const client = {
      apiKeys: {
        list: () => {
          this.reads += 1;
          return this.records instanceof Error
            ? Promise.reject(this.records)
            : Promise.resolve({ items: this.records, skipped: 0 });
        },
      },
    };
    return {
      key: '0123456789abcdef',
      serviceUrl: 'https://console.example.com',
      userId: 7,
      name: 'user@example.com',
      isDemo: false,
      isKept: true,
      user: aUser({ keyId }),
      // The store makes no other call.
      client: client as unknown as Client,
    };
  }

  open(): KeyAccess {
    const active = () => this.active;
    return new KeyAccess({
      accounts: {
        get active() {
          return active();
        },
        onDidChange: this.changed.event,
      },
      hub: this.hubs.open(),
      storageDir: this.storageDir,
      clock: this.clock,
      log: silentLog,
    });
  }

  become(account: Account): void {
    this.active = account;
    this.changed.fire({ kind: 'signedIn', account });
  }
}

describe('what the key in use may do', () => {
  let storageDir: string;
  let scene: Scene;
  const limited: ApiKey = { id: 11, name: 'reader', permissions: { api: { misc: {}, user_read: {} } } };

  beforeEach(async () => {
    storageDir = await mkdtemp(join(tmpdir(), 'gpu-rental-key-'));
    scene = new Scene(storageDir);
  });
  afterEach(async () => {
    // What is still being written would make the folder again.
    await settle();
    await rm(storageDir, { recursive: true, force: true });
  });

  it('is read from the record of the key', async () => {
    scene.records = [{ id: 10 }, limited];
    const access = scene.open();
    await until('the record', () => access.key !== undefined, { everyMs: 5 });
    assert.equal(access.lacks('instance_write'), true);
    assert.equal(access.lacks('misc'), false);
    assert.throws(() => access.require(['misc', 'instance_write']), KeyLacksError);
    access.require(['misc']);
  });

  it('is read once for all windows and restarts', async () => {
    scene.records = [limited];
    const first = scene.open();
    const second = scene.open();
    await until('both know', () => first.key !== undefined && second.key !== undefined, { everyMs: 5 });
    const third = scene.open();
    await until('the third knows', () => third.key !== undefined, { everyMs: 5 });
    assert.equal(scene.reads, 1);
  });

  it('is read again for another key', async () => {
    scene.records = [limited, { id: 12 }];
    const access = scene.open();
    await until('the record', () => access.key?.id === 11, { everyMs: 5 });
    scene.become(scene.accountWithKey(12));
    assert.equal(access.lacks('instance_write'), false, 'nothing of the old key is believed of the new one');
    await until('the other record', () => access.key?.id === 12, { everyMs: 5 });
  });

  it('is learned from a refusal that names it, where the record may not be read', async () => {
    scene.records = new ForbiddenError({ lacking: 'user_read' });
    const access = scene.open();
    const other = scene.open();
    await until('the try', () => scene.reads === 1, { everyMs: 5 });
    access.hooksOf(scene.active.key).onForbidden(new ForbiddenError({ lacking: 'instance_write' }));
    assert.equal(access.lacks('instance_write'), true);
    assert.equal(access.lacks('billing_read'), false);
    await until('the other window', () => other.lacks('instance_write'), { everyMs: 5 });
  });

  it('is not guessed from a refusal that names nothing, nor taken from one of another account', () => {
    const access = scene.open();
    access.hooksOf(scene.active.key).onForbidden(new ForbiddenError({ needed: 'instance_write' }));
    access.hooksOf('fedcba9876543210').onForbidden(new ForbiddenError({ lacking: 'instance_write' }));
    assert.equal(access.lacks('instance_write'), false);
  });

  it('keeps reads from being sent that would be refused, and nothing else', async () => {
    scene.records = [limited];
    const access = scene.open();
    await access.settled();
    for (const [route, isAllowed] of [
      ['GET /api/v0/machines/', false],
      ['GET /api/v0/instances/', false],
      ['POST /api/v0/bundles/', true],
      ['GET /api/v0/ssh/', true],
      ['GET /api/v0/users/current/', true],
      ['GET /api/v0/something/', true],
    ] as const) {
      const check = () => {
        access.hooksOf(scene.active.key).beforeRead(route);
      };
      if (isAllowed) {
        check();
      } else {
        assert.throws(check, KeyLacksError, route);
      }
      access.hooksOf('fedcba9876543210').beforeRead(route);
    }
  });

  it('is asked for again some minutes after it could not be read', async () => {
    scene.records = new Error('no connection');
    const access = scene.open();
    await until('the try', () => scene.reads === 1, { everyMs: 5 });
    scene.records = [limited];
    scene.become(scene.active);
    assert.equal(scene.reads, 1);
    scene.clock.jump(3_600_000);
    scene.become(scene.active);
    await access.settled();
    assert.equal(scene.reads, 1, 'whatever the time of day');
    scene.clock.jump(-5 * 3_600_000);
    await scene.clock.advance(6 * 60_000);
    scene.become(scene.active);
    await until('the record', () => access.key !== undefined, { everyMs: 5 });
    assert.equal(scene.reads, 2);
  });
});
