import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

/** With its day where that is not today. */
const stopsAt = /stops .*\d:\d\d/;
const willBeDestroyed = /^trainer will be destroyed at .*, by an editor/;

/** The files that name the processes of the timers on an instance. */
function timersOn(root: string, instanceId: number): readonly string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const named = new RegExp(`timer-${instanceId}-[0-9a-f]+$`);
  return files.filter((one) => named.test(one)).map((one) => path.join(root, one));
}

/** As a container that is short of memory may do it. */
function killTimer(root: string, instanceId: number): void {
  for (const file of timersOn(root, instanceId)) {
    process.kill(Number(readFileSync(file, 'utf8')));
  }
}

describe('stopping and destroying later', () => {
  // The server in this process names no processes of its logins, as some machines do not.
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let trainer: number;
  let helper: number;
  const instances = () => window.view('instances');
  const rowText = async (name: string) => (await instances().row(name)).text;
  const stopTime = async (name: string) => stopsAt.exec(await rowText(name))?.[0];
  const destroyTime = async (name: string) => /destroyed [^(]*\d:\d\d/.exec(await rowText(name))?.[0];
  const world = () => computer().simulator.world;
  const writes = (id: number) =>
    computer()
      .simulator.received(undefined, `/api/v0/instances/${id}/`)
      .filter(({ method }) => method !== 'GET')
      .map(({ method, body }) => [method, body]);

  async function openMenu(name: string): Promise<void> {
    await instances().menu(name, 'End Later…');
    await window.quick.title(`Stop or Destroy ${name} Later`);
  }

  /** Picks what is to happen and types when, which the list shows in full. */
  async function choose(what: RegExp, when: string, shown: string): Promise<void> {
    await window.quick.pick(what);
    await window.quick.title(/When/);
    await window.quick.type(when, { enter: false });
    await window.quick.pick(shown);
  }

  /** Lets time pass until the row of the instance shows another time. */
  function anotherTime(name: string, before: string | undefined): Promise<string> {
    return computer().until('another time', async () => {
      const time = await stopTime(name);
      return time === before ? undefined : time;
    });
  }

  before(async () => {
    trainer = await reachableInstance(computer(), 'trainer');
    helper = await computer().rentRunning({ label: 'helper' });
    window = await computer().openSignedIn();
    await instances().row('trainer');
  });

  beforeEach(() => {
    window.clearToasts();
  });

  it('offers what can happen later and shows who does it', async () => {
    await openMenu('trainer');
    const rows = window.quick.rows();
    assert.deepEqual(
      rows.map((text) => /(Stop|Destroy) (After a Time|When Idle)…/.exec(text)?.[0]),
      ['Stop After a Time…', 'Stop When Idle…', 'Destroy After a Time…', 'Destroy When Idle…'],
    );
    assert.match(rows[0] ?? '', /\$\d+\.\d+\/day/);
    assert.match(window.quick.open.placeholder ?? '', /open on this computer/);
  });

  it('accepts a time as it is typed, and shows it on the row', async () => {
    await window.quick.pick(/Stop After a Time/);
    await window.quick.title('Stop When?');
    await window.quick.type('soon', { enter: false });
    assert.match(window.quick.rows().join('\n'), /^Enter a time from 1 minute/);
    await window.quick.enter();
    await window.quick.type('1h30', { enter: false });
    await window.quick.pick('In 1 h 30 min');
    await window.toast(/trainer will be stopped at .*, by an editor that is open/);
    assert.match(await rowText('trainer'), stopsAt);
    assert.match(await instances().tooltip('trainer'), /Carried out by.*an editor that is open/);
  });

  it('is changed and cancelled', async () => {
    await openMenu('trainer');
    const before = await stopTime('trainer');
    await window.quick.pick(/Extend by 1 Hour/);
    await anotherTime('trainer', before);
    await window.toast(/trainer will be stopped at/);
    window.clearToasts();
    await openMenu('trainer');
    await window.quick.pick(/Cancel, and Keep It/);
    await window.toast(/will not stop by itself/);
    await computer().until('no time', async () => !/stops/.test(await rowText('trainer')));
    computer().clock.jump(3 * 3_600_000);
    await computer().pass(2 * 60_000);
    assert.deepEqual(writes(trainer), []);
  });

  it('warns before it stops, and can be extended from there', async () => {
    await openMenu('helper');
    await choose(/Stop After a Time/, '1m', 'In 1 min');
    await window.toast(/helper will be stopped at/);
    const soon = /helper will be stopped in \d+ s/;
    await window.toast(soon);
    const before = await stopTime('helper');
    await window.toastButton(soon, 'Extend by 1 Hour');
    await anotherTime('helper', before);
    await computer().pass(10 * 60_000);
    assert.deepEqual(writes(helper), []);
  });

  it('stops in time, reads it back and shows what still costs money', async () => {
    await openMenu('helper');
    await choose(/Stop After a Time/, '1m', 'In 1 min');
    const since = computer().clock.elapsed();
    await window.toast(/helper will be stopped at/);
    await window.toast(/helper will be stopped in \d+ s/);
    await window.toast(/helper is stopped, as scheduled\..* \$\d/);
    const took = computer().clock.elapsed() - since;
    assert.ok(took >= 55_000 && took < 180_000, `after ${took} ms`);
    assert.deepEqual(writes(helper), [['PUT', { state: 'stopped' }]]);
    assert.equal(world().instance(helper)?.intendedStatus, 'stopped');
    await computer().until('no time', async () => !/stops/.test(await rowText('helper')));
  });

  it('asks before it is set to destroy, and shows what happens without an editor', async () => {
    await openMenu('trainer');
    await choose(/Destroy When Idle/, '45m', 'Idle for 45 min');
    const { text, detail } = await window.dialog();
    assert.match(`${text} ${detail}`, /will be destroyed once it has been idle for 45 min/);
    assert.match(`${text} ${detail}`, /under 5 %/);
    assert.match(`${text} ${detail}`, /If none is open at that time, the instance is not destroyed/);
    assert.doesNotMatch(await rowText('trainer'), /destroyed/);
    await window.dialogButton('Destroy Later');
    await instances().row(/trainer.*destroyed/);
  });

  it('does not count the idle time on an instance that does not show who is logged in', async () => {
    await openMenu('trainer');
    await window.quick.pick(/Let the Instance Do It…/);
    assert.match((await window.dialog()).detail ?? '', /no SSH login from any computer/);
    // A login on the computer that simulates the machine is none on the machine.
    const login = spawn('sleep', ['600'], { argv0: 'sshd: user@pts/0' });
    try {
      await window.dialogButton('Let It Destroy Itself');
      await window.toast(/Could not arm trainer\. It does not show SSH logins/);
    } finally {
      login.kill();
    }
    assert.doesNotMatch(await rowText('trainer'), /\(armed, checked \d.*\)/);
    assert.ok(world().instance(trainer));
  });

  it('is armed on the instance only once that has proved that it can act', async () => {
    await openMenu('trainer');
    await choose(/Destroy After a Time/, '2h', 'In 2 h');
    await window.dialogButton('Destroy Later');
    await window.toastButton(/trainer will be destroyed at/, 'Let the Instance Do It…');
    assert.match((await window.dialog()).detail ?? '', /no editor is open, without a warning/);
    const reads = () => computer().simulator.received('GET', `/api/v0/instances/${trainer}/`).length;
    const before = reads();
    await window.dialogButton('Let It Destroy Itself');
    await window.toast(/trainer destroys itself at .* its own timer runs, and its key was accepted/);
    assert.ok(reads() > before);
    await instances().row(/trainer.*\(armed, checked \d.*\)/);
  });

  it('warns that the timer acts at the old time if it is extended and the timer can’t be ended', async () => {
    const before = await destroyTime('trainer');
    const key = path.join(path.dirname(computer().sshConfig), 'id_ed25519');
    const away = path.join(computer().workspace, 'away');
    renameSync(key, away);
    await openMenu('trainer');
    await window.quick.pick(/Extend by 1 Hour/);
    const hereOnly = /^Extended here only\. trainer still destroys itself at .* could not be ended\.$/;
    await window.toast(hereOnly);
    assert.notEqual(await destroyTime('trainer'), before);
    assert.match(await rowText('trainer'), /\(armed, checked \d.*\)/);
    assert.doesNotMatch(window.toasts().join('\n'), /will be destroyed/);
    renameSync(away, key);
    await window.toastButton(hereOnly, 'Retry');
    await window.toast(willBeDestroyed);
    await window.dialogButton('Let It Destroy Itself');
    await window.toast(/trainer destroys itself at/);
  });

  it('has no timer for the old time once it is extended, although no new one is wanted', async () => {
    await openMenu('trainer');
    await window.quick.pick(/Extend by 1 Hour/);
    await window.dialogButton('Not Now');
    await window.toast(willBeDestroyed);
    assert.doesNotMatch(await rowText('trainer'), /armed/);
    assert.deepEqual(timersOn(computer().root, trainer), []);
    await openMenu('trainer');
    await window.quick.pick(/Let the Instance Do It…/);
    await window.dialogButton('Let It Destroy Itself');
    await window.toast(/trainer destroys itself at/);
  });

  it('stays armed where a look at the timer proves nothing', async () => {
    const answer = { kind: 'error', status: 403, error: 'no_access', msg: 'Not now.' } as const;
    computer().simulator.fail({ ...answer, method: 'GET', path: `/api/v0/instances/${trainer}/` });
    await openMenu('trainer');
    await window.quick.pick(/Check the Timer on the Instance/);
    await window.toast(/Could not verify the timer on trainer, so it may still act at .*HTTP 403/);
    assert.match(await rowText('trainer'), /\(armed, checked \d.*\)/);
  });

  it('stays in sight where it is canceled and the timer can not be ended', async () => {
    const key = path.join(path.dirname(computer().sshConfig), 'id_ed25519');
    const away = path.join(computer().workspace, 'away');
    renameSync(key, away);
    await openMenu('trainer');
    await window.quick.pick(/Cancel, and Keep It/);
    await window.toastButton(
      /Could not reach trainer, so nothing has changed: its own timer still acts/,
      'Cancel Here Only',
    );
    await window.toast(/Canceled here only\. trainer still destroys itself at/);
    assert.match(await rowText('trainer'), /destroys itself at .*\(armed, checked \d.*\)/);
    renameSync(away, key);
    await openMenu('trainer');
    assert.doesNotMatch(window.quick.rows().join('\n'), /Extend/);
    await window.quick.pick(/Cancel, and Keep It/);
    await window.toast(/trainer will not stop by itself/);
    await computer().until('its end', async () => !/destroy/.test(await rowText('trainer')));
    await openMenu('trainer');
    await choose(/Destroy After a Time/, '2h', 'In 2 h');
    await window.dialogButton('Destroy Later');
    await window.toastButton(/trainer will be destroyed at/, 'Let the Instance Do It…');
    await window.dialogButton('Let It Destroy Itself');
    await window.toast(/trainer destroys itself at/);
  });

  it('shows that the host key changed before it asks about the timer', async () => {
    const file = path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts');
    const known = readFileSync(file, 'utf8');
    const other = readFileSync(path.join(path.dirname(computer().sshConfig), 'id_ed25519.pub'), 'utf8');
    writeFileSync(file, known.replace(/ssh-ed25519 \S+/, other.split(' ').slice(0, 2).join(' ')));
    await openMenu('trainer');
    await window.quick.pick(/End the Timer on the Instance/);
    (await window.toast(/^The host key of the instance has changed\./)).close();
    (await window.toast(/Could not reach \S+, so nothing has changed/)).close();
    writeFileSync(file, known);
    assert.match(await rowText('trainer'), /\(armed, checked \d.*\)/);
  });

  it('reports at the next connection that the timer has ended, and arms it again', async () => {
    await computer().pass(2 * 60_000);
    killTimer(computer().root, trainer);
    window.start('gpuRental.instance.openTerminal', { instanceId: trainer });
    await window.toastButton(
      /The timer on trainer has ended\. The scheduled destruction now needs an editor/,
      'Arm Again',
    );
    assert.doesNotMatch(await rowText('trainer'), /armed/);
    await window.dialogButton('Let It Destroy Itself');
    await instances().row(/trainer.*\(armed, checked \d.*\)/);
  });

  it('ends the timer on the instance on request, and keeps the instance', async () => {
    await openMenu('trainer');
    await window.quick.pick(/End the Timer on the Instance/);
    await instances().row(/trainer.*destroyed/);
    await computer().until('its end', async () => !/\(armed, checked \d.*\)/.test(await rowText('trainer')));
    assert.ok(world().instance(trainer));
  });

  it('is not carried out after a sign-out', async () => {
    window.run('Sign Out…');
    await window.dialogButton('Sign Out');
    await computer().until('the welcome view', async () =>
      (await instances().welcome()).join('\n').includes('Sign In'),
    );
    computer().clock.jump(3 * 3_600_000);
    await computer().pass(2 * 60_000);
    assert.deepEqual(writes(trainer), []);
    assert.ok(world().instance(trainer));
  });
});
