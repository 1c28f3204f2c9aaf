import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { accountPath } from '../../../../src/store/accounts/accountFiles';
import { OwnActions } from '../../../../src/store/accounts/ownActions';
import { actAs } from '../../../../src/util/acting';
import { silentLog } from '../../../../src/util/log';
import { calls } from '../../../support/everyCall';
import { FakeClock } from '../../../support/fakeClock';
import { scriptedClient, type Scripted } from '../../../support/fakeTransport';
import { useFolder } from '../../../support/useFolder';

const account = '0123456789abcdef';
const done = { json: { success: true }, headers: { 'x-request-id': 'req-1234' } };

describe('what was done on this computer', () => {
  let storageDir = '';
  useFolder((folder) => void (storageDir = folder));

  function aWindow(name?: string, script: readonly Scripted[] = [done]) {
    const clock = new FakeClock();
    const own = new OwnActions({ storageDir, window: () => name, clock, log: silentLog });
    return { own, ...scriptedClient(script, { clock, ...own.hooksOf(account) }) };
  }
  const file = () => accountPath(storageDir, account, 'actions.log');

  it('is listed with who did it, where, and the id of the request, latest first', async () => {
    const { own, client, clock, finish } = aWindow('my-model');
    await finish(actAs({ kind: 'command', name: 'gpuRental.instance.stop' }, () => client.instances.stop(7)));
    clock.jump(60_000);
    await finish(actAs({ kind: 'agent', name: 'claude-code' }, () => client.instances.destroy(7)));
    const { actions, skipped } = await own.read(account);
    assert.equal(skipped, 0);
    assert.deepEqual(
      actions.map(({ at: _, ...rest }) => rest),
      [
        {
          route: 'DELETE /api/v0/instances/{id}/',
          ids: [7],
          actor: { kind: 'agent', name: 'claude-code' },
          window: 'my-model',
          end: 'done',
          requestId: 'req-1234',
        },
        {
          route: 'PUT /api/v0/instances/{id}/',
          state: 'stopped',
          ids: [7],
          actor: { kind: 'command', name: 'gpuRental.instance.stop' },
          window: 'my-model',
          end: 'done',
          requestId: 'req-1234',
        },
      ],
    );
    assert.deepEqual(await own.read('fedcba9876543210'), { actions: [], skipped: 0 });
  });

  it('has every call that costs money or destroys something, and no secret of any', async () => {
    const harmless = new Set(
      `offers.search volumes.search instances.label instances.reportMachine instances.attachKey
      instances.detachKey instances.execute instances.logs machines.plannedMaintenance sshKeys.add templates.create templates.edit apiKeys.create
      secrets.create secondFactor.logIn secondFactor.sendEmail secondFactor.sendSms secondFactor.resendSms
      secondFactor.startAuthorization secondFactor.finishAuthorization secondFactor.setUpTotp secondFactor.confirmNew
      secondFactor.update copies.cancel copies.cancelFromClouds copies.host copies.size notifications.setPreferences
      notifications.createWebhook notifications.testWebhook`.split(/\s+/),
    );
    for (const [method, { call, example }] of Object.entries(calls)) {
      const { own, client, transport, finish } = aWindow(undefined, [{ json: example }]);
      const before = (await own.read(account)).actions.length;
      await finish(call(client)).catch(() => undefined);
      const isWrite = transport.seen.some((request) => request.method !== 'GET');
      const isListed = (await own.read(account)).actions.length > before;
      assert.equal(isListed, isWrite && !harmless.has(method), method);
    }
    const { own, client, finish } = aWindow();
    await finish(client.secrets.update('PLANTED_NAME', 'planted-value'));
    await finish(client.instances.execute(7, 'rm planted-path').catch(() => undefined));
    await own.read(account);
    const content = await readFile(file(), 'utf8');
    assert.doesNotMatch(content, /planted/i);
    assert.match(content, /instances\/command/);
  });

  it('of two windows is one list, with what a killed window sent', async () => {
    const [one, other] = [aWindow('one'), aWindow('other', [{ stalls: 'forEver' }])];
    await one.finish(one.client.instances.destroy(1));
    void other.client.instances.destroy(2).catch(() => undefined);
    await other.clock.advance(1);
    // As the next window reads it.
    await other.own.read(account);
    const { actions } = await aWindow().own.read(account);
    assert.deepEqual(actions.map(({ ids, window, end }) => [ids[0], window, end]).sort(), [
      [1, 'one', 'done'],
      [2, 'other', undefined],
    ]);
  });

  it('survives lines that are cut, foreign or hostile', async () => {
    const { own, client, finish } = aWindow(`a\u202eb\n${'w'.repeat(5000)}`);
    await mkdir(dirname(file()), { recursive: true });
    await writeFile(file(), `{"id":"x"\n[]\n${'['.repeat(200)}\n{"id":"y","end":"maybe"}\n\n`);
    await finish(client.instances.destroy(3));
    await appendFile(
      file(),
      `${JSON.stringify({ id: 'z', at: 1, route: 'PUT /x', ids: [], actor: { kind: 'newer' } })}\n`,
    );
    const { actions, skipped } = await own.read(account);
    assert.equal(skipped, 4);
    assert.deepEqual(
      actions.map(({ ids, actor, end }) => [ids, actor, end]),
      [
        [[3], undefined, 'done'],
        [[], undefined, undefined],
      ],
    );
    assert.equal(actions[0]?.window, `a b ${'w'.repeat(96)}`);
  });

  it('stops no request where the disk refuses', async () => {
    await mkdir(dirname(dirname(file())), { recursive: true });
    await writeFile(dirname(file()), '');
    const { own, client, transport, finish } = aWindow();
    await finish(client.instances.destroy(3));
    assert.equal(transport.seen.length, 1);
    await assert.rejects(own.read(account), /could not be read/);
  });
});
