import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecentRentals } from '../../../../src/store/instances/fleetStore';
import { RentalRecords } from '../../../../src/store/rentals/rentalRecords';
import { silentLog } from '../../../../src/util/log';
import { anInstance, anOffer } from '../../../support/builders';
import { passUntil } from '../../../support/computerScene';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { readLate } from '../../../support/lateRead';
import { rentalRequest } from '../../../support/rentalRequest';
import { until } from '../../../support/until';

const minute = 60_000;

describe('the rentals of an account, on disk', () => {
  let computer: FakeComputer;
  afterEach(() => computer.dispose());

  it('have the list read often for a quarter of an hour each, from when they became known here', async () => {
    const service = new FakeService();
    service.offers = [anOffer()];
    computer = await FakeComputer.make(service.client);
    const { clock, secrets, storageDir } = computer;
    const { rentals, accounts, hub, owned } = await computer.openSignedIn();
    await clock.through(rentals.rent(rentalRequest));
    const [rental] = rentals.rentals;
    assert.ok(rental);
    let events: RecentRentals | undefined;
    const fleet = { setRented: (recent: RecentRentals) => (events = recent) };
    const records = owned.add(
      new RentalRecords({ accounts, hub, fleet, secrets, storageDir, clock, log: silentLog }),
    );
    await records.loaded;
    const isAwaited = () => {
      records.expectNews();
      return events?.isAwaited;
    };
    await records.put({ ...rental, phase: { kind: 'waiting', instanceId: 6001, since: 0 } });
    assert.equal(isAwaited(), true);
    await clock.advance(15 * minute - 1);
    assert.equal(isAwaited(), true);
    await clock.advance(1);
    assert.equal(isAwaited(), false);
    await records.put({
      ...rental,
      marker: '0000abcd',
      phase: { kind: 'waiting', instanceId: 6002, since: 0 },
    });
    assert.equal(isAwaited(), true);
    await records.put({ ...rental, marker: '0000abcd', phase: { kind: 'ready', instanceId: 6002, at: 0 } });
    assert.equal(isAwaited(), false);
  });

  /** A computer whose service has one offer, and a first window. */
  async function withOffer() {
    const service = new FakeService();
    service.offers = [anOffer()];
    computer = await FakeComputer.make(service.client);
    return { service, first: await computer.openSignedIn() };
  }

  it('are read again where the disk refuses one of them at the start', async () => {
    const { first } = await withOffer();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    const marker = first.rentals.rentals[0]?.marker ?? '';
    const path = join(
      computer.storageDir,
      'accounts',
      first.accounts.active?.key ?? '',
      'rentals',
      `${marker}.json`,
    );
    first.close();
    await rename(path, `${path}.away`);
    await mkdir(path);
    const { rentals } = await computer.openSignedIn();
    await computer.clock.advance(1000);
    const known = () => rentals.rentals.map((rental) => rental.marker);
    assert.deepEqual(known(), []);
    await computer.clock.advance(14_000);
    assert.equal(computer.log.count(`error The rental ${marker} could not be read`), 1, 'once');
    await rmdir(path);
    await rename(`${path}.away`, path);
    await computer.clock.advance(20_000);
    assert.deepEqual(known(), [marker]);
  });

  it('are read again fifteen seconds after the disk refused, once that was logged', async () => {
    const { first } = await withOffer();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    const { accounts, hub } = first;
    const { clock, log, secrets, storageDir } = computer;
    const folder = join(storageDir, 'accounts', accounts.active?.key ?? '', 'rentals');
    await rename(folder, `${folder}.away`);
    await writeFile(folder, '');
    const fleet = { setRented: () => undefined };
    const records = new RentalRecords({ accounts, hub, fleet, secrets, storageDir, clock, log });
    await records.loaded;
    first.owned.dispose();
    await clock.advance(15_000);
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await clock.advance(14_999);
    assert.deepEqual(records.all, []);
    await clock.advance(1);
    assert.equal(records.all.length, 1);
    assert.equal(log.count('error The rentals could not be read'), 1);
    await clock.advance(600_000);
    assert.equal(clock.pending, 0, 'and then no more');
    records.dispose();
  });

  it('are mentioned in the log if the disk refuses what another window has changed', async () => {
    const { first } = await withOffer();
    const second = await computer.openSignedIn();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    const marker = first.rentals.rentals[0]?.marker ?? '';
    await until('it is known', () => second.rentals.find(6001) !== undefined);
    computer.hubs.hold();
    await first.rentals.update(marker, { failure: 'timedOut' });
    const path = join(
      computer.storageDir,
      'accounts',
      first.accounts.active?.key ?? '',
      'rentals',
      `${marker}.json`,
    );
    await rm(path);
    await mkdir(path);
    computer.hubs.arrive();
    await computer.clock.advance(0);
    assert.ok(computer.log.count('error A rental could not be read') > 0);
    assert.equal(second.rentals.rentals[0]?.phase.kind, 'waiting', 'it stays as it was');
  });

  it('name a damaged file by its rental, which another window may know and note again', async () => {
    const { first } = await withOffer();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    const [rental] = first.rentals.rentals;
    assert.ok(rental);
    const path = join(computer.storageDir, 'accounts', rental.accountKey, 'rentals', `${rental.marker}.json`);
    await writeFile(path, '{"version":1');
    const { rentals, owned } = await computer.openSignedIn();
    await computer.clock.advance(1000);
    const [[marker, kept = ''] = []] = rentals.damaged;
    assert.equal(marker, rental.marker);
    assert.ok(kept.startsWith(`${path}.broken-`), kept);
    assert.equal(await readFile(kept, 'utf8'), '{"version":1');
    assert.deepEqual([rentals.rentals, first.rentals.damaged.size], [[], 0]);
    owned.dispose();
    await first.rentals.update(rental.marker, { mostPerHour: undefined });
    const later = await computer.openSignedIn();
    await computer.clock.advance(1000);
    assert.deepEqual([later.rentals.damaged.size, later.rentals.rentals.length], [0, 1]);
  });

  it('report a damaged file when it is found, and have the record of a rental read for half an hour', async () => {
    const { first } = await withOffer();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    const [rental] = first.rentals.rentals;
    assert.ok(rental);
    const { accounts, hub, owned } = first;
    const { clock, secrets, storageDir } = computer;
    let ids: readonly number[] = [];
    const open = () => {
      const fleet = { setRented: (recent: RecentRentals) => (ids = recent.ids) };
      return owned.add(
        new RentalRecords({ accounts, hub, fleet, secrets, storageDir, clock, log: silentLog }),
      );
    };
    const records = open();
    await records.loaded;
    await clock.advance(30 * minute - 1 - (clock.now() - rental.requestedAt));
    records.expectNews();
    assert.deepEqual(ids, [6001]);
    await clock.advance(1);
    records.expectNews();
    assert.deepEqual(ids, []);
    await writeFile(
      join(storageDir, 'accounts', rental.accountKey, 'rentals', `${rental.marker}.json`),
      '{"version":1',
    );
    const later = open();
    let changes = 0;
    later.onDidChange(() => (changes += 1));
    await later.loaded;
    assert.deepEqual([changes, later.damaged.size], [1, 1]);
  });

  it('keep what another window wrote while its message is on its way', async () => {
    const { first } = await withOffer();
    const second = await computer.openSignedIn();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    const known = () => second.rentals.rentals[0];
    await until('it is known', () => known()?.phase.kind === 'waiting');
    const marker = known()?.marker ?? '';
    computer.hubs.hold();
    const phase = { kind: 'failed', instanceId: 6001, at: 0, reason: 'timedOut', hadData: false } as const;
    await first.rentals.update(marker, { phase });
    await second.rentals.update(marker, { failure: 'timedOut' });
    await first.rentals.update(marker, { replacements: 1 });
    const written = () =>
      [first, second].map(({ rentals: { rentals } }) =>
        rentals.map((one) => [one.phase.kind, one.failure, one.replacements]),
      );
    assert.deepEqual(written(), [[['failed', 'timedOut', 1]], [['failed', 'timedOut', undefined]]]);
    computer.hubs.arrive();
    await until('it is the same', () => known()?.replacements === 1);
    assert.deepEqual(known(), first.rentals.rentals[0]);
  });

  it('stay as they were written last where the disk answers an earlier reading late', async () => {
    const { first } = await withOffer();
    const second = await computer.openSignedIn();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    await until('it is known', () => second.rentals.find(6001) !== undefined);
    const [rental] = first.rentals.rentals;
    assert.ok(rental);
    const { accountKey, marker } = rental;
    const path = join(computer.storageDir, 'accounts', accountKey, 'rentals', `${marker}.json`);
    const phase = { kind: 'ready', instanceId: 6001, at: 0 };
    await readLate(path, JSON.stringify({ version: 1, rental: { ...rental, phase } }), () => {
      first.hub.broadcast('rentals.changed', { accountKey, marker });
    });
    assert.equal(second.rentals.rentals[0]?.phase.kind, 'ready');
  });

  it('are changed as they are known where the disk refused what became of them', async () => {
    const { service, first } = await withOffer();
    const folder = join(computer.storageDir, 'accounts', first.accounts.active?.key ?? '', 'rentals');
    service.after = async (call) => {
      if (call === 'offers.rent') {
        await rename(folder, `${folder}.away`);
        await writeFile(folder, '');
      }
    };
    await computer.clock.through(first.rentals.rent(rentalRequest));
    await rm(folder);
    await rename(`${folder}.away`, folder);
    const [rental] = first.rentals.rentals;
    assert.equal(rental?.phase.kind, 'waiting');
    await first.rentals.update(rental.marker, { mostPerHour: undefined });
    const second = await computer.openSignedIn();
    await until('it is read', () => second.rentals.rentals.length === 1);
    const phases = [first, second].map(({ rentals: { rentals } }) => rentals[0]?.phase.kind);
    assert.deepEqual(phases, ['waiting', 'waiting']);
  });

  it('are read again where the disk refuses their folder at the start', async () => {
    const { first } = await withOffer();
    await computer.clock.through(first.rentals.rent(rentalRequest));
    const folder = join(computer.storageDir, 'accounts', first.accounts.active?.key ?? '', 'rentals');
    first.close();
    await rename(folder, `${folder}.away`);
    await writeFile(folder, '');
    const { rentals } = await computer.openSignedIn();
    await computer.clock.advance(1000);
    assert.deepEqual(rentals.rentals, []);
    await computer.clock.advance(15_000);
    assert.equal(computer.log.count('error The rentals could not be read'), 1, 'once');
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await computer.clock.advance(20_000);
    assert.equal(rentals.rentals.length, 1);
  });

  it('are found by a new leading window that never received their outcome, while the one that rented is open', async () => {
    const { service, first } = await withOffer();
    const [next, renting] = [await computer.openSignedIn(), await computer.openSignedIn()];
    let answer: () => void = () => undefined;
    service.before = (call) =>
      call === 'offers.rent' ? new Promise<void>((resolve) => (answer = resolve)) : undefined;
    const rented = renting.rentals.rent(rentalRequest);
    await until('it is sent', () => service.count('offers.rent') === 1, { everyMs: 1 });
    await until('they were told', () => next.rentals.rentals.length === 1);
    computer.hubs.hold();
    answer();
    await rented;
    await until('it was told', () => computer.hubs.lose());
    first.close();
    assert.equal(next.rentals.rentals[0]?.phase.kind, 'sent');
    await next.fleet.refresh();
    await passUntil(computer, 'it is known', () => next.rentals.find(6001)?.phase.kind === 'waiting');
  });

  it('are found by the leading window though the one that rented was killed before it announced them', async () => {
    const { service, first } = await withOffer();
    const second = await computer.openSignedIn();
    service.before = (call) => (call === 'offers.rent' ? new Promise(() => undefined) : undefined);
    computer.hubs.hold();
    void second.rentals.rent(rentalRequest).catch(() => undefined);
    await until('it is sent', () => service.count('offers.rent') === 1, { everyMs: 1 });
    const marker = second.rentals.rentals[0]?.marker ?? '';
    second.close();
    computer.hubs.lose();
    service.before = () => undefined;
    service.instances.push(anInstance({ id: 7777, label: `training [gr-${marker}]` }));
    await first.fleet.refresh();
    await passUntil(computer, 'it is found', () => first.rentals.find(7777)?.phase.kind === 'waiting');
  });
});
