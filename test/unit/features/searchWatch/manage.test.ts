import assert from 'node:assert/strict';
import { manageWatches } from '../../../../src/features/searchWatch/manage';
import { watchSearch } from '../../../../src/features/searchWatch/watchSearch';
import { fromDollars } from '../../../../src/model/money';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { text } from '../../../../src/util/text';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { OnQuick } from '../../../support/onQuick';
import { textsOn, useCommands, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

const now = Date.UTC(2026, 0, 15, 12);
const minutesAgo = (minutes: number) => now - minutes * 60_000;
const query = { ...defaultQuery, filters: { gpu: { oneOf: ['RTX 4090'] } } };
const watch = { id: 'a', name: 'Cheap', query, maxPerHour: fromDollars(0.4), createdAt: now };
const aRow = (state: object = {}, isChecking = false) => ({
  watch,
  state: { matches: [], checkedAt: minutesAgo(3), ...state },
  isChecking,
});

describe('Watched searches', () => {
  const screen = useScreen();
  const quick = new OnQuick(screen);
  const changed = new FakeEventEmitter<undefined>();
  const done: string[] = [];
  const state: { rows: object[]; error: unknown; refusal: Error | undefined } = {
    ...{ rows: [], error: undefined, refusal: undefined },
  };
  const note =
    (what: string) =>
    (...args: unknown[]) => {
      done.push([what, ...args.map((one) => JSON.stringify(one))].join(' '));
      return state.refusal ? Promise.reject(state.refusal) : Promise.resolve(undefined);
    };
  const run = (id: string, [first]: readonly unknown[]) => {
    const { title } = (first ?? {}) as { readonly title?: string };
    done.push(title === undefined ? id : `${id} ${title}`);
    return Promise.resolve(undefined);
  };
  useCommands(run);
  for (const id of ['gpuRental.watchSearch', 'gpuRental.manageWatches']) {
    screen.commands.ofEditor.set(id, (...args) => run(id, args));
  }
  const accounts: { active: { readonly key: string } | undefined } = { active: { key: 'mine' } };
  const deps = only<Parameters<typeof manageWatches>[0]>({
    accounts,
    clock: { now: () => now },
    globalState: { get: () => undefined },
    settings: { get: () => ({ 'Saved one': query }) },
    report: { error: (error: unknown) => done.push(String(error)) },
    searchWatches: {
      ready: Promise.resolve(),
      onDidChange: changed.event,
      get rows() {
        return state.rows;
      },
      get error() {
        return state.error;
      },
      ...{ add: note('add'), change: note('change'), checkNow: note('check'), remove: note('remove') },
    },
  });
  let open: Promise<void>;
  const manage = async () => {
    open = manageWatches(deps);
    await quick.flush();
  };
  const close = async () => {
    await quick.escape();
    await open;
    return done.splice(0);
  };

  beforeEach(() => {
    Object.assign(state, { rows: [aRow()], error: undefined, refusal: undefined });
    accounts.active = { key: 'mine' };
    textsOn(screen);
  });

  it('show what was found and when', async () => {
    const seen = (lastSeenAt: number) => ({ lastSeenAt });
    const checkedAt = minutesAgo(3);
    const error = { at: minutesAgo(1), text: text('It does not answer.') };
    const rows = [
      aRow({ matches: [seen(minutesAgo(9))] }),
      aRow({ matches: [seen(checkedAt)] }),
      aRow({ matches: [seen(checkedAt), seen(checkedAt)] }),
      aRow({ checkedAt: undefined }),
      aRow({}, true),
      aRow({ error }),
      aRow({ error, checkedAt: undefined }),
    ];
    const said: string[] = [];
    for (const row of rows) {
      state.rows = [row];
      await manage();
      said.push((await quick.rows())[0] ?? '');
      await close();
    }
    assert.deepEqual(said, [
      'Cheap up to $0.400/h · none right now checked 3 min ago · GPU: RTX 4090',
      'Cheap up to $0.400/h · 1 offer checked 3 min ago · GPU: RTX 4090',
      'Cheap up to $0.400/h · 2 offers checked 3 min ago · GPU: RTX 4090',
      'Cheap up to $0.400/h · not checked yet GPU: RTX 4090',
      'Cheap up to $0.400/h · none right now checking…',
      'Cheap up to $0.400/h · none right now The check 1 min ago failed: It does not answer. · checked 3 min ago',
      'Cheap up to $0.400/h · not checked yet The check 1 min ago failed: It does not answer.',
    ]);
  });

  it('lead to a new one, which stays visible for any typed text', async () => {
    await manage();
    await quick.type('nothing like this');
    assert.deepEqual(await quick.rows(), ['Watch a Search…']);
    await quick.pick('Watch a Search…');
    assert.equal(quick.title, undefined);
    assert.deepEqual(await close(), ['gpuRental.watchSearch']);
    state.rows = [];
    await manage();
    assert.deepEqual(await quick.rows(), [
      'Watch a Search… No watched searches. A watched search notifies you when an offer is cheap enough.',
    ]);
    await close();
  });

  it('show that they can’t be read', async () => {
    Object.assign(state, { rows: [], error: new Error('odd') });
    await manage();
    await quick.type('nothing like this');
    assert.deepEqual(await quick.rows(), [
      'Could not read the list Something unexpected happened. See the log for details.',
      'Watch a Search…',
    ]);
    await close();
  });

  it('follow their changes until the list is closed', async () => {
    await manage();
    state.rows = [];
    changed.fire(undefined);
    assert.equal((await quick.rows()).length, 1);
    await close();
    assert.equal(changed.hasListeners, false);
  });

  it('can be shown and ended by the buttons of their row', async () => {
    await manage();
    await quick.pressIn('Cheap', 'Stop Watching');
    assert.deepEqual(done.splice(0), ['remove "a"']);
    await quick.pressIn('Cheap', 'Show Offers');
    assert.equal(quick.title, undefined);
    assert.deepEqual(await close(), ['gpuRental.searchFor Search Offers: Cheap']);
    state.refusal = new Error('The disk is full.');
    await manage();
    await quick.pressIn('Cheap', 'Stop Watching');
    assert.deepEqual(await close(), ['remove "a"', 'Error: The disk is full.']);
  });

  it('can be shown, checked, changed and ended by the keyboard', async () => {
    await manage();
    await quick.pick('Cheap');
    assert.equal(quick.title, 'Watched Search: Cheap');
    await quick.pick('Check Again');
    assert.equal(quick.title, 'Manage Watched Searches');
    await quick.pick('Cheap');
    await quick.pick('Change the Price…');
    assert.equal(quick.value, '0.4');
    assert.equal(await quick.type('cheap'), 'Enter a price per hour in dollars, such as 0.25.');
    await quick.type('0.3');
    await quick.enter();
    assert.equal(quick.title, 'Manage Watched Searches');
    await quick.pick('Cheap');
    await quick.pick('Rename…');
    assert.equal(quick.value, 'Cheap');
    assert.equal(await quick.type(' '), 'Enter a name.');
    assert.equal(await quick.type('x'.repeat(81)), 'At most 80 characters.');
    assert.equal(await quick.type('x'.repeat(80)), 'A name to recognize it by');
    await quick.type(' Cheaper ');
    await quick.enter();
    await quick.pick('Cheap');
    await quick.pick('Stop Watching');
    assert.equal(quick.title, 'Manage Watched Searches');
    await quick.pick('Cheap');
    await quick.pick('Show Offers');
    assert.equal(quick.title, undefined);
    assert.deepEqual(await close(), [
      'check "a"',
      'change "a" {"maxPerHour":300000}',
      'change "a" {"name":"Cheaper"}',
      'remove "a"',
      'gpuRental.searchFor Search Offers: Cheap',
    ]);
  });

  it('are left alone if they have been removed, and show what went wrong', async () => {
    await manage();
    await quick.pick('Cheap');
    state.rows = [];
    await quick.pick('Show Offers');
    assert.deepEqual(await close(), []);
    Object.assign(state, { rows: [aRow()], refusal: new Error('The disk is full.') });
    await manage();
    await quick.pick('Cheap');
    await quick.pick('Check Again');
    assert.deepEqual(await close(), ['check "a"', 'Error: The disk is full.']);
  });

  it('begin with a price and a name, back and forth', async () => {
    const isOver = watchSearch(deps, { query, name: 'Given' });
    await quick.flush();
    assert.equal(quick.title, 'Watch a Search: Price');
    assert.equal(quick.value, '');
    await quick.type('0.5');
    await quick.enter();
    assert.equal(quick.value, 'Given');
    await quick.back();
    assert.equal(quick.value, '0.5');
    await quick.type('0.45');
    await quick.enter();
    await quick.enter();
    screen.messages.shown.at(-1)?.press('Manage Watched Searches');
    await isOver;
    await quick.flush();
    const [added = '', next] = done.splice(0);
    assert.match(added, /^add \{"name":"Given","maxPerHour":450000,"query":\{.*RTX 4090/);
    assert.equal(next, 'gpuRental.manageWatches');
    assert.deepEqual(textsOn(screen), [
      'info Watching “Given”. A message appears when an offer costs $0.450/h or less, as long as an editor is open. [Manage Watched Searches]',
    ]);
  });

  it('begin with the last search or a saved one', async () => {
    const isOver = watchSearch(deps, undefined);
    assert.deepEqual(
      (await quick.rows()).map((row) => row.split(' ').slice(0, 3).join(' ')),
      ['The Last Search', 'Saved one GPU:'],
    );
    await quick.pick('Saved one');
    await quick.type('0.5');
    await quick.enter();
    assert.equal(quick.value, 'Saved one');
    await quick.escape();
    await isOver;
    assert.deepEqual(done.splice(0), []);
  });

  it('are not begun in another account, or of what is no search', async () => {
    const isOver = watchSearch(deps, { query });
    await quick.type('0.5');
    await quick.enter();
    accounts.active = { key: 'theirs' };
    await Promise.all([assert.rejects(isOver, /AccountChanged/), quick.enter()]);
    assert.deepEqual(done.splice(0), []);
    await assert.rejects(watchSearch(deps, { query: 7 }), /UserError|Could not read this search/);
    accounts.active = { key: 'mine' };
    const none = watchSearch(deps, { query });
    await quick.escape();
    await none;
    assert.deepEqual(done.splice(0), []);
  });
});
