import assert from 'node:assert/strict';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const hourMs = 3_600_000;
const list = '/api/v0/commands/schedule_job/';

describe('the timetable of the service', () => {
  const computer = useComputer({ settings: { 'gpuRental.end.useServiceTimetable': true } });
  let window: FeatureWindow;
  let trainer: number;
  const instances = () => window.view('instances');
  const world = () => computer().simulator.world;
  const requests = (method: string) =>
    computer()
      .simulator.received(method)
      .filter(({ path }) => path.startsWith(list)).length;
  const tooltip = (pattern: RegExp) =>
    computer().until(String(pattern), async () => {
      const text = await instances().tooltip('trainer');
      return pattern.test(text) ? text : undefined;
    });
  const entries = async () => {
    const { json } = await computer().simulator.call('GET', list);
    return json as unknown as { readonly instance_id: number; readonly start_time: number }[];
  };

  async function endLater(what: RegExp, when: string, shown: string): Promise<void> {
    await instances().menu('trainer', 'End Later…');
    await window.quick.title('Stop or Destroy trainer Later');
    await window.quick.pick(what);
    await window.quick.title(/When/);
    await window.quick.type(when, { enter: false });
    await window.quick.pick(shown);
  }

  before(async () => {
    trainer = await computer().rentRunning({ label: 'trainer' });
    // Left by another computer, or before this one was set up.
    await computer().simulator.call('POST', list, {
      instance_id: 99,
      api_endpoint: '/api/v0/instances/99/',
      request_method: 'DELETE',
      request_body: {},
      start_time: 1_796_108_400,
      end_time: 1_796_108_460,
      frequency: 'WEEKLY',
      day_of_the_week: 2,
      hour_of_the_day: 7,
    });
    window = await computer().openSignedIn();
    await instances().row('trainer');
  });

  it('offers what was left in it for removal, and reads that it is gone', async () => {
    const left = /has entries without a schedule on this computer: #99 will be destroyed at/;
    await window.toastButton(left, 'Remove');
    await window.toast(/Removed from the timetable of the service: 1 of 1/);
    assert.deepEqual(await entries(), []);
  });

  it('has the stop that the user scheduled, as the row explains', async () => {
    await endLater(/Stop After a Time/, '3h', 'In 3 h');
    const text = await tooltip(/stops it .*, also without an editor/);
    assert.match(text, /Timetable of the service/);
    assert.match(text, /does not prove that it will run/);
    const [entry] = await entries();
    assert.equal(entry?.instance_id, trainer);
    assert.ok(entry.start_time * 1000 - computer().clock.now() <= 4 * hourMs);
  });

  it('is not asked while nothing changes', async () => {
    const before = requests('GET');
    await computer().pass(20 * 60_000);
    assert.equal(requests('GET'), before);
  });

  it('holds nothing once the message reports that the instance will not stop by itself', async () => {
    await instances().menu('trainer', 'End Later…');
    await window.quick.pick('Cancel, and Keep It');
    await window.toast(/trainer will not stop by itself/);
    assert.deepEqual(await entries(), []);
    await endLater(/Stop After a Time/, '3h', 'In 3 h');
    await tooltip(/stops it .*, also without an editor/);
  });

  it('stops the instance with all editors closed', async () => {
    window.close();
    computer().simulator.world.clock.advance(4.1 * hourMs);
    await computer().until('the stop', () => world().instance(trainer)?.intendedStatus === 'stopped');
    assert.equal(computer().simulator.received('PUT', `/api/v0/instances/${trainer}/`).length, 0);
  });

  it('is empty once the next window has seen the stop', async () => {
    window = await computer().openSignedIn();
    await instances().row('trainer');
    await computer().until('no entry', async () => (await entries()).length === 0);
  });

  it('explains on the row which permission the key lacks', async () => {
    computer().simulator.fail({
      kind: 'error',
      status: 401,
      path: list,
      method: 'POST',
      times: 0,
      msg: 'not allowed: api.commands.schedule_job',
    });
    await endLater(/Destroy After a Time/, '3h', 'In 3 h');
    await window.dialogButton('Destroy Later', /Destroy “trainer” later/);
    const text = await tooltip(/Timetable of the service.*not set/s);
    assert.match(text, /needs instance\\_write/);
    assert.match((await instances().row('trainer')).text, /Timetable of the service: not set/);
  });
});
