import assert from 'node:assert/strict';
import type { DraftJob } from '../../../../src/jobs/model/draftJob';
import { rentalOfJob } from '../../../../src/jobs/ui/rentalOfJob';
import type { OrderedMachine } from '../../../../src/model/rentals/rentalOrder';
import { UserError } from '../../../../src/util/errors';
import { text } from '../../../../src/util/text';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

type Result = 'rented' | 'notKnown' | 'notRented';
interface Order {
  readonly spec: { readonly name: string };
  readonly rental: { readonly marker: string; readonly by?: string };
}

describe('The jobs of a rental of several machines', () => {
  const screen = useScreen();
  const done: string[] = [];
  const shown: string[] = [];
  screen.commands.ofEditor.set('gpuRental.job.showLog', (target) => {
    shown.push((target as { readonly jobId: string }).jobId);
  });
  let waiting: readonly string[];
  let refusal: Error | undefined;
  const reported: unknown[] = [];
  const refuse = () => (refusal ? Promise.reject(refusal) : Promise.resolve());
  /** Markers by the number of their machine, as they come by chance. */
  let markers: string[];
  const machineOf = (marker: string) => `machine ${markers.indexOf(marker)}`;
  const deps = {
    report: { error: (error: unknown) => reported.push(error) },
    jobs: {
      awaitsRental: (id: string) => refuse().then(() => waiting.includes(id)),
      forget: (id: string) => refuse().then(() => done.push(`forget ${id}`)),
      rentedBy: (id: string, marker: string) =>
        refuse().then(() => done.push(`${id} on ${machineOf(marker)}`)),
      order: ({ spec: { name }, rental }: Order) => {
        if (!markers.includes(rental.marker)) {
          markers.push(rental.marker);
        }
        done.push(`order ${name} for ${machineOf(rental.marker)}${rental.by ? ` by ${rental.by}` : ''}`);
        return Promise.resolve({ id: name });
      },
    },
  } as never;

  const machine = { name: 'machine', perHour: undefined, gpuCount: 2 };
  const begin = (names: readonly string[], machines: number) =>
    rentalOfJob(
      deps,
      only({
        job: { order: { spec: {} }, names: [], each: names.map((name) => ({ spec: { name } })) },
      }),
    ).begin(machine, machines);

  /** Rents one machine after the other, each of which ends like this. */
  const rent = async (names: readonly string[], results: readonly Result[], machines = results.length) => {
    markers.length = 0;
    waiting = names;
    const jobs = begin(names, machines);
    for (const [copy, result] of results.entries()) {
      await jobs.beforeSent(copy, 'window');
      await jobs.sent(copy, result);
    }
    return jobs;
  };

  beforeEach(() => {
    for (const list of [done, shown, reported, (markers = [])]) {
      list.length = 0;
    }
    refusal = undefined;
  });

  it('are all stored before the first request, each for one machine in turn', async () => {
    await rent(['a', 'b', 'c'], ['rented', 'rented']);
    assert.deepEqual(done, [
      'order a for machine 0 by window',
      'order c for machine 0 by window',
      'order b for machine 1 by window',
    ]);
    assert.deepEqual(shown, ['a']);
    done.length = 0;
    await rent(['a'], ['rented']);
    assert.deepEqual(done, ['order a for machine 0'], 'the result of the only rental is final');
  });

  it('are not shown where the first machine was not rented', async () => {
    await rent(['a', 'b'], ['notRented', 'rented']);
    assert.deepEqual(shown, []);
    await rent(['a', 'b'], ['notKnown', 'rented']);
    assert.deepEqual(shown, ['a']);
  });

  for (const [results, wanted] of [
    [['rented', 'rented'], []],
    [
      ['rented', 'notRented'],
      ['b on machine 1', 'd on machine 1'],
    ],
    [
      ['notKnown', 'notRented'],
      ['a on machine 0', 'c on machine 0', 'b on machine 1', 'd on machine 1'],
    ],
  ] as const) {
    it(`stay with their own machine: ${results.join(', ')}`, async () => {
      const jobs = await rent(['a', 'b', 'c', 'd'], results);
      done.length = 0;
      await jobs.settle();
      assert.deepEqual(done, wanted);
    });
  }

  it('are those of the confirmed machine where they depend on it', async () => {
    const job = only<DraftJob>({ order: { spec: {} }, names: [], each: [{ spec: { name: 'any' } }] });
    const on = ({ gpuCount = 0 }: OrderedMachine) => ({
      ...job,
      each: only<DraftJob['each']>([{ spec: { name: `on ${gpuCount} GPUs` } }]),
    });
    markers.length = 0;
    await rentalOfJob(deps, only({ job, tailored: { on } }))
      .begin(machine, 1)
      .beforeSent(0, 'window');
    assert.deepEqual(done, ['order on 2 GPUs for machine 0']);
  });

  it('go to the machines that were rented where a rental was never sent', async () => {
    const settled = async (results: readonly Result[]) => {
      const jobs = await rent(['a', 'b', 'c', 'd', 'e', 'f'], results, 3);
      done.length = 0;
      await jobs.settle();
      return done.splice(0);
    };
    assert.deepEqual(await settled(['rented', 'rented']), ['c on machine 0', 'f on machine 1']);
    assert.deepEqual(await settled(['rented', 'notKnown']), [
      ...['b on machine 1', 'e on machine 1', 'c on machine 0', 'f on machine 0'],
    ]);
    assert.deepEqual(await settled(['notKnown', 'notRented']), [
      ...['a on machine 0', 'd on machine 0', 'b on machine 1', 'e on machine 1'],
      ...['c on machine 0', 'f on machine 0'],
    ]);
    assert.deepEqual(await settled([]), []);
  });

  it('are given up where nothing was sent for them', async () => {
    waiting = ['a'];
    const jobs = begin(['a'], 1);
    await jobs.beforeSent(0, 'window');
    done.length = 0;
    await jobs.settle();
    assert.deepEqual(done, ['forget a']);
  });

  it('show why a machine is not rented any more', async () => {
    const jobs = await rent(['a', 'b'], ['rented', 'rented']);
    assert.equal(await jobs.whyNotWanted(1), undefined);
    waiting = [];
    assert.equal(await jobs.whyNotWanted(1), 'The jobs of the others no longer wait for a machine.');
    await assert.rejects(jobs.beforeSent(1, 'window'), { name: 'CancelledError' });
    refusal = new Error('odd');
    assert.equal(await jobs.whyNotWanted(1), 'See the log for details.');
    assert.equal(reported.length, 1);
    refusal = new UserError(text('The disk is full.'));
    await jobs.settle();
  });
});
