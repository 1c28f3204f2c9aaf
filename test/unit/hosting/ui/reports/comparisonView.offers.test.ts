import assert from 'node:assert/strict';
import { comparisonView, type PinView } from '../../../../../src/hosting/ui/reports/comparisonView';
import { recheckPins } from '../../../../../src/hosting/ui/reports/pinBoard';
import { fromDollars } from '../../../../../src/model/money';
import type { OfferSearch } from '../../../../../src/model/offers/filters';
import type { Offer } from '../../../../../src/model/offers/offer';
import { defaultQuery } from '../../../../../src/model/offers/savedSearches';
import { mostPins, OfferPins } from '../../../../../src/store/offers/offerPins';
import { formatText } from '../../../../../src/util/text';
import { marketOffer } from '../../../../support/marketOffer';

const origin = { accountKey: 'a', title: 'Search', query: defaultQuery };
const pinned = (offer: Offer) => ({ offer, first: offer, origin });

describe('pinned offers', () => {
  it('are at most four, each once', () => {
    const pins = new OfferPins();
    let changes = 0;
    pins.onDidChange(() => {
      changes += 1;
    });
    for (let id = 1; id <= mostPins; id += 1) {
      assert.ok(pins.pin({ offer: marketOffer({ id }), origin }));
    }
    assert.ok(pins.pin({ offer: marketOffer({ id: 1 }), origin }));
    assert.ok(!pins.pin({ offer: marketOffer({ id: 9 }), origin }));
    assert.equal(changes, mostPins);
    pins.unpin(2);
    assert.ok(pins.pin({ offer: marketOffer({ id: 9 }), origin }));
    assert.deepEqual(
      pins.pins.map(({ offer }) => offer.id),
      [1, 3, 4, 9],
    );
    pins.clear();
    assert.deepEqual(pins.pins, []);
  });

  it('keep what they cost when they were pinned', () => {
    const pins = new OfferPins();
    const before = marketOffer({ id: 1 });
    const after = { ...before, gpuPerHour: fromDollars(9) };
    pins.pin({ offer: before, origin });
    pins.update([after]);
    assert.deepEqual(pins.find(1), { offer: after, first: before, origin });
  });
});

describe('looking at pinned offers again', () => {
  function market(answer: (search: OfferSearch) => readonly Offer[], skipped = 0) {
    const asked: OfferSearch[] = [];
    return {
      asked,
      search: (search: OfferSearch) => {
        asked.push(search);
        return Promise.resolve({ items: answer(search), skipped });
      },
    };
  }
  const [one, two] = [marketOffer({ id: 1, machineId: 10 }), marketOffer({ id: 2, machineId: 20 })];

  it('asks once for those with the same terms', async () => {
    const { search, asked } = market(() => [one, two]);
    const found = await recheckPins(search, [pinned(one), pinned(two)]);
    assert.deepEqual([...found.keys()], [1, 2]);
    assert.deepEqual(
      asked.map(({ filters, allocatedStorageGb }) => [filters, allocatedStorageGb]),
      [[{ id: { in: [1, 2] } }, 20]],
    );
  });

  it('asks apart where disk or rental type differ, as the prices do', async () => {
    const { search, asked } = market(() => [one, two]);
    const bid = { ...origin, query: { ...defaultQuery, rentalType: 'interruptible' as const } };
    await recheckPins(search, [pinned(one), { ...pinned(two), origin: bid }]);
    assert.deepEqual(
      asked.map(({ rentalType }) => rentalType),
      ['on-demand', 'interruptible'],
    );
  });

  it('looks by the machine before it calls an offer gone', async () => {
    const { search, asked } = market(({ filters }) => (filters['machine_id'] ? [two] : [one]));
    const found = await recheckPins(search, [pinned(one), pinned(two)]);
    assert.deepEqual([...found.keys()], [1, 2]);
    assert.deepEqual(asked[1]?.filters, { machine_id: { in: [20] } });
    const gone = await recheckPins(market(() => [one]).search, [pinned(one), pinned(two)]);
    assert.deepEqual([...gone.keys()], [1]);
  });

  it('counts an offer that can’t be rented as gone', async () => {
    const { search } = market(() => [{ ...one, rentable: false }]);
    assert.equal((await recheckPins(search, [pinned(one)])).size, 0);
  });

  it('calls no offer gone whose record may be one that could not be read', async () => {
    const { search } = market(() => [one], 1);
    const found = await recheckPins(search, [pinned(one), pinned(two)]);
    assert.deepEqual(
      [...found],
      [
        [1, one],
        [2, 'unread'],
      ],
    );
    const rented = market(() => [one, { ...two, rentable: false }], 1);
    assert.deepEqual([...(await recheckPins(rented.search, [pinned(one), pinned(two)])).keys()], [1]);
  });
});

describe('the page of pinned offers', () => {
  const view = (...pins: readonly Partial<PinView>[]) =>
    comparisonView(
      pins.map((pin) => ({
        pin: pinned(marketOffer()),
        status: { kind: 'asPinned' },
        readAt: 0,
        ...pin,
      })),
      (text) => formatText(text),
    );

  it('offers to rent each that is there, and names each to a screen reader', () => {
    const [column] = view({}).columns;
    assert.deepEqual(
      column?.buttons.map(({ id, name }) => [id, name]),
      [
        ['rent:1001', 'Rent 1× RTX 4090 24 GB, offer 1001'],
        ['unpin:1001', 'Unpin 1× RTX 4090 24 GB, offer 1001'],
      ],
    );
    assert.deepEqual(
      view({ status: { kind: 'gone' } }).columns[0]?.buttons.map(({ label }) => label),
      ['Unpin'],
    );
  });

  it('shows what has become of an offer, and of its machine before', () => {
    const [before, after] = [fromDollars(0.4), fromDollars(0.5)];
    const notes = (status: PinView['status']) =>
      view({ status }).columns[0]?.notes.map(({ severity, text }) => `${severity}: ${text}`);
    assert.deepEqual(notes({ kind: 'dearer', before, after }), [
      'warning: More expensive: $0.400/h before, $0.500/h now',
    ]);
    assert.deepEqual(notes({ kind: 'cheaper', before: after, after: before }), [
      'info: Cheaper: $0.500/h before, $0.400/h now',
    ]);
    assert.deepEqual(notes({ kind: 'gone' }), ['error: Gone: it is no longer on the market.']);
    assert.deepEqual(notes({ kind: 'unread' }), [
      'warning: Could not read this offer again, so it may be gone. Its earlier figures are shown.',
    ]);
    assert.deepEqual(
      view({ failure: 'failed \u202eonce\n' }).columns[0]?.notes.map(({ text }) => text),
      ['failed  once'],
    );
  });

  it('holds every row for every column, and bounds what strangers wrote', () => {
    const hostile = marketOffer({ gpuName: `<b>\u0007${'x'.repeat(900)}` });
    const shown = view({}, { pin: pinned(hostile) });
    for (const { rows } of shown.groups) {
      for (const { cells } of rows) {
        assert.equal(cells.length, 2);
        assert.ok(cells.every(({ text }) => text.length <= 200));
      }
    }
    assert.ok(shown.columns.every(({ label }) => label.length <= 200 && !label.includes('\u0007')));
  });
});
