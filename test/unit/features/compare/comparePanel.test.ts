import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ComparePanel } from '../../../../src/features/compare/comparePanel';
import { fromDollars, type Micros } from '../../../../src/model/money';
import type { Offer } from '../../../../src/model/offers/offer';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { OfferPins } from '../../../../src/store/offers/offerPins';
import type { ReportView } from '../../../../src/webview/report/protocol';
import { FakeUri } from '../../../support/fakeEditor/values';
import { marketOffer } from '../../../support/marketOffer';
import { useCommands, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

const now = Date.UTC(2026, 0, 15, 12);
const origin = { accountKey: 'mine', title: 'Search', query: defaultQuery };
const [one, two] = [marketOffer({ id: 1, machineId: 10 }), marketOffer({ id: 2, machineId: 20 })];

/** An offer of which the machine costs so much without its disk, in dollars an hour. */
const priced = (offer: Offer, dollars: number): Offer => {
  const disk = (offer.totalPerHour ?? 0) - (offer.gpuPerHour ?? 0);
  const gpuPerHour = fromDollars(dollars);
  return { ...offer, gpuPerHour, totalPerHour: (gpuPerHour + disk) as Micros };
};

describe('The page that compares offers', () => {
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
  let panel: InstanceType<typeof ComparePanel>;
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
    panel.open();
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
    panel = new ComparePanel(
      only({
        extensionUri: FakeUri.file('/extension'),
        log: { warn: (line: string) => warned.push(line) },
        accounts: {
          get active() {
            return active;
          },
        },
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

  it('reads the offers again at each opening, and shows what has become of them', async () => {
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

  it('is busy while it reads, and ends the read before when it reads again or closes', async () => {
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

  it('shows the failures that were read last, where the disk answers an earlier reading late', async () => {
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

  it('shows what went wrong beside the earlier figures, until a read succeeds', async () => {
    await open();
    refusal = new Error('odd');
    await press('refresh');
    assert.equal(view().comparison?.columns.length, 2);
    assert.deepEqual(notices(), [
      'error Something unexpected happened. See the log for details. Could not check whether the offers are still available.',
    ]);
    assert.equal(warned.length, 1);
    refusal = undefined;
    await press('refresh');
    assert.deepEqual(notices(), []);
  });

  it('asks for more offers where one or none is pinned, and reads nothing for none', async () => {
    pins.unpin(2);
    await open();
    assert.deepEqual(notices(), [
      'info Pin another offer in the list of offers to compare it with this one.',
    ]);
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

  it('leads to the rental of a pinned offer only', async () => {
    await open();
    await press('rent:2');
    await press('rent:9');
    await press('rent:1x');
    page().send({ type: 'other' });
    assert.deepEqual(ran, ['gpuRental.searchFor 2']);
    assert.equal(warned.length, 1);
  });

  it('shows which machine failed before, and why', async () => {
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

  it('shows an offer that is pinned again as it is listed then', async () => {
    await open();
    listed = [one];
    await press('refresh');
    assert.ok((notes()[1] ?? []).length > 0);
    pins.unpin(2);
    pins.pin({ offer: two, origin });
    assert.deepEqual(notes()[1], []);
  });

  it('closes with the account, and forgets what it showed', async () => {
    refusal = new Error('odd');
    await open();
    listed = [];
    panel.close();
    assert.equal(page().isClosed, true);
    active = undefined;
    await open();
    assert.deepEqual([...notices(), ...notes().flat()], []);
    assert.equal(view().busy, false);
    panel.dispose();
    assert.equal(page().isClosed, true);
    const before = page().posted.length;
    pins.unpin(1);
    assert.equal(page().posted.length, before);
  });
});
