import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NotReachableError } from '../../../../src/api/errors';
import { fromDollars } from '../../../../src/model/money';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { SearchBudget } from '../../../../src/store/offers/searchBudget';
import { SearchWatches } from '../../../../src/store/offers/searchWatches';
import { checkEveryMs, checksApartMs, type WatchFound } from '../../../../src/store/offers/watchChecks';
import type { Clock } from '../../../../src/util/clock';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import type { FakeWindow } from '../../../support/fakeWindows';
import { marketOffer } from '../../../support/marketOffer';
import { until } from '../../../support/until';

const watched = { name: 'cheap', query: defaultQuery, maxPerHour: fromDollars(0.5) };
const cheap = marketOffer({ id: 1, machineId: 10 });

describe('watched searches', () => {
  let { service, computer } = {} as ComputerScene;

  beforeEach(async () => {
    ({ service, computer } = await computerScene({ offers: [] }));
  });
  afterEach(() => computer.dispose());

  interface Watching {
    readonly window: FakeWindow;
    readonly budget: SearchBudget;
    readonly watches: SearchWatches;
    readonly found: WatchFound[];
  }

  async function watching(window?: FakeWindow, clock: Clock = computer.clock): Promise<Watching> {
    const own = window ?? (await computer.openSignedIn());
    const { storageDir } = computer;
    const budget = own.owned.add(new SearchBudget(clock, own.hub));
    const watches = own.owned.add(
      new SearchWatches({
        accounts: own.accounts,
        hub: own.hub,
        budget,
        clock,
        log: computer.log,
        storageDir,
      }),
    );
    const found: WatchFound[] = [];
    watches.onDidFind((one) => found.push(one));
    await watches.ready;
    return { window: own, budget, watches, found };
  }

  const searches = () => service.count('offers.search');
  /** Disk and clock take turns: time moves until something is so. */
  const soon = (what: string, isSo: () => boolean) =>
    until(what, async () => {
      await computer.clock.advance(0);
      return isSo();
    });
  const checks = (count: number) => soon(`${count} checks`, () => searches() >= count);
  const idle = ({ watches }: Watching) =>
    soon('the end of the check', () => watches.rows.every(({ isChecking }) => !isChecking));

  it('sets no timer and asks nothing where nothing is watched', async () => {
    const window = await computer.openSignedIn();
    // The fleet reads its list and rests.
    await soon('the list of instances', () => window.fleet.state.kind === 'ready');
    const before = computer.clock.pending;
    const one = await watching(window);
    assert.deepEqual(one.watches.rows, []);
    assert.equal(computer.clock.pending, before);
    await computer.clock.advance(60 * 60_000);
    assert.equal(searches(), 0);
    const watch = await one.watches.add(watched);
    await checks(1);
    await idle(one);
    const timers = computer.clock.pending;
    await one.watches.remove(watch.id);
    assert.equal(computer.clock.pending, timers - 1);
  });

  it('checks at once, then every three minutes, and reports all new offers together', async () => {
    service.offers = [cheap, marketOffer({ id: 2, machineId: 20, gpuPerHour: fromDollars(0.3) })];
    const one = await watching();
    await one.watches.add(watched);
    await checks(1);
    await idle(one);
    assert.equal(one.found.length, 1);
    assert.deepEqual(
      one.found[0]?.offers.map(({ id }) => id),
      [1, 2],
    );
    await computer.clock.advance(checkEveryMs - 1);
    assert.equal(searches(), 1);
    service.offers = [cheap, marketOffer({ id: 3, machineId: 30 })];
    await computer.clock.advance(1);
    await checks(2);
    await idle(one);
    const [first, again, fresh] = one.found;
    assert.equal(one.found.length, 3);
    assert.equal(again?.since, first.since);
    assert.notEqual(fresh?.since, first.since);
    assert.deepEqual(
      fresh?.offers.map(({ id }) => id),
      [3],
    );
  });

  it('counts what was there in the last check, however slow the clock and the disk are', async () => {
    service.offers = [cheap];
    let readings = 0;
    const ticking: Clock = {
      now: () => computer.clock.now() + (readings += 1),
      elapsed: () => computer.clock.elapsed(),
      schedule: (run, delayMs) => computer.clock.schedule(run, delayMs),
    };
    const one = await watching(undefined, ticking);
    await one.watches.add(watched);
    await checks(1);
    await idle(one);
    const [row] = one.watches.rows;
    assert.equal(row?.state.matches[0]?.lastSeenAt, row?.state.checkedAt);
    assert.ok(row?.state.checkedAt !== undefined);
  });

  it('is checked by one window, listed and reported in all, and continues in the next when that one closes', async () => {
    service.offers = [cheap];
    const first = await watching();
    const second = await watching(await computer.openSignedIn());
    await second.watches.add(watched);
    await checks(1);
    await idle(first);
    await soon('the state in the other window', () => second.watches.rows[0]?.state.checkedAt !== undefined);
    assert.equal(first.found.length, 1);
    assert.deepEqual(second.found, first.found);
    await computer.clock.advance(checkEveryMs);
    await checks(2);
    await idle(first);
    first.window.close();
    await computer.clock.advance(checkEveryMs);
    await checks(3);
    assert.equal(searches(), 3);
  });

  it('survives a restart, and names what it found by the same time', async () => {
    service.offers = [cheap];
    const first = await watching();
    await first.watches.add(watched);
    await checks(1);
    await idle(first);
    const since = first.found[0]?.since;
    first.window.close();
    const next = await watching(await computer.openSignedIn());
    assert.deepEqual(
      next.watches.rows.map(({ watch }) => watch.name),
      ['cheap'],
    );
    await computer.clock.advance(checkEveryMs);
    await checks(2);
    await idle(next);
    assert.equal(next.found[0]?.since, since);
  });

  it('keeps what matched beside an error, slows down, and recovers', async () => {
    service.offers = [cheap];
    const one = await watching();
    await one.watches.add(watched);
    await checks(1);
    await idle(one);
    service.failsBefore('offers.search', () => new NotReachableError());
    await computer.clock.advance(checkEveryMs);
    await checks(2);
    await idle(one);
    const [row] = one.watches.rows;
    assert.equal(row?.state.matches.length, 1);
    assert.match(row.state.error?.text.template ?? '', /\S/);
    assert.equal(one.found.length, 1);
    await computer.clock.advance(checkEveryMs + checksApartMs);
    assert.equal(searches(), 2);
    await computer.clock.advance(checkEveryMs);
    await checks(3);
    await idle(one);
    service.before = () => undefined;
    await one.watches.checkNow(row.watch.id);
    await computer.clock.advance(checksApartMs);
    await checks(4);
    await idle(one);
    assert.equal(one.watches.rows[0]?.state.error, undefined);
  });

  it('leaves half of the searches of a minute to the user', async () => {
    const one = await watching();
    for (let time = 0; time < 4; time += 1) {
      one.budget.note();
    }
    await one.watches.add(watched);
    await computer.clock.advance(59_000);
    assert.equal(searches(), 0);
    await computer.clock.advance(1000);
    await checks(1);
  });

  it('checks several watches half a minute apart', async () => {
    const one = await watching();
    for (const name of ['a', 'b', 'c']) {
      await one.watches.add({ ...watched, name });
    }
    await checks(1);
    await idle(one);
    await computer.clock.advance(checksApartMs - 1);
    assert.equal(searches(), 1);
    await computer.clock.advance(1);
    await checks(2);
    await idle(one);
    await computer.clock.advance(checksApartMs);
    await checks(3);
  });

  it('belongs to its account, and rests while signed out', async () => {
    const one = await watching();
    await one.watches.add(watched);
    await checks(1);
    await idle(one);
    const key = one.window.accounts.active?.key ?? '';
    await one.window.accounts.signOut(key);
    await one.watches.ready;
    assert.deepEqual(one.watches.rows, []);
    await computer.clock.advance(60 * 60_000);
    assert.equal(searches(), 1);
    await assert.rejects(one.watches.add(watched), /Sign in/);
    await one.window.accounts.signIn({ serviceUrl: 'https://other.example.com', apiKey: 'another-key' });
    await one.watches.ready;
    assert.deepEqual(one.watches.rows, []);
    await one.window.accounts.signIn({
      serviceUrl: 'https://console.example.com',
      apiKey: 'key-of-the-user',
    });
    await soon('the watch of this account', () => one.watches.rows.length === 1);
  });

  it('can be changed and removed from any window, and leaves no file', async () => {
    const first = await watching();
    const second = await watching(await computer.openSignedIn());
    const watch = await first.watches.add(watched);
    await checks(1);
    await idle(first);
    await second.watches.change(watch.id, { name: 'cheaper', maxPerHour: fromDollars(0.1) });
    await soon('the change', () => first.watches.rows[0]?.watch.name === 'cheaper');
    await idle(first);
    await second.watches.remove(watch.id);
    await soon('the removal', () => first.watches.rows.length === 0);
    const key = first.window.accounts.active?.key ?? '';
    const folder = path.join(computer.storageDir, 'accounts', key, 'watches');
    await until('no file', async () => (await readdir(folder)).length === 0);
  });

  it('notifies windows that check nothing of a change, and checks at once in the leading one', async () => {
    const first = await watching();
    const second = await watching(await computer.openSignedIn());
    const watch = await first.watches.add(watched);
    await checks(1);
    await idle(first);
    await soon('the state in the other window', () => second.watches.rows[0]?.state.checkedAt !== undefined);
    const events: string[] = [];
    second.watches.onDidChange(() => events.push(...second.watches.rows.map((row) => row.watch.name)));
    await first.watches.change(watch.id, { name: 'renamed' });
    await soon('the name in the other window', () => events.includes('renamed'));
    await computer.clock.advance(checksApartMs);
    await checks(2);
    await idle(first);
    await computer.clock.advance(checksApartMs);
    await first.watches.checkNow(watch.id);
    await computer.clock.advance(0);
    assert.equal(searches(), 3);
  });

  it('stops the search of a watch that is removed', async () => {
    const one = await watching();
    let signal: AbortSignal | undefined;
    const search: typeof service.client.offers.search = (_search, options) => {
      signal = options?.signal;
      return new Promise(() => undefined);
    };
    Object.assign(service.client.offers, { search });
    const watch = await one.watches.add(watched);
    await soon('the search', () => signal !== undefined);
    const other = await one.watches.add(watched);
    await one.watches.remove(other.id);
    assert.equal(signal?.aborted, false);
    await one.watches.remove(watch.id);
    assert.equal(signal.aborted, true);
  });

  it('reports an offer again that a lower limit left out, and no other', async () => {
    const at = (dollars: number) => ({
      gpuPerHour: fromDollars(dollars),
      totalPerHour: fromDollars(dollars),
    });
    const other = marketOffer({ id: 2, machineId: 20, ...at(0.1) });
    service.offers = [cheap, other];
    const one = await watching();
    const watch = await one.watches.add(watched);
    await checks(1);
    await idle(one);
    const events = one.found.at(-1)?.since;
    await one.watches.change(watch.id, { maxPerHour: fromDollars(0.2) });
    await computer.clock.advance(checksApartMs);
    await checks(2);
    await idle(one);
    assert.deepEqual(
      one.found.at(-1)?.offers.map(({ id }) => id),
      [2],
    );
    assert.equal(one.found.at(-1)?.since, events, 'it was told before');
    service.offers = [{ ...cheap, ...at(0.15) }, other];
    await computer.clock.advance(checkEveryMs);
    await checks(3);
    await idle(one);
    const found = one.found.find(
      ({ since, offers }) => since !== events && offers.some(({ id }) => id === 1),
    );
    assert.ok(found, 'the price fell below the new limit');
  });

  it('leaves out a file that is none, and shows the others', async () => {
    const one = await watching();
    await one.watches.add(watched);
    const key = one.window.accounts.active?.key ?? '';
    await writeFile(
      path.join(computer.storageDir, 'accounts', key, 'watches', '0badf11e.json'),
      '{"version": 7}',
    );
    const next = await watching(await computer.openSignedIn());
    assert.equal(next.watches.rows.length, 1);
    assert.equal(next.watches.error, undefined);
  });
});
