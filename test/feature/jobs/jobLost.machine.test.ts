import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { InstanceState } from '../../../src/simulator/state';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { areJobsOver, rentForJob, writeJob } from '../../support/feature/jobDriver';
import { atPlaces } from '../../support/feature/jobPlaces';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices, lastSearch } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job whose machine is lost while it runs', () => {
  const computer = useComputer({ simulator: { sshServer: true, credit: 10_000 } });
  let window: FeatureWindow;
  /** The machines that cost money at the same time, at most. */
  let most = 0;
  const world = () => computer().simulator.world;
  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  const destroyed = () =>
    computer()
      .simulator.received('DELETE', /^\/api\/v0\/instances\/\d+\/$/)
      .map(({ path: asked }) => Number(/\d+(?=\/$)/.exec(asked)?.[0]));
  const starts = () => path.join(computer().root, 'starts');
  const linesOf = () => (existsSync(starts()) ? readFileSync(starts(), 'utf8').trim().split('\n') : []);

  /** Runs until its machine is lost; the attempt after that comes to its end. */
  async function run(retries: Record<string, number>, typed = ''): Promise<InstanceState> {
    const before = linesOf().length;
    const script = [
      `echo "$GPU_RENTAL_ATTEMPT" >>${starts()}`,
      '[ "$GPU_RENTAL_ATTEMPT" = 2 ] || sleep 600',
      'printf model >outputs/model.bin',
    ];
    await writeJob(window, { run: script, retries, whenDone: { success: 'destroy' } });
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Search Offers for train');
    if (typed !== '') {
      await window.quick.type(typed, { enter: false });
      await computer().until(
        'the other rental type',
        () => lastSearch(computer())['type'] === 'bid' && !window.quick.open.busy,
      );
    }
    await window.quick.pick(/1× RTX 3090/);
    await window.quick.title('Rent for train: Confirm');
    await rentForJob(window);
    await computer().until('the start', () => linesOf().length > before);
    const [machine] = world().instances;
    assert.ok(machine);
    return machine;
  }

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    world().onDidChangeInstance(() => {
      most = Math.max(most, world().instances.length);
    });
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  for (const [what, typed, lose] of [
    ['outbid', 'spot 1x 3090', (machine: InstanceState) => computer().simulator.lifecycle.outbid(machine)],
    [
      'ended by its host',
      '',
      (machine: InstanceState) =>
        computer().simulator.lifecycle.fail(machine, 'exited', 'The host has ended it'),
    ],
  ] as const) {
    it(`runs again on another where it was ${what}, and each is rented and destroyed once`, async () => {
      const before = { rentals: rentals(), destroyed: destroyed().length };
      most = 0;
      const first = await run({ interrupted: 1 }, typed);
      lose(first);
      await window.toast(/^train runs again on another machine \(attempt 2\): /);
      await window.toast(/^train: succeeded after .* for \$/);
      await window.toast(/is destroyed after train/);
      const gone = destroyed().slice(before.destroyed);
      assert.deepEqual([rentals() - before.rentals, gone.length, new Set(gone).size], [2, 2, 2]);
      assert.equal(gone[0], first.id);
      assert.deepEqual([world().instances.length, most], [0, 1]);
      assert.deepEqual(linesOf().slice(-2), ['1', '2']);
      const runs = path.join(computer().workspace, 'gpu-outputs', 'train');
      const last = path.join(runs, readdirSync(runs).at(-1) ?? '', 'outputs', 'model.bin');
      assert.equal(readFileSync(last, 'utf8'), 'model');
      window.clearToasts();
    });
  }

  for (const place of ['before DELETE', 'after DELETE', 'before PUT', 'after PUT']) {
    it(`runs again on one other machine where its window is killed ${place} on the way there`, async () => {
      const before = { rentals: rentals(), destroyed: destroyed().length };
      most = 0;
      const first = await run({ interrupted: 1 });
      const killed = window;
      atPlaces(killed.fate, (seen) => {
        if (seen.startsWith(`${place} /api/v0/${place.endsWith('PUT') ? 'asks' : 'instances'}/`)) {
          killed.kill();
        }
      });
      computer().simulator.lifecycle.fail(first, 'exited', 'The host has ended it');
      await computer().until('the end of the window', () => !killed.isOpen, { withinMs: 60 * 60_000 });
      window = await computer().openWindow({ isFocused: true });
      await window.toast(/^train: succeeded after .* for \$/);
      await window.toast(/is destroyed after train/);
      const gone = destroyed().slice(before.destroyed);
      assert.deepEqual([new Set(gone).size, world().instances.length, most], [2, 0, 1]);
      assert.equal(new Set(gone).has(first.id), true);
      assert.deepEqual(linesOf().slice(-2), ['1', '2']);
      assert.ok(rentals() - before.rentals <= 3);
      window.clearToasts();
    });
  }

  it('is reported if its file wants no other machine, and nothing is rented or destroyed', async () => {
    const before = { rentals: rentals(), destroyed: destroyed().length };
    const first = await run({});
    computer().simulator.lifecycle.destroy(first);
    await window.toast(/is gone\. The outputs of train that were not fetched are lost\.$/);
    await window.view('jobs').row(/train.*machine lost|train.*lost/);
    await computer().pass(60 * 60_000);
    assert.deepEqual([rentals() - before.rentals, destroyed().length - before.destroyed], [1, 0]);
    assert.ok(await computer().until('the end of the job', () => areJobsOver(computer())));
    assert.ok(existsSync(starts()));
    window.clearToasts();
  });
});
