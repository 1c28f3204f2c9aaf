import assert from 'node:assert/strict';
import { type OfferActions, offerRows } from '../../../../src/features/search/offerRows';
import type { OffersView } from '../../../../src/features/search/offersView';
import { fromDollars } from '../../../../src/model/money';
import type { MarketQuery } from '../../../../src/model/offers/marketQuery';
import { defaultFilters } from '../../../../src/model/offers/searchFields';
import { parseTypedQuery } from '../../../../src/model/offers/typedQuery';
import { anOffer } from '../../../support/builders';
import { marketOffer } from '../../../support/marketOffer';

describe('The list of offers', () => {
  const now = 1_000_000_000_000;
  const usual: MarketQuery = { filters: defaultFilters, rentalType: 'on-demand', sort: 'price', diskGb: 16 };
  const whole = anOffer({
    ...{
      gpuRamMb: 24_564,
      gpuCount: 2,
      reliability: 0.99567,
      location: 'Sweden, SE',
      cudaVersion: 12.4,
      cpuCores: 1.5,
    },
    ...{ cpuRamMb: 64_500, inetDownMbit: 812.7, directPorts: 1, datacenter: true, dlperfPerDollar: 212.9 },
    ...{ verified: false, totalPerHour: fromDollars(0.4) },
  });
  const bare = { id: 2, rentable: true } as const;
  const view = (more: Partial<OffersView> = {}): OffersView => ({
    ...{ rows: [], loaded: true, busy: false, more: 'none', read: 0, skipped: 0 },
    ...{ isPartial: false, orderedHere: false },
    ...{ understood: [], words: [] },
    ...more,
  });
  const done: string[] = [];
  const actions = (more: Partial<OfferActions> = {}): OfferActions => ({
    choose: ({ id }) => void done.push(`choose ${id}`),
    openFilters: () => void done.push('filters'),
    showLarger: undefined,
    retry: () => void done.push('retry'),
    more: () => void done.push('more'),
    buttons: () => [],
    failure: () => undefined,
    misfit: () => undefined,
    pinned: () => undefined,
    shown: 100,
    showRest: () => void done.push('rest'),
    ...more,
  });
  const lines = (of: OffersView, query = usual, more: Partial<OfferActions> = {}) =>
    offerRows(of, query, actions(more), now).map(
      ({ kind, icon, label, description = '', detail = '', detailIcon }) =>
        Number(kind) === -1
          ? `— ${label}`
          : [icon, label, description, detailIcon, detail.replaceAll('\u2007', '_')]
              .filter((part) => part !== undefined && part !== '')
              .join(' | '),
    );

  it('shows what matters of an offer, and nothing that is not stated', () => {
    assert.deepEqual(lines(view({ rows: [whole, bare], read: 2 })), [
      '— 2 offers · Lowest Price',
      'filter | Filters | none, press / to choose',
      '— ',
      '2× RTX 4090 24 GB | $0.400/h | $9.60/day · 48 GB total · 99.56 % reliable · RAM: 64 GB · Not verified · Sweden · Download: 812 Mbit/s · CPU cores: 1 · Value for Money: 212 · CUDA: 12.4 · Open ports: 1 · data center',
      '1× ? | price not stated | ?/day____ · ____? total · ____? % reliable · RAM: ____? · Download: _________? · CPU cores: ? · Value for Money: __? · CUDA: ___? · Open ports: ?',
    ]);
  });

  it('begins with the price and what is sorted and filtered by, and has what differs below', () => {
    const rows = [
      marketOffer({ id: 1, gpuName: 'RTX PRO 6000 WS', gpuCount: 8, reliability: 0.9912, inetUpMbit: 90.5 }),
      marketOffer({ id: 2, totalPerHour: fromDollars(12.5), gpuPerHour: fromDollars(12.4), cpuRamMb: 9_500 }),
    ];
    const filters = { ...defaultFilters, upMbit: { min: 50 }, ramGb: { min: 8 }, cuda: { min: 12 } };
    const [row, other] = offerRows(
      view({ rows }),
      { ...usual, sort: 'reliability', filters },
      actions(),
      now,
    ).filter(({ id }) => id?.startsWith('offer:'));
    assert.deepEqual(
      [row, other].map((one) => [one?.label, one?.description]),
      [
        ['8× RTX PRO 6000 WS 24 GB', '$0.405/h · 99.12 % reliable'],
        ['1× RTX 4090 24 GB', '$12.50/h · 99.70 % reliable'],
      ],
    );
    assert.deepEqual(
      [row, other].map((one) => one?.detail?.replaceAll('\u2007', '_')),
      [
        'RAM: 64 GB · Upload: _90 Mbit/s · __$9.71/day · 192 GB total',
        'RAM: _9 GB · Upload: 400 Mbit/s · $300.00/day · _24 GB total',
      ],
    );
    for (const one of [row, other]) {
      assert.ok(`${one?.label ?? ''} ${one?.description ?? ''}`.length <= 60);
    }
  });

  it('names typed comparisons that filter nothing, with their reasons, and leads to the filters', () => {
    const { unread } = parseTypedQuery('pcie_bw>=12 foo>5');
    assert.ok(unread);
    const of = view({ unread });
    assert.deepEqual(lines(of).slice(1, 2), [
      'warning | Not used: pcie_bw>=12 · foo >5 | Choose “PCIe bandwidth” under Filters. There is no filter with the name foo.',
    ]);
    done.length = 0;
    offerRows(of, usual, actions(), now)
      .find(({ id }) => id === 'unused')
      ?.run?.();
    assert.deepEqual(done, ['filters']);
  });

  it('names what differs from the usual search, and warns of offers that failed or do not fit', () => {
    const query: MarketQuery = {
      ...usual,
      rentalType: 'interruptible',
      sort: 'best',
      filters: { rentable: true, external: false },
    };
    const failure = { machineId: 178, at: now, reason: 'its container ended' };
    const of = view({
      rows: [anOffer(), whole],
      read: 9,
      words: ['blue'],
      orderedHere: true,
      isPartial: true,
    });
    const more = {
      failure: ({ id }: { readonly id: number }) => (id === whole.id ? failure : undefined),
      misfit: () => 'Too old a driver.',
    };
    assert.deepEqual(lines({ ...of, rows: [anOffer({ id: 1, reliability: 0.99 }), whole] }, query, more), [
      '— 2 of the 9 offers read so far · Best Match',
      'filter | Filters | Interruptible · with “blue” in the row | All: $9.60/day',
      '— ',
      '1× RTX 4090 | $0.400/h | warning | Too old a driver. · ? total____ · 99.00 % reliable · RAM: ____? · Download: _________? · CPU cores: ? · Value for Money: __? · CUDA: ___? · Open ports: ?',
      '— Failed before',
      '2× RTX 4090 24 GB | $0.400/h | warning | failed before on Sep 9, 2001: its container ended · Too old a driver. · 48 GB total · 99.56 % reliable · RAM: 64 GB · Not verified · Sweden · Download: 812 Mbit/s · CPU cores: 1 · Value for Money: 212 · CUDA: 12.4 · Open ports: 1 · data center',
    ]);
  });

  it('shows why it is empty, and what to do', () => {
    assert.deepEqual(lines(view({ loaded: false })), [
      'filter | Filters | none, press / to choose',
      'Searching…',
    ]);
    assert.deepEqual(lines(view({ busy: true })), [
      'filter | Filters | none, press / to choose',
      'Searching…',
    ]);
    assert.deepEqual(lines(view()), [
      'filter | Filters | none, press / to choose',
      'No offers match | Remove a filter or raise a limit. Press Enter to see the filters.',
    ]);
    assert.deepEqual(lines(view({ more: 'fetchable', read: 64 })), [
      'filter | Filters | none, press / to choose',
      'None of the 64 offers read so far match',
      'ellipsis | Show More Offers',
    ]);
    assert.deepEqual(lines(view({ more: 'unreachable', read: 64 })), [
      'filter | Filters | none, press / to choose',
      'None of the 64 offers read so far match | The service sends no more offers in this order. Filter, or sort by price to see the rest.',
    ]);
    assert.deepEqual(lines(view({ loaded: false, error: new Error('x') })), [
      'filter | Filters | none, press / to choose',
      'error | The search failed. Choose this row to try again. | Something unexpected happened. See the log for details.',
    ]);
    assert.deepEqual(lines(view({ busy: true, error: new Error('x') })), [
      'filter | Filters | none, press / to choose',
      'Searching…',
    ]);
    assert.deepEqual(lines(view({ rows: [bare], error: new Error('x'), readAt: now - 150_000 })), [
      '— 1 offer · Lowest Price',
      'filter | Filters | none, press / to choose',
      'error | The search failed. Choose this row to try again. | Something unexpected happened. See the log for details. The offers below are from 2 min ago.',
      '— ',
      '1× ? | price not stated',
    ]);
    assert.deepEqual(
      lines(view({ rows: [bare], error: new Error('x'), readAt: now - 50_000 })).at(-3),
      'error | The search failed. Choose this row to try again. | Something unexpected happened. See the log for details. The offers below are from less than a minute ago.',
    );
    assert.deepEqual(lines(view({ waitsUntil: now + 1500 })), [
      'filter | Filters | none, press / to choose',
      'Searching in about 2 s | The service allows only a few searches per minute.',
      'No offers match | Remove a filter or raise a limit. Press Enter to see the filters.',
    ]);
  });

  it('names how many could not be read, and counts at least the others', () => {
    const unread = 'warning | Could not be read and are left out: 2. The log names the field.';
    const some = lines(view({ rows: [bare], skipped: 2 }));
    assert.deepEqual([some[0], some.at(-1)], ['— ≥ 1 offer · Lowest Price', unread]);
    assert.deepEqual(lines(view({ skipped: 2 })).at(-1), unread);
  });

  it('ends with what is not shown, and how to see it', () => {
    const rows = [anOffer({ id: 1 }), anOffer({ id: 2 })];
    assert.deepEqual(lines(view({ rows }), usual, { shown: 1 }).slice(-2), [
      '1× RTX 4090 | $0.400/h | $9.60/day',
      'ellipsis | Show More Offers | First 1 of 2 shown',
    ]);
    assert.deepEqual(
      lines(view({ rows, more: 'fetchable' })).filter((row) => /many|First/.test(row)),
      ['— 2 of many: narrow the search · Lowest Price', 'ellipsis | Show More Offers | First 2 shown'],
    );
    assert.deepEqual(
      lines(view({ rows, more: 'unreachable' })).at(-1),
      'First 2 shown | The service sends no more offers in this order. Filter, or sort by price to see the rest.',
    );
    assert.deepEqual(lines(view({ rows }), usual, { shown: 2 }).at(-1)?.includes('RTX 4090'), true);
  });

  it('runs the action of each row, for any typed text', () => {
    const all = offerRows(
      view({ rows: [anOffer()], more: 'fetchable', loaded: false, error: new Error('x') }),
      usual,
      actions({ showLarger: () => void done.push('larger') }),
      now,
    );
    done.length = 0;
    const rows = all.filter(({ kind }) => kind === undefined);
    for (const row of rows) {
      row.run?.();
      assert.equal(row.alwaysShow, true, row.label);
    }
    assert.deepEqual(done, ['filters', 'larger', 'retry', 'choose 9001', 'more']);
  });
});
