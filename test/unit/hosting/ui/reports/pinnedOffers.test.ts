import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Reports } from '../../../../../src/hosting/ui/reports/reports';
import { fromDollars, type Micros } from '../../../../../src/model/money';
import type { Offer } from '../../../../../src/model/offers/offer';
import { defaultQuery } from '../../../../../src/model/offers/savedSearches';
import { OfferPins } from '../../../../../src/store/offers/offerPins';
import { Emitter } from '../../../../../src/util/emitter';
import type { ReportView } from '../../../../../src/webview/report/protocol';
import { FakeUri } from '../../../../support/fakeEditor/values';
import { marketOffer } from '../../../../support/marketOffer';
import { useCommands, useScreen } from '../../../../support/onScreen';
import { only } from '../../../../support/only';

const now = Date.UTC(2026, 0, 15, 12);
const origin = { accountKey: 'mine', title: 'Search', query: defaultQuery };
const [one, two] = [marketOffer({ id: 1, machineId: 10 }), marketOffer({ id: 2, machineId: 20 })];

/** An offer of which the machine costs so much without its disk, in dollars an hour. */
const priced = (offer: Offer, dollars: number): Offer => {
  const disk = (offer.totalPerHour ?? 0) - (offer.gpuPerHour ?? 0);
  const gpuPerHour = fromDollars(dollars);
  return { ...offer, gpuPerHour, totalPerHour: (gpuPerHour + disk) as Micros };
};

describe('The pinned offers on the market page', () => {
  const screen = useScreen();
  const ran: string[] = [];
  const run = (id: string, [draft]: readonly unknown[]) => {
    const { offer } = (draft ?? {}) as { readonly offer?: Offer };
    ran.push([id, ...(offer ? [offer.id] : [])].join(' '));
    return Promise.resolve(undefined);
  };
  useCommands(run);
  screen.commands.ofEditor.set('gpuRental.searchOffers', () => run('gpuRental.searchOffers', []));
  let pins: OfferPins;
  let panel: Reports;
  let accountChanged: Emitter<undefined>;
  let listed: readonly Offer[];
  let refusal: Error | undefined;
  let searches: AbortSignal[];
  let isHeld: Promise<unknown> | undefined;
  let failures: readonly object[] | Promise<readonly object[]> | undefined;
  let budget: number;
  let warned: string[];
  let active: object | undefined;

  const page = () => {
    const found = screen.panels.all.at(-1);
    assert.ok(found);
    return found;
  };
  const view = () => (page().posted.at(-1) as { readonly view: ReportView }).view;
  const flush = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
    }
  };
  const press = async (id: string) => {
    page().send({ type: 'button', id });
    await flush();
  };
  const open = async () => {
    panel.showMarket('pins');
    await flush();
  };
  const notes = () => view().comparison?.columns.map((column) => column.notes.map(({ text }) => text)) ?? [];
  const notices = () => view().notices.map(({ severity, text }) => `${severity} ${text}`);

  beforeEach(() => {
    [listed, refusal, searches, isHeld, failures] = [[one, two], undefined, [], undefined, []];
    [budget, warned, ran.length] = [0, [], 0];
    const search = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      searches.push(signal);
      await isHeld;
      if (signal.aborted) {
        throw new DOMException('aborted', 'AbortError');
      }
      if (refusal) {
        throw refusal;
      }
      return { items: listed, skipped: 0 };
    };
    active = { key: 'mine', client: { offers: { search } } };
    pins = new OfferPins();
    for (const offer of [one, two]) {
      pins.pin({ offer, origin });
    }
    accountChanged = new Emitter();
    panel = new Reports(
      only({
        extensionUri: FakeUri.file('/extension'),
        log: { warn: (line: string) => warned.push(line) },
        accounts: {
          get active() {
            return active;
          },
          onDidChange: accountChanged.event,
        },
        fleet: { state: { kind: 'loading' } },
        report: { error: (error: unknown) => warned.push(String(error)) },
        offerPins: pins,
        failedMachines: {
          list: () => (failures ? Promise.resolve(failures) : Promise.reject(new Error())),
        },
        searchBudget: { turn: () => Promise.resolve(void (budget += 1)) },
        clock: { now: () => now },
      }),
    );
  });
  afterEach(() => panel.dispose());

  it('are read again at each opening, and show what has become of them', async () => {
    await open();
    assert.equal(view().busy, false);
    assert.equal(budget, 1);
    assert.deepEqual(view().notices, []);
    assert.equal(notes().flat().length, 0);
    listed = [priced(one, 0.5)];
    await open();
    assert.equal(screen.panels.all.filter(({ isClosed }) => !isClosed).length, 1);
    assert.deepEqual(notes(), [
      ['More expensive: $0.405/h before, $0.505/h now'],
      ['Gone: it is no longer on the market.'],
    ]);
    listed = [priced(one, 0.3), two];
    await press('refresh');
    assert.deepEqual(notes(), [['Cheaper: $0.405/h before, $0.305/h now'], []]);
  });

  it('end a read that is under way when they are read again or the page closes', async () => {
    let release = (): void => undefined;
    isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    await open();
    assert.equal(view().busy, true);
    await press('refresh');
    assert.deepEqual(
      searches.map(({ aborted }) => aborted),
      [true, false],
    );
    release();
    await flush();
    assert.equal(view().busy, false);
    assert.deepEqual([...notices(), ...warned], [], 'a read that gave way is no failure');
    isHeld = new Promise(() => undefined);
    await press('refresh');
    page().close();
    assert.equal(searches.at(-1)?.aborted, true);
    isHeld = undefined;
    await open();
    assert.equal(view().busy, false);
  });

  it('show the failures that were read last, where the disk answers an earlier reading late', async () => {
    let answer: (machines: readonly object[]) => void = () => undefined;
    failures = new Promise<readonly object[]>((resolve) => {
      answer = resolve;
    });
    await open();
    failures = [{ machineId: 10, at: now - 60_000, reason: '' }];
    await press('refresh');
    answer([]);
    await flush();
    pins.unpin(2);
    assert.deepEqual(notes()[0], ['This machine failed 1 min ago.']);
  });

  it('stay beside what went wrong, until a read succeeds', async () => {
    await open();
    refusal = new Error('odd');
    await press('refresh');
    assert.equal(view().comparison?.columns.length, 2);
    assert.deepEqual(notices(), [
      'error Something unexpected happened. See the log for details. Shown as of Jan 15, 2026, 12:00 PM.',
    ]);
    assert.equal(warned.length, 1);
    refusal = undefined;
    await press('refresh');
    assert.deepEqual(notices(), []);
  });

  it('ask for offers where none is pinned, and read nothing then', async () => {
    pins.unpin(2);
    await open();
    await press('unpin:1');
    assert.deepEqual(pins.pins, []);
    assert.deepEqual(notices(), [
      'info No offer is pinned. Pin two to four in the list of offers to compare them here.',
    ]);
    assert.equal(view().comparison, undefined);
    const before = budget;
    await press('refresh');
    assert.equal(budget, before);
    assert.equal(view().busy, false);
    await press('search');
    assert.deepEqual(ran, ['gpuRental.searchOffers']);
  });

  it('lead to the rental of a pinned offer only', async () => {
    await open();
    await press('rent:2');
    await press('rent:9');
    await press('rent:1x');
    page().send({ type: 'other' });
    assert.deepEqual(ran, ['gpuRental.searchFor 2']);
    assert.equal(warned.length, 1);
  });

  it('show which machine failed before, and why', async () => {
    failures = [
      { machineId: 10, at: now - 3_600_000, reason: 'No CUDA.' },
      { machineId: 20, at: now - 7_200_000, reason: '' },
    ];
    await open();
    assert.deepEqual(notes(), [['This machine failed 1 h ago: No CUDA.'], ['This machine failed 2 h ago.']]);
    failures = undefined;
    await press('refresh');
    assert.deepEqual(notes(), [[], []]);
    assert.deepEqual(notices(), [], 'that it can’t be read is no failure of the page');
  });

  it('show an offer that is pinned again as it is listed then', async () => {
    await open();
    listed = [one];
    await press('refresh');
    assert.ok((notes()[1] ?? []).length > 0);
    pins.unpin(2);
    pins.pin({ offer: two, origin });
    assert.deepEqual(notes()[1], []);
  });

  it('end with their account', async () => {
    await open();
    active = { key: 'other', client: {} };
    accountChanged.fire(undefined);
    assert.equal(page().isClosed, true);
    assert.deepEqual(pins.pins, []);
    const before = page().posted.length;
    pins.pin({ offer: one, origin });
    assert.equal(page().posted.length, before);
  });

  it('are read with the offers of a list that has none yet', async () => {
    panel.showMarket({ draft: origin, offers: [], readAt: undefined });
    await flush();
    assert.deepEqual([searches.length, view().sections[0]?.table.rows.length], [2, 2]);
  });

  it('are pinned and rented from the offers of the list, which are not read again until Refresh', async () => {
    const dear = { ...priced(marketOffer({ id: 3, gpuName: 'H100' }), 9), dlperf: 900 };
    const slow = { ...priced(marketOffer({ id: 4 }), 9.5), dlperf: 100 };
    const quick = { ...one, dlperf: 300 };
    pins.clear();
    panel.showMarket({ draft: origin, offers: [quick, dear, slow, two], readAt: now - 60_000 });
    await flush();
    assert.deepEqual([searches.length, view().comparison, view().filters], [0, undefined, []]);
    const [offers, prices] = view().sections;
    assert.deepEqual(
      [offers?.title, prices?.title],
      ['Price and Speed, 4 offers shown', 'Price per GPU and Hour, 4 offers shown'],
    );
    const chart = offers?.chart?.kind === 'points' ? offers.chart : undefined;
    assert.deepEqual(
      chart?.series.map(({ name, points }) => [name, points.map(({ row, x }) => [row, x])]),
      [
        [
          'Nothing faster costs less',
          [
            ['1', 300],
            ['3', 900],
          ],
        ],
        ['Others', [['4', 100]]],
      ],
    );
    assert.equal(chart.series[0]?.points[0]?.label, '1× RTX 4090 24 GB, $0.405/h, Sweden');
    assert.deepEqual(offers?.table.rows.length, 4, 'an offer without a score has a row');
    await press('pin:3');
    await press('pin:9');
    assert.deepEqual(
      pins.pins.map(({ offer }) => offer.id),
      [3],
    );
    assert.equal(view().comparison?.columns.length, 1);
    page().send({ type: 'row', section: 'offers', row: '4' });
    page().send({ type: 'row', section: 'offers', row: '9' });
    page().send({ type: 'row', section: 'prices', row: 'H100' });
    await press('search');
    assert.deepEqual(ran, ['gpuRental.searchFor 4', 'gpuRental.searchFor', 'gpuRental.searchFor']);
    assert.equal(searches.length, 0);
    listed = [dear];
    await press('refresh');
    assert.equal(searches.length, 2);
    assert.equal(view().sections[0]?.table.rows.length, 1);
  });
});
