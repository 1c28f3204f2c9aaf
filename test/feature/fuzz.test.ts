import assert from 'node:assert/strict';
import { playEnds } from '../fuzz/ends/scene';
import { Judge } from '../fuzz/judge';
import { play } from '../fuzz/scene';
import { haveKey, rent3090 } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';

describe('random actions, faults, killed windows and clock jumps', () => {
  for (const seed of [4, 7, 295]) {
    it(`break no rule of money in the run of seed ${seed}`, async () => {
      const { violations, rentals } = await play(seed);
      assert.deepEqual(violations, []);
      assert.ok(rentals > 0);
    });
  }
});

describe('the agreed end of a rental under random faults', () => {
  for (const seed of [2, 9]) {
    it(`happens once, in time and after a warning in the run of seed ${seed}`, async () => {
      assert.deepEqual((await playEnds(seed)).violations, []);
    });
  }
});

const found = [
  /^told as destroyed while it bills/,
  /^the schedule of #\d+ was dropped \(it was due\)/,
  /^#\d+ and #\d+ were rented for one Enter/,
  /^#\d+ is rental 2 of 1 allowed/,
  /^#\d+ bills and is in no view/,
  /^#\d+ was destroyed unasked, with its data/,
  /^#\d+ outlived its agreed end/,
];

describe('the judge of the fault runs', () => {
  const computer = useComputer();

  it('finds what broke a rule, and nothing before that', async () => {
    await haveKey(computer());
    const { world, orders } = computer().simulator;
    const judge = new Judge(computer(), false);
    const window = await computer().openWindow();
    judge.watch(window);
    await window.signIn();
    judge.rentalsAllowed = 1;
    const first = await rent3090(window);
    await computer().until('it to run', () => world.instance(first.id)?.actualStatus === 'running');
    await computer().pass(90_000);
    await judge.check(window);
    assert.deepEqual(judge.violations, []);
    void window.screen.messages.show(
      'info',
      `1× RTX 3090 #${first.id} is destroyed: the service lists it.`,
      [],
    );
    judge.scheduled(`1× RTX 3090 #${first.id} will be stopped at 14:00, by an editor that is open`, 0);
    await judge.check(window);
    world.addInstance({ ...first, id: first.id + 1 });
    await judge.check(window);
    world.removeInstance(first);
    judge.leftAlone(first.id + 1, true);
    judge.leftAlone(first.id + 1, false);
    window.clearToasts();
    orders.clear();
    assert.deepEqual(
      judge.violations.map((text) => found.find((one) => one.test(text)) ?? text),
      found,
    );
  });
});
