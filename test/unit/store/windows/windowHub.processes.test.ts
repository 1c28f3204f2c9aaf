import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../support/until';
import { WindowProcess } from '../../../support/windowProcess';

for (const [name, addressOf] of [
  ['the address of this platform', () => '-'],
  ['a socket file', (dir: string) => join(dir, 'hub.sock')],
] as const) {
  describe(`windows that meet by ${name}`, () => {
    let dir: string;
    let windows: WindowProcess[];
    const open = (speed?: number) => {
      const window = new WindowProcess(dir, addressOf(dir), speed);
      windows.push(window);
      return window;
    };
    const pace = 20;
    const settled = (living: readonly WindowProcess[]) =>
      until(
        'one leads and knows the others',
        () => {
          const leaders = living.filter(({ leads }) => leads === true);
          const known = living.every(({ leads }) => leads !== undefined);
          return known && leaders.length === 1 && leaders[0]?.peers === living.length - 1
            ? leaders[0]
            : undefined;
        },
        { everyMs: 20, timeoutMs: 100_000 },
      );

    beforeEach(async () => {
      windows = [];
      dir = await mkdtemp(join(tmpdir(), 'gpu-rental-hub-'));
    });
    afterEach(async () => {
      await Promise.all(windows.map((window) => window.kill()));
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    });

    it('has one leader, reaches every window, and continues when the leader is killed', async () => {
      const all = [open(), open(), open()];
      const leader = await settled(all);
      const followers = all.filter((window) => window !== leader);
      followers[0]?.report('from-a-follower');
      leader.report('from-the-leader');
      await until(
        'everybody else heard',
        () =>
          leader.heard.includes('from-a-follower') &&
          followers[1]?.heard.includes('from-a-follower') === true &&
          followers.every(({ heard }) => heard.includes('from-the-leader')),
        { everyMs: 20 },
      );
      assert.ok(!leader.heard.includes('from-the-leader'));
      assert.ok(followers[0] && !followers[0].heard.includes('from-a-follower'));

      await leader.kill();
      const next = await settled(followers);
      const other = followers.find((window) => window !== next);
      other?.report('after-the-death');
      await until('the new leader hears', () => next.heard.includes('after-the-death'), { everyMs: 20 });
      assert.deepEqual(
        all.flatMap(({ reports: received }) =>
          received.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
        ),
        [],
      );
    });

    it('leaves a leader that hangs, which learns of it before it acts', async () => {
      const all = [open(pace), open(pace), open(pace)];
      const leader = await settled(all);
      const followers = all.filter((window) => window !== leader);
      leader.hang();
      const next = await settled(followers);
      leader.act();
      leader.goOn();
      await until('it answers', () => leader.reports.some(({ acts }) => acts !== undefined), { everyMs: 20 });
      assert.equal(leader.reports.find(({ acts }) => acts !== undefined)?.acts, false);
      assert.equal(await settled(all), next);
      leader.report('back-again');
      await until('it is heard', () => next.heard.includes('back-again'), { everyMs: 20 });
    });

    it('meets elsewhere where the only other window hangs', async () => {
      const first = open(pace);
      await settled([first]);
      first.hang();
      const second = open(pace);
      await settled([second]);
      first.goOn();
      assert.equal(await settled([first, second]), second);
    });

    it('lets exactly one window claim a thing, and no later one', async () => {
      const all = [open(), open()];
      await settled(all);
      for (const window of all) {
        window.claim('the-thing');
      }
      const answers = () =>
        windows.flatMap(({ reports: received }) => received.filter(({ claim }) => claim === 'the-thing'));
      await until('both have an answer', () => answers().length === 2, { everyMs: 20 });
      const late = open();
      await until('the late one is there', () => late.leads !== undefined, { everyMs: 20 });
      late.claim('the-thing');
      await until('all have an answer', () => answers().length === 3, { everyMs: 20 });
      assert.equal(answers().filter(({ first }) => first === true).length, 1);
      assert.deepEqual(
        late.reports.filter(({ claim }) => claim === 'the-thing').map(({ first }) => first),
        [false],
      );
    });
  });
}
