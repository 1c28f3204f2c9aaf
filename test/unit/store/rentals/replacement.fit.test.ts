import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { Offer } from '../../../../src/model/offers/offer';
import { FailedMachines } from '../../../../src/store/rentals/failedMachines';
import { replaceInstance } from '../../../../src/store/rentals/replacement';
import { silentLog } from '../../../../src/util/log';
import { formatText } from '../../../../src/util/text';
import { anOffer } from '../../../support/builders';
import { windowScene, type WindowScene } from '../../../support/computerScene';
import { noBudget } from '../../../support/fakeWindows';
import { anySearch } from '../../../support/rentalRequest';

const image = 'nvidia/cuda:12.8.0-cudnn-devel-ubuntu22.04';

describe('the fit of a replacement', () => {
  let { service, computer, window } = {} as WindowScene;

  beforeEach(async () => {
    ({ service, computer, window } = await windowScene({ offers: [anOffer()] }));
    await window.rentals.rent({
      offer: anOffer(),
      config: { image, diskGb: 20 },
      search: anySearch,
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'exited' }));
  });
  afterEach(() => computer.dispose());

  async function replaceFrom(offers: readonly Offer[]) {
    service.offers = [...offers];
    const failedMachines = new FailedMachines(computer.storageDir, () => 'account', silentLog);
    const deps = { ...window, budget: noBudget, failedMachines, clock: computer.clock, log: silentLog };
    const result = await computer.clock.through(replaceInstance(deps, 6001, { dataLossAccepted: false }));
    assert.equal(result.kind, 'replaced');
    return result;
  }

  const old = anOffer({ id: 9002, machineId: 179, cudaVersion: 12.2, driverVersion: '535.54.03' });

  it('is better with an offer that fits than with one that is listed first and does not', async () => {
    const { offer, misfits } = await replaceFrom([
      old,
      anOffer({ id: 9003, machineId: 180, cudaVersion: 12.8 }),
    ]);
    assert.equal(offer.id, 9003);
    assert.deepEqual(misfits, []);
  });

  it('states why the only offer that is left may not fit', async () => {
    const { offer, misfits } = await replaceFrom([old]);
    assert.equal(offer.id, 9002);
    assert.deepEqual(
      misfits.map((misfit) => formatText(misfit)),
      ['The image needs CUDA 12.8, but this driver (535.54.03) supports up to 12.2.'],
    );
  });
});
