import assert from 'node:assert/strict';
import { NotReachableError } from '../../../../src/api/errors';
import { typingPauseMs } from '../../../../src/features/search/offerSession';
import { fromDollars } from '../../../../src/model/money';
import { mostRows, type MarketQuery } from '../../../../src/model/offers/marketQuery';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { searchesPerMinute } from '../../../../src/store/offers/searchBudget';
import { aSession } from '../../../support/aSession';
import { marketOffer } from '../../../support/marketOffer';

const rows = [
  marketOffer({ id: 1, score: 3 }),
  marketOffer({ id: 2, score: 2, gpuName: 'RTX 3090' }),
  marketOffer({ id: 3, score: 1, gpuName: 'H100 SXM', gpuRamMb: 81_559 }),
];
const fullAnswer = Array.from({ length: 64 }, (_, index) =>
  marketOffer({
    id: index + 1,
    score: 1000 - index,
    gpuPerHour: fromDollars(0.1 + index / 100),
    totalPerHour: fromDollars(0.1 + index / 100),
  }),
);

describe('a search session', () => {
  it('asks at once, and shows what arrived', async () => {
    const { session, asked, ask, ids } = aSession();
    session.start();
    assert.equal(asked.length, 1);
    assert.deepEqual(session.view.loaded, false);
    assert.ok(session.view.busy);
    await ask(0).answer(rows);
    assert.deepEqual(ids(), [1, 2, 3]);
    assert.ok(!session.view.busy);
    assert.equal(session.view.more, 'none');
  });

  it('answers what only narrows without a request, while it is typed', async () => {
    const { session, asked, ask, ids, clock } = aSession();
    session.start();
    await ask(0).answer(rows);
    for (const line of ['4', '40', '409', '4090']) {
      session.setTyped(line);
    }
    assert.deepEqual(ids(), [1]);
    await clock.advance(60_000);
    assert.equal(asked.length, 1);
  });

  it('asks once after a pause in typing where the answer was not whole', async () => {
    const { session, asked, ask, clock } = aSession();
    session.start();
    await ask(0).answer(fullAnswer);
    for (const line of ['3', '30', '309', '3090']) {
      session.setTyped(line);
      await clock.advance(100);
    }
    assert.equal(asked.length, 1);
    await clock.advance(typingPauseMs);
    assert.equal(asked.length, 2);
    assert.deepEqual(ask(1).search.filters['gpu_name'], { eq: 'RTX 3090' });
  });

  it('removes a chosen limit by a typed wildcard, and keeps typed what filters nothing', () => {
    const { session } = aSession();
    session.setTyped('verified=true foo>5');
    session.absorbTyped();
    assert.equal(session.chosenQuery.filters.verified, true);
    assert.equal(session.line, 'foo >5');
    session.setTyped('verified=any');
    assert.equal('verified' in session.effectiveQuery.filters, false);
  });

  it('cancels the earlier question and drops its late answer', async () => {
    const { session, ask, ids, clock } = aSession();
    session.start();
    session.setTyped('h100');
    await clock.advance(typingPauseMs);
    assert.ok(ask(0).signal?.aborted);
    await ask(1).answer([marketOffer({ id: 9, gpuName: 'H100 SXM' })]);
    await ask(0).answer(rows);
    assert.deepEqual(ids(), [9]);
  });

  it('drops the answer to a question that narrowing made needless', async () => {
    const { session, ask, ids, clock } = aSession();
    session.start();
    await ask(0).answer(rows);
    session.setQuery({ ...defaultQuery, diskGb: 99 });
    session.setQuery(defaultQuery);
    await ask(1).answer([]);
    await clock.advance(60_000);
    assert.deepEqual(ids(), [1, 2, 3]);
    assert.ok(!session.view.busy);
  });

  it('checks the answer again', async () => {
    const { session, ask, ids } = aSession({
      query: { ...defaultQuery, filters: { gpu: { oneOf: ['RTX 4090'] } } },
    });
    session.start();
    await ask(0).answer(rows);
    assert.deepEqual(ids(), [1]);
  });

  it('keeps the last good rows beside an error, and loses the error with the next answer', async () => {
    const { session, ask, ids, clock } = aSession();
    session.start();
    await ask(0).answer(rows);
    const readAt = clock.now();
    await clock.advance(120_000);
    session.refresh();
    await ask(1).fail(new NotReachableError());
    assert.deepEqual(ids(), [1, 2, 3]);
    assert.ok(session.view.error instanceof NotReachableError);
    assert.equal(session.view.readAt, readAt);
    session.refresh();
    await ask(2).answer(rows);
    assert.equal(session.view.error, undefined);
  });

  it('shows an error and no rows where nothing was read yet', async () => {
    const { session, ask } = aSession();
    session.start();
    await ask(0).fail(new NotReachableError());
    assert.deepEqual(session.view.rows, []);
    assert.ok(!session.view.loaded);
    assert.ok(session.view.error instanceof NotReachableError);
  });

  it('does not show offers of the other rental type while it asks', async () => {
    const { session, ask, ids } = aSession();
    session.start();
    await ask(0).answer(rows);
    session.setTyped('spot');
    assert.deepEqual(ids(), []);
    assert.ok(session.view.busy);
  });

  it('asks at most eight times a minute, and shows how long it waits', async () => {
    const { session, asked, clock } = aSession();
    for (let time = 0; time < 20; time += 1) {
      session.refresh();
      await clock.advance(100);
    }
    assert.equal(asked.length, searchesPerMinute);
    assert.equal(session.view.waitsUntil, clock.now() - 2000 + 60_000);
    await clock.advance(58_000);
    assert.equal(asked.length, searchesPerMinute + 1);
    assert.equal(session.view.waitsUntil, undefined);
  });

  it('shows how long the service’s own limit makes it wait', async () => {
    const { session, ask, clock } = aSession();
    session.start();
    ask(0).onWait?.(7000);
    assert.equal(session.view.waitsUntil, clock.now() + 7000);
    await ask(0).answer(rows);
    assert.equal(session.view.waitsUntil, undefined);
  });

  it('sorts a whole answer here, and asks for the order where it was not whole', async () => {
    const whole = aSession();
    whole.session.start();
    await whole.ask(0).answer(rows);
    whole.session.setQuery({ ...defaultQuery, sort: 'memory' });
    assert.deepEqual(whole.ids(), [3, 1, 2]);
    assert.equal(whole.asked.length, 1);
    assert.ok(!whole.session.view.orderedHere);

    const full = aSession();
    full.session.start();
    await full.ask(0).answer(fullAnswer);
    full.session.setQuery({ ...defaultQuery, sort: 'price' });
    assert.deepEqual(full.ask(1).search.order, [['dph_total', 'asc']]);
  });

  it('adds the rows after the last one, each once', async () => {
    const query: MarketQuery = { ...defaultQuery, sort: 'price' };
    const { session, ask, ids } = aSession({ query });
    session.start();
    await ask(0).answer(fullAnswer);
    assert.equal(session.view.more, 'fetchable');
    const more = session.more();
    assert.deepEqual(ask(1).search.filters['dph_total'], { gte: 0.729999 });
    const next = marketOffer({ id: 100, gpuPerHour: fromDollars(0.9), totalPerHour: fromDollars(0.9) });
    await ask(1).answer([...fullAnswer.slice(63), next]);
    await more;
    assert.equal(ids().length, 65);
    assert.equal(ids().at(-1), 100);
    assert.equal(session.view.more, 'none');
  });

  it('fills the list up where rows of a full answer do not fit, with two pages at most', async () => {
    const { session, asked, ask, ids } = aSession();
    session.setQuery({
      ...defaultQuery,
      rentalType: 'interruptible',
      filters: { pricePerHour: { max: 0.3 } },
    });
    // The service goes by the bid alone, and a large disk makes most of them dearer.
    const page = (first: number) =>
      Array.from({ length: mostRows }, (_, at) =>
        marketOffer({
          id: first + at,
          score: 200 - first / 100,
          storagePerGbMonth: fromDollars(at === 0 ? 0.1 : 9),
        }),
      );
    await ask(0).answer(page(1000));
    assert.equal(session.view.busy, true);
    assert.deepEqual(ids(), [1000], 'what is there is shown meanwhile');
    await ask(1).answer(page(2000));
    await ask(2).answer(page(3000));
    assert.deepEqual(ids(), [1000, 2000, 3000]);
    assert.equal(asked.length, 3);
    assert.deepEqual([session.view.busy, session.view.more], [false, 'fetchable']);
  });

  it('fills nothing up for words, for a search that was replaced, or beyond the rate limit', async () => {
    const { session, asked, ask, clock } = aSession();
    const full = Array.from({ length: mostRows }, (_, at) => marketOffer({ id: 1000 + at }));
    session.start();
    session.setTyped('nowhere-at-all');
    await clock.advance(typingPauseMs);
    await ask(asked.length - 1).answer(full);
    const before = asked.length;
    assert.deepEqual([session.view.rows.length, session.view.busy], [0, false]);
    session.setTyped('price<=0.001');
    await clock.advance(typingPauseMs);
    await ask(before).answer(full);
    assert.equal(asked.length, before + 2, 'the next rows are asked for');
    session.setTyped('x8');
    assert.equal(ask(before + 1).signal?.aborted, true);
    session.dispose();
    const few = { waitMs: () => (busy.asked.length === 0 ? 0 : 1000), note: () => undefined };
    const busy = aSession({
      budget: few,
      query: { ...defaultQuery, filters: { pricePerHour: { max: 0.001 } } },
    });
    busy.session.start();
    await busy.ask(0).answer(full);
    assert.deepEqual([busy.asked.length, busy.session.view.more], [1, 'fetchable']);
  });

  it('stops asking for more when a page brings nothing', async () => {
    const { session, ask } = aSession({ query: { ...defaultQuery, sort: 'price' } });
    session.start();
    await ask(0).answer(fullAnswer);
    const more = session.more();
    await ask(1).answer(fullAnswer);
    await more;
    assert.equal(session.view.more, 'none');
  });

  it("searches with a template's filters, a person's winning, and checks both", async () => {
    const { session, ask, ids } = aSession({
      query: {
        ...defaultQuery,
        filters: { gpuCount: { min: 1, max: 1 } },
        extraFilters: { gpu_name: { eq: 'RTX 3090' }, num_gpus: { gte: 4 } },
      },
    });
    session.start();
    assert.deepEqual(ask(0).search.filters, { gpu_name: { eq: 'RTX 3090' }, num_gpus: { eq: 1 } });
    await ask(0).answer(rows);
    assert.deepEqual(ids(), [2]);
    session.setQuery({ ...defaultQuery, filters: {} });
    assert.deepEqual(ask(1).search.filters, { gpu_name: { eq: 'RTX 3090' }, num_gpus: { gte: 4 } });
  });

  it('puts offers of machines that failed before behind the others, in the same order', async () => {
    const { session, ask, ids } = aSession();
    const machines = rows.map((offer, index) => ({ ...offer, machineId: 10 + index }));
    session.start();
    session.setFailedMachines([
      { machineId: 10, at: 0, reason: 'no docker' },
      { machineId: 11, at: 0, reason: '' },
    ]);
    await ask(0).answer(machines);
    assert.deepEqual(ids(), [3, 1, 2]);
    session.setFailedMachines([{ machineId: 11, at: 0, reason: '' }]);
    assert.deepEqual(ids(), [1, 3, 2]);
    assert.equal(session.failedMachines.get(11)?.machineId, 11);
  });

  it('works a long list out once, however often it is looked at', async () => {
    const { session, ask } = aSession();
    session.start();
    await ask(0).answer(rows);
    assert.equal(session.view.rows, session.view.rows);
    const before = session.view.rows;
    session.setTyped('3090');
    assert.notEqual(session.view.rows, before);
  });

  it('turns what was typed into chosen filters, and keeps free words', () => {
    const { session } = aSession();
    session.setTyped('4090 epyc spot');
    session.absorbTyped();
    assert.equal(session.line, 'epyc');
    assert.deepEqual(session.chosenQuery.filters.gpu, { oneOf: ['RTX 4090'] });
    assert.equal(session.chosenQuery.rentalType, 'interruptible');
  });

  it('ends with its requests and timers', async () => {
    const { session, ask, clock } = aSession();
    session.start();
    session.setTyped('x2');
    session.dispose();
    await clock.advance(60_000);
    assert.ok(ask(0).signal?.aborted);
    assert.equal(clock.pending, 0);
  });
});
