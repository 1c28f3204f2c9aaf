import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { hourlyRate, type Rate } from '../../../../src/model/quote';
import { roomBeside } from '../../../../src/store/instances/burn';
import { overHourlyLimit } from '../../../../src/store/instances/limitPerHour';
import { anInstance } from '../../../support/builders';
import { windowScene, type WindowScene } from '../../../support/computerScene';

const dollars = (amount: number): Rate => hourlyRate(fromDollars(amount));

describe('The limit of the user for all instances', () => {
  let { service, computer, window } = {} as WindowScene;
  let limit: number;
  let waits: number;
  beforeEach(async () => {
    // Two that run, at 0.40 $/h each.
    const instances = [anInstance(), anInstance({ id: 5002 })];
    ({ service, computer, window } = await windowScene({ instances }));
    limit = 1;
    waits = 0;
  });
  afterEach(() => computer.dispose());

  const deps = () => ({
    ...window,
    volumes: { state: { kind: 'ready' as const, value: [], fetchedAt: 0 } },
    clock: computer.clock,
    log: computer.log,
    settings: { get: () => limit },
  });
  const over = (changed: readonly number[], rates: readonly (Rate | undefined)[]) =>
    overHourlyLimit(
      deps(),
      changed,
      () => rates,
      (work) => {
        waits += 1;
        return work;
      },
    );

  it('is kept up to its last cent, and passed with what all of them will cost', async () => {
    assert.equal(await over([], [dollars(0.2)]), undefined);
    assert.deepEqual(await over([], [dollars(0.21)]), { limit: fromDollars(1), total: fromDollars(1.01) });
    assert.deepEqual(await over([], [dollars(0.2), dollars(0.2)]), {
      limit: fromDollars(1),
      total: fromDollars(1.2),
    });
    assert.equal(await over([5001], [dollars(0.6)]), undefined, 'in place of what it costs now');
  });

  it('is none without one, and then nothing is read', async () => {
    limit = 0;
    assert.equal(await over([], [dollars(9)]), undefined);
    assert.deepEqual([waits, service.count('instances.list')], [0, 0]);
    assert.deepEqual(roomBeside(deps(), limit, 5001), {});
  });

  it('may be passed where a price is unknown', async () => {
    assert.deepEqual(await over([], [undefined]), { limit: fromDollars(1) });
  });

  it('is held against a list that is read now where the last one is old', async () => {
    await over([], []);
    await over([], []);
    assert.deepEqual([waits, service.count('instances.list')], [1, 1]);
    service.instances = [];
    await computer.clock.advance(3_600_000);
    service.calls.length = 0;
    assert.equal(await over([], [dollars(1)]), undefined);
  });

  it('uses the new rates of the list that was just read', async () => {
    const known = () => (window.fleet.find(5001) ? [dollars(0.6)] : [undefined]);
    const read = (work: Promise<void>) => work;
    assert.equal(await overHourlyLimit(deps(), [5001], known, read), undefined);
  });

  it('may be exceeded if no list can be read, which is logged', async () => {
    service.failsBefore('instances.list', () => new Error('down'));
    assert.deepEqual(await over([], []), { limit: fromDollars(1) });
    assert.equal(
      computer.log.count('warn The instances could not be compared with the price limit: Error: down'),
      1,
    );
  });

  it('leaves room beside the other instances', async () => {
    await window.fleet.refresh();
    assert.deepEqual(roomBeside(deps(), 1, 5001), { roomPerHour: fromDollars(0.6) });
  });
});
