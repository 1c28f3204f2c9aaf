import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { NotReachableError } from '../../../../src/api/errors';
import { fromDollars } from '../../../../src/model/money';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { SearchBudget } from '../../../../src/store/offers/searchBudget';
import { SearchWatches } from '../../../../src/store/offers/searchWatches';
import { checkEveryMs, type WatchFound } from '../../../../src/store/offers/watchChecks';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { marketOffer } from '../../../support/marketOffer';

const minute = 60_000;
const watched = { name: 'cheap', query: defaultQuery, maxPerHour: fromDollars(0.5) };

describe('The checks of watched searches', () => {
  let { service, computer, pass } = {} as ComputerScene;
  beforeEach(async () => {
    ({ service, computer, pass } = await computerScene({ offers: [marketOffer({ id: 1, machineId: 10 })] }));
  });
  afterEach(() => computer.dispose());

  async function open() {
    const { accounts, hub, owned } = await computer.openSignedIn();
    const { clock, log, storageDir } = computer;
    const budget = owned.add(new SearchBudget(clock, hub));
    const watches = owned.add(new SearchWatches({ accounts, hub, budget, clock, log, storageDir }));
    await watches.ready;
    const found: WatchFound[] = [];
    watches.onDidFind((one) => found.push(one));
    const folder = path.join(storageDir, 'accounts', accounts.active?.key ?? '', 'watches');
    return { accounts, watches, found, folder };
  }
  const searches = () => service.count('offers.search');

  it('let what the user searches for go first', async () => {
    const { watches } = await open();
    await watches.add(watched);
    await pass(0);
    assert.deepEqual([searches(), service.unasked.filter((call) => call === 'offers.search').length], [1, 1]);
  });

  it('are seen to begin and to end', async () => {
    const { watches } = await open();
    const seen: boolean[] = [];
    watches.onDidChange(() => seen.push(watches.rows[0]?.isChecking === true));
    let answer: () => void = () => undefined;
    service.before = (call) =>
      call === 'offers.search' ? new Promise<void>((resolve) => (answer = resolve)) : undefined;
    await watches.add(watched);
    await pass(0);
    assert.equal(seen.at(-1), true);
    answer();
    await pass(0);
    assert.equal(seen.at(-1), false);
  });

  it('happen later after each failure, half an hour at most, which is logged once', async () => {
    const { watches } = await open();
    const times: number[] = [];
    let isDown = true;
    service.before = (call) => {
      if (call === 'offers.search') {
        times.push(computer.clock.elapsed() / minute);
      }
      if (call === 'offers.search' && isDown) {
        throw new NotReachableError();
      }
    };
    await watches.add(watched);
    await pass(102 * minute);
    assert.deepEqual(times, [0, 6, 18, 42, 72, 102]);
    assert.equal(computer.log.count('warn A watched search could not be checked'), 1);
    isDown = false;
    await pass(30 * minute);
    await pass(checkEveryMs);
    assert.deepEqual(times.slice(-2), [132, 135]);
    isDown = true;
    await pass(checkEveryMs);
    assert.equal(computer.log.count('warn A watched search could not be checked'), 2);
  });

  it('see within thirty seconds that the computer slept', async () => {
    const { watches } = await open();
    await watches.add(watched);
    await pass(0);
    computer.clock.jump(checkEveryMs);
    await pass(29_999);
    assert.equal(searches(), 1);
    await pass(1);
    assert.equal(searches(), 2);
  });

  it('leave no file of a watch that is removed while it is checked', async () => {
    const { watches, folder } = await open();
    let answer: () => void = () => undefined;
    service.before = (call) =>
      call === 'offers.search' ? new Promise<void>((resolve) => (answer = resolve)) : undefined;
    const { id } = await watches.add(watched);
    await pass(0);
    await watches.remove(id);
    answer();
    await pass(0);
    assert.deepEqual([await readdir(folder), watches.rows], [[], []]);
  });

  it('show what they found though the disk refuses to keep it, which is logged', async () => {
    const { watches, found, folder } = await open();
    service.before = async (call) => {
      const [name = ''] = call === 'offers.search' ? await readdir(folder) : [];
      if (name !== '') {
        await mkdir(path.join(folder, name.replace('.json', '.state.json')), { recursive: true });
      }
    };
    await watches.add(watched);
    await pass(0);
    assert.equal(computer.log.count('warn The state of a watched search could not be kept'), 1);
    assert.deepEqual([watches.rows[0]?.state.matches.length, found.length], [1, 1]);
  });

  it('are of no account but the active one, for any message of another window', async () => {
    const { watches, found, accounts } = await open();
    const other = computer.hubs.open();
    await watches.add(watched);
    await pass(0);
    const [find] = found;
    const [{ watch } = { watch: undefined }] = watches.rows;
    for (const accountKey of ['another', accounts.active?.key ?? '']) {
      other.broadcast('watches.found', { ...find, accountKey });
      other.broadcast('watches.wanted', { accountKey, watchId: watch?.id });
      await pass(checkEveryMs / 2);
      const isOwn = accountKey !== 'another';
      // What another window wants is checked with the next reading of the list.
      assert.equal(found.length > 1, isOwn, accountKey);
    }
  });
});
