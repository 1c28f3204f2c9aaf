import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { runningInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('what was to happen while no editor was open', function () {
  this.bail(true);
  this.timeout(240_000);
  const session = useUiSession('overdue-leases', { simulator: { speed: 20 }, patches: lastingToasts });
  let toStop: number;
  let toDestroy: number;
  let windows: readonly Workbench[];
  const storage = () => path.join(session().host.dataDir, 'data/User/globalStorage/gpu-rental.gpu-rental');
  const leaseFile = (id: number) => {
    const [account] = readdirSync(path.join(storage(), 'leases'));
    return path.join(storage(), 'leases', String(account), `${id}.json`);
  };
  const writes = (id: number) =>
    session()
      .simulator.received(undefined, `/api/v0/instances/${id}/`)
      .filter(({ method }) => method !== 'GET');
  const toasts = async (text: RegExp) => {
    const counts = windows.map((window) => window.toasts.filter({ hasText: text }).count());
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };

  before(async () => {
    toStop = await runningInstance(session().simulator, 'sleeper');
    toDestroy = await runningInstance(session().simulator, 'leaver');
    const first = await session().window();
    await signIn(session(), first);
    await first.view('Instances').row('leaver').waitFor();
    const leases = path.join(storage(), 'leases');
    await until('the folder of the account', () => existsSync(leases) && readdirSync(leases).length > 0);
    await first.page.close();
    const setAt = Date.now() - 9 * 3_600_000;
    const term = { kind: 'at', at: setAt + 3_600_000 };
    writeFileSync(
      leaseFile(toStop),
      JSON.stringify({ version: 1, id: 'aaaaaaaa', action: 'stop', term, setAt }),
    );
    writeFileSync(
      leaseFile(toDestroy),
      JSON.stringify({ version: 1, id: 'bbbbbbbb', action: 'destroy', term, setAt }),
    );
  });

  it('is stopped at once, and said in one of two windows', async () => {
    const one = await session().window('one');
    const two = await session().window('two');
    windows = [one, two];
    await one.page.bringToFront();
    await until('the stop', () => writes(toStop).length > 0, { timeoutMs: 60_000 });
    const said =
      /sleeper was to be stopped at .*, when no editor was open\. It is stopped now\. Its disk still bills/;
    await until('somebody to say it', async () => (await toasts(said)) > 0, { timeoutMs: 60_000 });
    await one.shot('01-made-up');
    await two.shot('01-made-up');
    assert.equal(await toasts(said), 1);
    assert.deepEqual(
      writes(toStop).map(({ method, body }) => [method, body]),
      [['PUT', { state: 'stopped' }]],
    );
    await until('the end of the lease', () => !existsSync(leaseFile(toStop)));
  });

  it('is not destroyed: one window asks', async () => {
    const said = /leaver was to be destroyed at .*, when no editor was open\. It is still there and bills/;
    const asking = await until(
      'the question',
      async () => {
        const counts = windows.map((window) => window.toasts.filter({ hasText: said }).count());
        return windows[(await Promise.all(counts)).indexOf(1)];
      },
      { timeoutMs: 60_000 },
    );
    assert.equal(await toasts(said), 1);
    assert.deepEqual(writes(toDestroy), []);
    await asking.page.bringToFront();
    await asking.shot('02-question');
    await asking.toastButton(said, 'Destroy…');
    await asking.dialog.waitFor();
    assert.match(await asking.dialog.innerText(), /lost for good/);
    const other = windows.find((window) => window !== asking);
    await other?.openContainer('GPU Rental');
    await other?.view('Instances').row('leaver').filter({ hasText: 'was to be destroyed' }).waitFor();
    await other?.shot('03-other-window');
    await asking.page.bringToFront();
    await asking.dialogButton('Destroy');
    await until('the destruction', () => session().simulator.world.instance(toDestroy) === undefined);
    await until('the end of the lease', () => !existsSync(leaseFile(toDestroy)), { timeoutMs: 60_000 });
    assert.equal(writes(toDestroy).length, 1);
  });
});
