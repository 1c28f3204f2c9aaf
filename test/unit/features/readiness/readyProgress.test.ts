import assert from 'node:assert/strict';
import { ReadyProgress } from '../../../../src/features/readiness/readyProgress';
import type { InstanceFacts } from '../../../../src/model/instances/instanceState';
import type { StartWatch } from '../../../../src/model/rentals/startWatch';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

const minute = 60_000;

describe('The progress of a machine that gets ready', () => {
  function scene({
    followed = [],
    isListed = true,
    more = {},
    state = { actualStatus: 'loading' },
    facts = {},
  }: {
    readonly followed?: readonly number[];
    readonly isListed?: boolean;
    readonly more?: Partial<StartWatch>;
    readonly state?: Parameters<typeof anInstance>[0];
    readonly facts?: InstanceFacts;
  } = {}) {
    const screen = openScreen();
    const clock = new FakeClock();
    const changed = new FakeEventEmitter<undefined>();
    const watches: StartWatch[] = [];
    const offered: { readonly key: string; readonly isStillSo: () => boolean }[] = [];
    const stopped: number[] = [];
    const instance = anInstance({ id: 7, label: 'trainer', ...state });
    const deps = {
      clock,
      accounts: { active: { key: 'mine' } },
      fleet: { find: () => (isListed ? instance : undefined), facts: () => facts },
      startWatches: {
        ...{ watches, onDidChange: changed.event },
        find: (id: number) => watches.find(({ instanceId }) => instanceId === id),
        stopWatching: (id: number) => {
          stopped.push(id);
          set();
          return Promise.resolve();
        },
      },
      oneWindow: {
        // Each of them is shown once, in one window.
        offer: (key: string, run: () => unknown, { isStillSo }: { readonly isStillSo: () => boolean }) => {
          if (!offered.some((one) => one.key === key)) {
            void run();
          }
          offered.push({ key, isStillSo });
        },
      },
    };
    const since = clock.now();
    const watch = { instanceId: 7, since, isLong: false, ...more } as StartWatch;
    const set = (...now: readonly StartWatch[]) => {
      watches.splice(0, watches.length, ...now);
      changed.fire(undefined);
    };
    watches.push(watch);
    const progress = new ReadyProgress(only(deps), new Set(followed));
    const shown = () =>
      screen.messages.shown.filter(({ kind }) => kind === 'progress').map(({ text }) => text);
    const quick = new OnQuick(screen);
    const press = async (button: string) => {
      screen.messages.shown.at(-1)?.press(button);
      await quick.flush();
    };
    return { clock, watch, set, progress, shown, offered, stopped, screen, press };
  }

  it('names its stage and time, which go on by themselves', async () => {
    const { clock, shown } = scene();
    const [before = ''] = shown();
    assert.match(before, /^Getting trainer ready: \S.* · 0 s$/);
    await clock.advance(2 * minute);
    assert.deepEqual(shown(), [before.replace('0 s', '2 min')]);
  });

  it('leaves out what a machine reported before another user had its GPU', () => {
    const facts: InstanceFacts = { lastRequest: { kind: 'start', at: 0, queued: true } };
    const stageOf = (statusMessage: string) =>
      scene({
        facts,
        state: { actualStatus: 'scheduling', intendedStatus: 'running', statusMessage },
        more: { message: statusMessage },
      }).shown();
    assert.deepEqual(stageOf('stopped'), ['Getting trainer ready: Another user has the GPU · 0 s']);
    assert.match(stageOf('Required resources are currently unavailable').join(), /0 s · Required resources/);
  });

  const stages = [
    ['the usual', {}, / · 0 s$/],
    ['a long start', { isLong: true }, / · 0 s · longer than usual$/],
    [
      'what the host says of a long start',
      { isLong: true, message: 'no space left on device' },
      / · longer than usual · The host says: no space left on device\. The disk is too small for the image/,
    ],
    ['what the host says', { message: 'pulling\n$(zap) layer' }, / · 0 s · pulling/],
    ['nothing that the host says', { message: '' }, / · 0 s$/],
    ['much that the host says', { message: 'x'.repeat(500) }, / · x{120}$/],
    ['a check', { check: { stage: 'login', since: 0 } }, /ready: (?!.* · 0 s ·).+/],
  ] as const;
  for (const [what, more, words] of stages) {
    it(`shows what it waits for: ${what}`, () => {
      assert.match(
        scene({ more: more as Partial<StartWatch> })
          .shown()
          .join(),
        words,
      );
    });
  }

  it('of a machine that is not listed yet, too', () => {
    assert.deepEqual(scene({ isListed: false }).shown(), ['Getting #7 ready: Preparing · 0 s']);
  });

  it('is over with the start, and another start has its own', async () => {
    const { set, watch, shown, clock } = scene();
    set({ ...watch, since: watch.since + 1 });
    await settle();
    assert.equal(shown().length, 1);
    set();
    await settle();
    assert.deepEqual([shown(), clock.pending], [[], 0]);
  });

  it('is offered to no window once the start is over, or where something else shows it', () => {
    const { offered, set, watch } = scene();
    assert.deepEqual(
      offered.map(({ key, isStillSo }) => [key, isStillSo()]),
      [[`mine:progress:7:${watch.since}`, true]],
    );
    set({ ...watch, since: watch.since + 1 });
    assert.equal(offered[0]?.isStillSo(), false);
    assert.deepEqual(scene({ followed: [7] }).offered, []);
  });

  it('is looked for no more once its feature has ended', () => {
    const { progress, offered, set, watch } = scene();
    progress.dispose();
    set({ ...watch, since: watch.since + 1 });
    assert.equal(offered.length, 1);
  });

  it('ends by the user only after a question, and continues without an answer', async () => {
    const { screen, shown, press, stopped } = scene();
    textsOn(screen);
    await press('Stop Waiting');
    assert.match(textsOn(screen).join(), /dialog Stop waiting for “trainer”\?/);
    assert.deepEqual(shown(), []);
    await press('Keep Waiting');
    assert.deepEqual([shown().length, stopped], [1, []]);
    await press('Stop Waiting');
    await press('Stop Waiting');
    assert.deepEqual([shown(), stopped], [[], [7]]);
  });
});
