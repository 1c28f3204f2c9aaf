import assert from 'node:assert/strict';
import { haveKey, newInstance, rent3090, rentalsOf, searchAndReview } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minute = 60_000;
const hour = 60 * minute;
const perDay = 'gpuRental.budget.perDay';
const perMonth = 'gpuRental.budget.perMonth';

const texts = (...windows: readonly FeatureWindow[]) =>
  windows.flatMap(({ screen }) => screen.messages.history.map(({ text }) => text));
const about = (words: RegExp, ...windows: readonly FeatureWindow[]) =>
  texts(...windows).filter((one) => words.test(one));

describe('the warning before a budget is spent', () => {
  const computer = useComputer();

  it('appears once over windows and restarts, and again when it is spent', async () => {
    await computer().rentRunning({ label: 'trainer' });
    const first = await computer().openWindow();
    const second = await computer().openWindow();
    await first.signIn();
    const price = Number(/\$([\d.]+)\/h/.exec(await first.statusShows(/1 running · \$/))?.[1]);
    computer().settings.set(perDay, Math.ceil(price * 200) / 100);
    await computer().pass(hour);
    assert.deepEqual(about(/of your budget/, first, second), []);
    await first.toast(/^You have spent \$\d+\.\d\d of your budget of \$\d+\.\d\d\/day\./, {
      withinMs: hour,
    });
    await computer().pass(5 * minute);
    assert.equal(about(/of your budget/, first, second).length, 1);
    first.close();
    second.close();
    const third = await computer().openWindow({ isFocused: true });
    await third.toast(/^You have spent \$.* of your budget of .* Rentals and starts now need/, {
      withinMs: hour,
    });
    await computer().pass(20 * minute);
    assert.equal(about(/of your budget of \S+\.$/, third).length, 0);
    assert.equal(about(/need your confirmation/, third).length, 1);
    // The next day has its own, of its own share.
    third.clearToasts();
    computer().clock.jump(11 * hour);
    await third.toast(/^You have spent .* of your budget/, { withinMs: 2 * hour });
  });
});

describe('a budget in the status bar', () => {
  const computer = useComputer({ settings: { [perDay]: 1000 } });

  it('makes room for the stage of a start, and returns after it', async () => {
    await haveKey(computer());
    const window = await computer().openSignedIn();
    await rent3090(window);
    const busy = await window.statusShows(/Loading|Creating/);
    assert.match(busy, /0 running · \$\d\S*\/h$/m);
    await window.toast(/is ready/);
    await window.statusShows(/1 running · \$\S+\/h · credit for .* · \$\d\S* of \$1,?000\/day$/m);
  });
});

describe('a budget that is spent', () => {
  const computer = useComputer({
    settings: { [perDay]: 0.01, 'gpuRental.ready.onFailure': 'replace' },
  });
  let window: FeatureWindow;

  before(async () => {
    await haveKey(computer());
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    await window.toast(/need your confirmation/);
    window.clearToasts();
  });
  afterEach(() => window.clearToasts());

  const starts = () =>
    computer()
      .simulator.received('PUT', /^\/api\/v0\/instances\/\d+\/$/)
      .filter(({ body }) => (body as { state?: string }).state === 'running');

  it('asks before a stopped machine is started, and names itself', async () => {
    await window.view('instances').menu('trainer', 'Stop…');
    await window.dialogButton('Stop');
    await window.view('instances').row(/Stopped/);
    await window.view('instances').menu('trainer', 'Start…');
    await window.dialogButton('Start');
    const { text, detail } = await window.dialog();
    assert.match(text, /Continue outside your budget\?/);
    assert.match(detail ?? '', /You have spent \$\d+\.\d\d of your budget of \$0\.01\/day\./);
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.deepEqual(starts(), []);
    await window.view('instances').menu('trainer', 'Start…');
    await window.dialogButton('Start');
    await window.dialogButton('Continue Anyway');
    await window.view('instances').row(/Running/);
    assert.equal(starts().length, 1);
  });

  it('replaces no machine by itself, and asks before it does so by hand', async () => {
    const { simulator } = computer();
    const before = rentalsOf(computer()).length;
    simulator.orders.failBoot({ outcome: 'exited', message: 'Error: no such device' });
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    // An Enter that comes with the step is none.
    await computer().pass(1000);
    await newInstance(computer(), async () => {
      await window.quick.pick(/^Rent over the Budget for/);
      await computer().until('the rental', () => rentalsOf(computer()).length === before + 1);
    });
    await window.toastButton(
      /no such device.* of your budget of \$0\.01\/day\. So it is not replaced without asking\./,
      'Destroy and Rent Next Best',
    );
    await window.dialogButton('Cancel', /outside your budget\?/);
    await computer().pass(10 * minute);
    assert.equal(rentalsOf(computer()).length, before + 1);
    assert.deepEqual(simulator.received('DELETE', /^\/api\/v0\/instances\/\d+\/$/), []);
  });
});

describe('Set Budget…', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;

  before(async () => {
    window = await computer().openSignedIn();
  });

  it('asks for a day and a month, keeps both, and confirms that', async () => {
    window.run('Set Budget…');
    await quick().title('Set Budget');
    await quick().type('ten');
    const { open } = quick();
    assert.ok('validationMessage' in open);
    assert.match(JSON.stringify(open.validationMessage), /Type an amount in dollars/);
    await quick().type('$12.50');
    await quick().type('200');
    await window.toast('Budget of each account: $12.50/day, $200/month');
    assert.deepEqual([computer().settings.values[perDay], computer().settings.values[perMonth]], [12.5, 200]);
  });

  it('changes nothing if it is left, and reads an empty line as no limit', async () => {
    window.run('Set Budget…');
    await quick().title('Set Budget');
    await quick().type('1');
    await computer().rest();
    quick().escape();
    await computer().rest();
    assert.equal(computer().settings.values[perDay], 12.5);
    window.run('Set Budget…');
    await quick().title('Set Budget');
    await quick().type('');
    await computer().rest();
    await quick().type('');
    await window.toast('No budget is set.');
    assert.equal(computer().settings.values[perMonth], 0);
  });
});

describe('the stop of all instances at the end of a budget', () => {
  const computer = useComputer({ settings: { 'gpuRental.budget.stopAllAtLimit': true } });

  it('is announced 10 minutes before, and done once by one of two windows', async () => {
    const id = await computer().rentRunning({ label: 'trainer' });
    const first = await computer().openWindow();
    const second = await computer().openWindow();
    await first.signIn();
    await second.view('instances').row('trainer');
    computer().settings.set(perDay, 0.01);
    const soon = await first.toast(
      /^Your budget of \$0\.01\/day is nearly spent\. All running instances stop in 10 minutes/,
    );
    assert.deepEqual(soon.buttons, ['Not Now', 'Set Budget…']);
    const since = computer().clock.elapsed();
    await first.toast(/so these instances are stopped: trainer\. Storage still costs money/);
    assert.ok(computer().clock.elapsed() - since >= 9 * minute);
    await computer().pass(20 * minute);
    const { simulator } = computer();
    const stops = simulator.received('PUT', `/api/v0/instances/${id}/`);
    assert.deepEqual(
      stops.map(({ body }) => body),
      [{ state: 'stopped' }],
    );
    assert.equal(about(/is nearly spent/, first, second).length, 1);
    assert.equal(about(/are stopped: trainer/, first, second).length, 1);
    first.clearToasts();
  });
});

describe('the stop at the end of a budget that is declined', () => {
  const computer = useComputer({ settings: { 'gpuRental.budget.stopAllAtLimit': true, [perDay]: 0.01 } });

  it('leaves the machines running that day', async () => {
    const id = await computer().rentRunning({ label: 'trainer' });
    const window = await computer().openSignedIn();
    await window.toastButton(/is nearly spent/, 'Not Now');
    await window.toast('Your instances keep running today. They still cost money.');
    await computer().pass(40 * minute);
    assert.deepEqual(computer().simulator.received('PUT', `/api/v0/instances/${id}/`), []);
    window.clearToasts();
  });
});
