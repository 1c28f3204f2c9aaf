import assert from 'node:assert/strict';
import { searchTemplates } from '../../../../src/features/templates/templateSearch';
import type { Template } from '../../../../src/model/templates/template';
import { text } from '../../../../src/util/text';
import { aTemplate } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { OnQuick } from '../../../support/onQuick';
import { openScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The search for public templates', () => {
  const torch = aTemplate({ id: 1, name: 'Torch', image: 'a/torch', desc: 'Fast\nand $(zap) good' });
  const jax = aTemplate({ id: 2, name: 'JAX', image: 'a/jax' });

  function scene(found: readonly Template[] = [torch, jax]) {
    const screen = openScreen();
    const quick = new OnQuick(screen);
    const clock = new FakeClock();
    const searches: { readonly filters: object; readonly signal: AbortSignal }[] = [];
    const warnings: string[] = [];
    const favourites = new Set<number>();
    const ran: string[] = [];
    const used: number[] = [];
    for (const id of ['gpuRental.rentFromTemplate', 'gpuRental.template.duplicate']) {
      screen.commands.register(id, (target) => ran.push(`${id} ${JSON.stringify(target)}`));
    }
    const service = { answer: (): Promise<object> => Promise.resolve({ items: found, skipped: 0 }) };
    const search = (filters: object, { signal }: { readonly signal: AbortSignal }) => {
      searches.push({ filters, signal });
      return service.answer();
    };
    const deps = {
      clock,
      log: { warn: (words: string) => warnings.push(words) },
      templateStores: {
        documents: {
          account: () => ({ key: 'mine', client: { templates: { search } } }),
          peek: () => undefined,
          openCurrent: (id: number): Promise<object | undefined> =>
            Promise.resolve({ id, name: 'Torch', isMine: false, hashId: 'hash-1' }),
        },
      },
      lists: {
        isFavourite: (id: number) => favourites.has(id),
        noteUse: ({ id }: Template) => {
          used.push(id);
          return Promise.resolve();
        },
        isMine: ({ id }: Template) => id === 2,
        setFavourite: ({ id }: { readonly id: number }, isOne: boolean) => {
          if (isOne) {
            favourites.add(id);
          } else {
            favourites.delete(id);
          }
          return Promise.resolve();
        },
      },
    };
    searchTemplates(only(deps));
    const type = async (query: string) => {
      await quick.type(query);
      await clock.advance(500);
    };
    /** The rows without those that complete the query. */
    const results = async () => (await quick.rows()).filter((row) => !/Another condition|Operator/.test(row));
    const { documents } = deps.templateStores;
    return {
      documents,
      used,
      quick,
      screen,
      clock,
      searches,
      warnings,
      favourites,
      ran,
      service,
      type,
      results,
    };
  }

  it('begins at once with those that are recommended', async () => {
    const { clock, searches, results } = scene();
    await clock.advance(0);
    assert.deepEqual(
      searches.map(({ filters }) => filters),
      [{ recommended: { eq: true } }],
    );
    assert.deepEqual(await results(), ['Torch a/torch Fast and $ (zap) good', 'JAX a/jax · yours']);
  });

  it('waits for a pause in typing, and ends the search before', async () => {
    const { quick, clock, searches, service } = scene();
    service.answer = () => new Promise(() => undefined);
    await clock.advance(0);
    await quick.type('count_created > 1');
    await clock.advance(499);
    await quick.type('count_created > 10');
    await clock.advance(499);
    assert.deepEqual([searches.length, searches[0]?.signal.aborted], [1, false]);
    await clock.advance(1);
    assert.deepEqual([searches.length, searches[0]?.signal.aborted], [2, true]);
    assert.deepEqual(searches[1]?.filters, { count_created: { gt: 10 } });
  });

  it('asks for nothing twice, and again after a failure', async () => {
    const { clock, searches, service, type } = scene();
    await clock.advance(0);
    await type('recommended = true ');
    assert.equal(searches.length, 1);
    service.answer = () => Promise.reject(new Error('No network'));
    await type('count_created > 1');
    await type('count_created > 1 ');
    assert.equal(searches.length, 3);
  });

  it('shows why it failed in place of “nothing matches”, until it works', async () => {
    const { clock, service, warnings, results, type } = scene();
    service.answer = () => Promise.reject(new Error('No network'));
    await clock.advance(0);
    assert.deepEqual(await results(), ['The search failed.']);
    assert.match(warnings.join(), /The search for templates failed: .*No network/);
    service.answer = () => Promise.reject(Object.assign(new Error(), { text: text('Busy.') }));
    await type('count_created > 1');
    assert.equal((await results()).length, 1);
    service.answer = () => Promise.resolve({ items: [torch], skipped: 0 });
    await type('count_created > 2');
    assert.match((await results()).join(), /^Torch/);
  });

  it('shows that it is under way, and no more once it is over', async () => {
    const { clock, screen, service, quick } = scene();
    let end: ((found: object) => void) | undefined;
    service.answer = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    await clock.advance(0);
    await quick.flush();
    const isBusy = () => screen.quick.current?.busy;
    assert.equal(isBusy(), true);
    end?.({ items: [], skipped: 0 });
    await quick.flush();
    assert.equal(isBusy(), false);
  });

  it('shows what is wrong with a query, and reads a single word as a name', async () => {
    const { clock, results, type, searches } = scene();
    await clock.advance(0);
    await type('image >');
    assert.deepEqual((await results())[0], 'image allows only =, !=, in, notin.');
    await type('tor');
    assert.deepEqual(await results(), ['Torch a/torch Fast and $ (zap) good']);
    await type('A/JAX');
    assert.deepEqual(await results(), ['JAX a/jax · yours']);
    assert.equal(searches.length, 1);
    await type('nothing');
    assert.deepEqual(await results(), ['No template matches.']);
  });

  it('shows that nothing matches only after a search', async () => {
    const { clock, results, quick, type } = scene([]);
    assert.deepEqual(await results(), []);
    await clock.advance(0);
    await quick.flush();
    await type('zzz');
    assert.deepEqual(await results(), ['No template matches.']);
  });

  for (const [count, more] of [
    [200, undefined],
    [201, '1 more; narrow the search to see them'],
  ] as const) {
    it(`shows 200 at most: ${count}`, async () => {
      const many = Array.from({ length: count }, (_, id) => aTemplate({ id, name: `t${id}` }));
      const { clock, results } = scene(many);
      await clock.advance(0);
      const rows = await results();
      assert.equal(rows.length, more === undefined ? 200 : 201);
      assert.equal(rows.at(-1)?.includes('more;') === true ? rows.at(-1) : undefined, more);
    });
  }

  for (const [button, ran] of [
    ['Rent', 'gpuRental.rentFromTemplate {"templateId":1}'],
    ['Save as Mine', 'gpuRental.template.duplicate {"templateId":1}'],
  ] as const) {
    it(`gives way to what a button does: ${button}`, async () => {
      const one = scene();
      await one.clock.advance(0);
      await one.quick.pressIn('Torch', button);
      assert.deepEqual([one.ran, one.quick.title, one.clock.pending], [[ran], undefined, 0]);
    });
  }

  it('marks a favorite and unmarks it, and stays open', async () => {
    const { clock, quick, favourites } = scene();
    await clock.advance(0);
    await quick.pressIn('Torch', 'Add Template to Favorites');
    assert.deepEqual([[...favourites], quick.active], [[1], 'Torch']);
    await quick.pressIn('Torch', 'Remove Template from Favorites');
    assert.deepEqual([...favourites], []);
  });

  it('opens what is picked, and shows in the list why it can’t', async () => {
    const { clock, quick, screen, documents, used, results } = scene();
    await clock.advance(0);
    const { openCurrent } = documents;
    documents.openCurrent = () => Promise.resolve(undefined);
    await quick.pick('Torch');
    assert.equal((await results())[0], 'This no longer exists. Refresh the list.');
    documents.openCurrent = openCurrent;
    screen.documents.show = (uri: unknown) => {
      shown.push(String(uri));
      return Promise.resolve(only({}));
    };
    const shown: string[] = [];
    await quick.pick('Torch');
    assert.equal(quick.title, undefined);
    assert.match(shown.join(), /Torch/);
    assert.deepEqual(used, [1]);
  });

  it('ends with its list', async () => {
    const { clock, quick, searches, service } = scene();
    service.answer = () => new Promise(() => undefined);
    await clock.advance(0);
    await quick.type('count_created > 1');
    await quick.escape();
    assert.deepEqual([searches[0]?.signal.aborted, clock.pending], [true, 0]);
  });
});
