import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDollars } from '../../../../src/model/money';
import type { RentConfig } from '../../../../src/model/rentals/rent';
import type { SecretPort } from '../../../../src/store/accounts/patientSecrets';
import {
  RentalJournal,
  rentalSecretKey,
  withoutSecretParts,
} from '../../../../src/store/rentals/rentalJournal';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { text } from '../../../../src/util/text';
import { anOffer } from '../../../support/builders';
import { MemoryLog } from '../../../support/fakeTransport';
import { FakeSecrets } from '../../../support/fakeWindows';
import { useFolder } from '../../../support/useFolder';

const marker = 'aaaaaaaa';
const day = 24 * 3_600_000;
const image = { image: 'i', diskGb: 20 };
const aRental = (change: Partial<Rental> = {}): Rental => ({
  marker,
  accountKey: 'a',
  windowId: 'w',
  requestedAt: 0,
  offer: anOffer(),
  config: image,
  rentalType: 'on-demand',
  priceLimit: fromDollars(1),
  phase: { kind: 'sent' },
  ...change,
});

describe('The rentals on disk', () => {
  let dir = '';
  useFolder((made) => void (dir = made));
  let secrets: FakeSecrets;
  let log: MemoryLog;
  beforeEach(() => {
    secrets = new FakeSecrets();
    log = new MemoryLog();
  });
  const open = (port: SecretPort = secrets) => new RentalJournal(dir, port, log);
  const refusing = (): SecretPort => ({
    keys: () => secrets.keys(),
    onDidChange: (listener) => secrets.onDidChange(listener),
    get: () => Promise.reject(new Error('locked')),
    store: () => Promise.reject(new Error('locked')),
    delete: () => Promise.reject(new Error('locked')),
  });

  it('keep the time of a job’s guard with the end, also those of older versions', async () => {
    const config = { ...image, guardSeconds: 9000 };
    const end = { idleMinutes: 30, destroyAfterDays: 0 };
    await open().put(aRental({ config, end }));
    const read = await open().get('a', marker);
    assert.deepEqual([read?.config, read?.end], [image, { ...end, jobSeconds: 9000 }]);
    await open().put(aRental({ config }));
    assert.equal((await open().get('a', marker))?.end?.jobSeconds, 9000);
  });

  for (const [part, config] of [
    ['environment', { env: { TOKEN: 'hush' } }],
    ['script', { onstart: 'login hush' }],
    ['arguments', { args: '--token hush' }],
    ['login', { imageLogin: '-u me -p hush' }],
  ] as readonly [string, Partial<RentConfig>][]) {
    it(`keep the ${part} in the secret store alone, and give it back in another window`, async () => {
      const full: RentConfig = { ...image, ...config };
      const kept = aRental({ config: withoutSecretParts(full) });
      assert.doesNotMatch(JSON.stringify(kept), /hush/);
      await open().putSecrets(marker, full);
      assert.match(secrets.values.get(rentalSecretKey(marker)) ?? '', /hush/);
      assert.deepEqual(await open().fullConfig(kept), full);
      await open().dropSecrets(marker);
      assert.deepEqual(await open().fullConfig(kept), undefined);
    });
  }

  it('are whole without anything secret, of which nothing is kept', async () => {
    await open().putSecrets(marker, image);
    assert.equal(secrets.values.size, 0);
    assert.deepEqual(await open().fullConfig(aRental()), image);
  });

  it('can be rented again from their window alone if the editor keeps no secret, which is logged', async () => {
    const full: RentConfig = { ...image, env: { TOKEN: 'hush' } };
    const kept = aRental({ config: withoutSecretParts(full) });
    const journal = open(refusing());
    await journal.putSecrets(marker, full);
    assert.deepEqual(await journal.fullConfig(kept), full);
    assert.equal(await open(refusing()).fullConfig(kept), undefined);
    await journal.dropSecrets(marker);
    assert.equal(await journal.fullConfig(kept), undefined);
    assert.equal(log.count('warn The editor did not keep the environment of a rental'), 1);
    assert.equal(log.count('error The environment of an ended rental could not be removed'), 1);
    assert.doesNotMatch(log.lines.join(), /hush/);
  });

  it('are forgotten ninety days after they were sent, once they have no instance', async () => {
    const reason = text('Why');
    const journal = open();
    for (const [index, change] of (
      [
        { phase: { kind: 'notRented', at: 1, reason } },
        { phase: { kind: 'ended', instanceId: 1 }, goneAt: 1 },
        { phase: { kind: 'ended', instanceId: 1 } },
        { phase: { kind: 'ready', instanceId: 1, at: 1 } },
      ] satisfies readonly Partial<Rental>[]
    ).entries()) {
      await journal.put(aRental({ marker: `0000000${index}`, ...change }));
    }
    const found = async (now: number) =>
      (await journal.list('a', now, () => false)).rentals.map((rental) => rental.marker.at(-1)).sort();
    assert.deepEqual(await found(90 * day), ['0', '1', '2', '3']);
    assert.deepEqual(await found(90 * day + 1), ['2', '3']);
    assert.deepEqual((await readdir(join(dir, 'accounts', 'a', 'rentals'))).length, 2);
    const { rentals } = await journal.list('a', 1, (known) => known === '00000002');
    assert.deepEqual(
      rentals.map((rental) => rental.marker),
      ['00000003'],
    );
  });
});
