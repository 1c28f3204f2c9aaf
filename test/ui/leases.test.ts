import assert from 'node:assert/strict';
import { usableSshd } from '../../src/simulator/login/sshd';
import { signIn } from '../support/journey';
import { reachableInstance, runningInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** With its day where that is not today. */
const stopsAt = /stops .*\d:\d\d/;

describe('stopping and destroying later', function () {
  this.bail(true);
  this.timeout(300_000);
  const session = useUiSession('leases', {
    simulator: { speed: 20, sshServer: 'auto' },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let trainer: number;
  let helper: number;
  const instances = () => workbench.view('Instances');
  const row = (name: string) => instances().row(name);
  const rowText = async (name: string) => (await row(name).innerText()).replaceAll(/\s+/g, ' ');
  const stopTime = async (name: string) => stopsAt.exec(await rowText(name))?.[0];
  const world = () => session().simulator.world;
  const writes = (id: number) =>
    session()
      .simulator.received(undefined, `/api/v0/instances/${id}/`)
      .filter(({ method }) => method !== 'GET');

  async function openMenu(name: string): Promise<void> {
    await instances().contextMenu(row(name), /^Stop or Destroy Later…$/);
    await workbench.quick.waitForTitle(`Stop or Destroy ${name} Later`);
  }

  /** Picks what is to happen and types when, which the list shows in full. */
  async function choose(what: RegExp, when: string, shown: string): Promise<void> {
    const { quick } = workbench;
    await quick.pickMatching(what);
    await quick.waitForTitle(/When/);
    await enterTime(when, shown);
  }

  async function enterTime(when: string, shown: string): Promise<void> {
    const { quick } = workbench;
    await quick.input.fill(when);
    await quick.widget.locator('.monaco-list-row.focused', { hasText: shown }).waitFor();
    await quick.enter({ isList: true });
  }

  before(async () => {
    trainer = await reachableInstance(session(), 'trainer');
    helper = await runningInstance(session().simulator, 'helper');
    workbench = await session().window();
    await signIn(session(), workbench);
    await row('trainer').waitFor();
    await workbench.clearNotifications();
  });

  it('offers what can happen later and says who does it', async () => {
    await openMenu('trainer');
    const rows = await workbench.quick.rowTexts();
    assert.deepEqual(
      rows.map((text) => /(Stop|Destroy) (After a Time|When Idle)…/.exec(text)?.[0]),
      ['Stop After a Time…', 'Stop When Idle…', 'Destroy After a Time…', 'Destroy When Idle…'],
    );
    assert.match(rows[0] ?? '', /goes on costing \$\d+\.\d+\/day/);
    assert.match(
      await workbench.quick.input.getAttribute('placeholder').then(String),
      /open on this computer/,
    );
    await workbench.shot('01-menu');
  });

  it('takes a time as it is typed, and shows it on the row', async () => {
    const { quick } = workbench;
    await quick.pickMatching(/Stop After a Time/);
    await quick.waitForTitle('Stop When?');
    await workbench.shot('02-times');
    await quick.input.fill('soon');
    await quick.rows.filter({ hasText: 'Not a time' }).first().waitFor();
    await workbench.shot('03-no-time');
    await enterTime('1h30', 'In 1 h 30 min');
    await workbench.toast(/trainer will be stopped at .*, by an editor that is open/);
    await workbench.shot('04-set');
    await until('the time on the row', async () => stopsAt.test(await rowText('trainer')));
    assert.match(await workbench.hoverText(row('trainer'), /Carried out by/), /an editor that is open/);
    await workbench.shot('05-tooltip');
    await workbench.clearNotifications();
  });

  it('is changed and cancelled', async () => {
    await openMenu('trainer');
    await workbench.shot('06-present');
    const before = await stopTime('trainer');
    await workbench.quick.pickMatching(/Extend by 1 Hour/);
    await until('another time', async () => {
      const time = await stopTime('trainer');
      return time !== undefined && time !== before;
    });
    await workbench.toast(/trainer will be stopped at/);
    await workbench.clearNotifications();
    await openMenu('trainer');
    await workbench.quick.pickMatching(/Cancel, and Keep It/);
    await workbench.toast(/neither stopped nor destroyed/);
    await until('no time', async () => !/stops/.test(await rowText('trainer')));
    assert.deepEqual(writes(trainer), []);
  });

  it('warns before it stops, and can be extended from there', async () => {
    await workbench.clearNotifications();
    await openMenu('helper');
    await choose(/Stop After a Time/, '1m', 'In 1 min');
    await workbench.toast(/helper will be stopped at/);
    await workbench.toast(/helper will be stopped in \d+ s/, 90_000);
    const before = await stopTime('helper');
    await workbench.toastButton(/helper will be stopped in/, 'Extend by 1 Hour');
    await until('another time', async () => {
      const time = await stopTime('helper');
      return time !== undefined && time !== before;
    });
    await workbench.shot('07-extended');
    assert.deepEqual(writes(helper), []);
  });

  it('stops in time, reads it back and says what goes on costing', async () => {
    await workbench.clearNotifications();
    await openMenu('helper');
    await choose(/Stop After a Time/, '1m', 'In 1 min');
    await workbench.toast(/helper will be stopped at/);
    await workbench.toast(/helper is stopped, as you set\. Its disk still bills \$/, 150_000);
    await workbench.shot('08-stopped');
    assert.deepEqual(
      writes(helper).map(({ method, body }) => [method, body]),
      [['PUT', { state: 'stopped' }]],
    );
    assert.equal(world().instance(helper)?.intendedStatus, 'stopped');
    await until('no time', async () => !/stops/.test(await rowText('helper')));
  });

  it('asks before it is set to destroy, and says what happens without an editor', async () => {
    await workbench.clearNotifications();
    await openMenu('trainer');
    await choose(/Destroy When Idle/, '45m', 'Idle for 45 min');
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /will be destroyed once it has been idle for 45 min/);
    assert.match(said, /under 5%/);
    assert.match(said, /If none is open then, it is not destroyed/);
    await workbench.shot('09-destroy-question');
    await workbench.dialogButton('Destroy Then');
    await until('it on the row', async () => /destroyed/.test(await rowText('trainer')));
    await workbench.shot('10-idle');
  });

  it('counts the idle time on the instance itself where that can be told', async () => {
    await workbench.clearNotifications();
    await openMenu('trainer');
    await workbench.quick.pickMatching(/Let the Instance Do It…/);
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /nobody logged in by SSH, from whatever computer/);
    await workbench.shot('13-idle-itself');
    await workbench.dialogButton('Let It Destroy Itself');
    // Only a real sshd names the processes of its logins.
    const seesLogins = usableSshd() !== undefined;
    const said = seesLogins
      ? /trainer destroys itself once it is idle for 45 min, .* its key was accepted/
      : /trainer is not armed\. It does not show who is logged in/;
    await workbench.toast(said, 60_000);
    await until('the row', async () => /\(armed\)/.test(await rowText('trainer')) === seesLogins);
    await workbench.shot('14-idle-armed');
    assert.ok(world().instance(trainer));
  });

  it('is armed on the instance only once that has proved that it can act', async () => {
    await workbench.clearNotifications();
    await openMenu('trainer');
    // Time enough to arm it and to sign out before the editor itself is to act.
    await choose(/Destroy After a Time/, '2m', 'In 2 min');
    await workbench.dialogButton('Destroy Then');
    await workbench.toastButton(/trainer will be destroyed at/, 'Let the Instance Do It…');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /nobody is warned before/);
    await workbench.shot('11-itself');
    const reads = () => session().simulator.received('GET', `/api/v0/instances/${trainer}/`).length;
    const before = reads();
    await workbench.dialogButton('Let It Destroy Itself');
    await workbench.toast(
      /trainer destroys itself at .* its own timer runs, and its key was accepted/,
      60_000,
    );
    assert.ok(reads() > before);
    await until('armed on the row', async () => /\(armed\)/.test(await rowText('trainer')));
    await workbench.shot('12-armed');
  });

  it('is done by the instance itself when no editor does it', async () => {
    await workbench.clearNotifications();
    // Who is signed out does nothing any more.
    await workbench.run('Sign Out…');
    await workbench.dialogButton('Sign Out');
    await until('the welcome view', async () =>
      (await workbench.page.locator('.part.sidebar').innerText()).includes('Sign In'),
    );
    const full = session().simulator.received('GET', '/api/v0/users/current/')[0]?.keyId;
    assert.ok(world().instance(trainer));
    await until('the destruction', () => world().instance(trainer) === undefined, {
      timeoutMs: 200_000,
    });
    const [only, ...more] = writes(trainer);
    assert.equal(only?.method, 'DELETE');
    assert.notEqual(only.keyId, full);
    assert.deepEqual(more, []);
  });
});
