import assert from 'node:assert/strict';
import type { RecentRentals } from '../../../../src/store/instances/recentRentals';
import { RentalRecords } from '../../../../src/store/rentals/rentalRecords';
import { silentLog } from '../../../../src/util/log';
import { anOffer } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { rentalRequest } from '../../../support/rentalRequest';

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
    let told: RecentRentals | undefined;
    const fleet = { setRented: (recent: RecentRentals) => (told = recent) };
    const records = owned.add(
      new RentalRecords({ accounts, hub, fleet, secrets, storageDir, clock, log: silentLog }),
    );
    await records.loaded;
    const isAwaited = () => {
      records.tellAwaited();
      return told?.isAwaited;
    };
    await records.put({ ...rental, phase: { kind: 'waiting', instanceId: 6001, since: 0 } });
    assert.equal(isAwaited(), true);
    await clock.advance(14 * minute);
    assert.equal(isAwaited(), true);
    await clock.advance(2 * minute);
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
});
