import assert from 'node:assert/strict';
import * as z from 'zod';
import { LeaderRequests, type RequestOptions } from '../../../../src/store/windows/leaderRequests';
import { CancelledError, UserError } from '../../../../src/util/errors';
import { text } from '../../../../src/util/text';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

const takenMs = 1000;
const doneMs = 5000;

/** A request as its window carries it out. */
interface Work {
  readonly window: string;
  readonly what: string;
  readonly options: RequestOptions;
  readonly end: (error?: Error) => void;
}

describe('Requests that the leading window carries out', () => {
  let clock: FakeClock;
  let hubs: FakeHubs;
  let works: Work[];
  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    works = [];
  });

  function open(window: string) {
    const hub = hubs.open();
    const requests = new LeaderRequests({
      ...{ hub, clock, acceptedMs: takenMs, doneMs, topic: 'test', what: z.string() },
      doHere: (what, options) =>
        new Promise<void>((resolve, reject) => {
          const end = (error?: Error) => (error ? reject(error) : resolve());
          works.push({ window, what, options, end });
        }),
    });
    const close = () => {
      requests.dispose();
      hub.dispose();
    };
    return { hub, requests, close };
  }
  const windows = () => works.map(({ window }) => window);
  /** How a request ends. */
  function follow(request: Promise<void>) {
    const followed = { end: 'open' };
    request.then(
      () => (followed.end = 'done'),
      (error: unknown) => (followed.end = error instanceof Error ? error.message : 'odd'),
    );
    return followed;
  }
  const ends = async (followed: { readonly end: string }) => {
    await settle();
    return followed.end;
  };

  it('are carried out there for all windows, once, and end for those that asked', async () => {
    const [leader, other] = [open('leader'), open('other')];
    const own = follow(leader.requests.ask('a'));
    const theirs = follow(other.requests.ask('b'));
    assert.deepEqual(
      works.map(({ window, what }) => `${window} ${what}`),
      ['leader a', 'leader b'],
    );
    works[1]?.end();
    assert.deepEqual([await ends(own), await ends(theirs)], ['open', 'done']);
    works[0]?.end();
    assert.equal(await ends(own), 'done');
    assert.equal(clock.pending, 0);
  });

  it('fail with the words of the leading window', async () => {
    open('leader');
    const asked = follow(open('other').requests.ask('a'));
    works[0]?.end(new UserError(text('No route')));
    assert.equal(await ends(asked), 'No route');
  });

  it('report that they wait, and for how long', () => {
    open('leader');
    const waits: number[] = [];
    void open('other').requests.ask('a', { onWait: (waitMs) => waits.push(waitMs) });
    works[0]?.options.onWait?.(700);
    assert.deepEqual(waits, [700]);
  });

  it('end in the leading window once the user cancels', async () => {
    open('leader');
    const other = open('other');
    const abort = new AbortController();
    const asked = follow(other.requests.ask('a', { signal: abort.signal }));
    const untouched = follow(other.requests.ask('b'));
    abort.abort();
    assert.equal(await ends(asked), 'Cancelled');
    assert.deepEqual(
      works.map(({ options }) => options.signal?.aborted),
      [true, false],
    );
    assert.equal(await ends(untouched), 'open');
    await assert.rejects(other.requests.ask('c', { signal: abort.signal }), CancelledError);
    assert.equal(works.length, 2, 'nothing is asked of what is cancelled already');
  });

  it('are carried out here if the leading window does not accept them, the next ones at once for a minute', async () => {
    hubs.open();
    const other = open('other');
    const asked = follow(other.requests.ask('a'));
    await clock.advance(takenMs - 1);
    assert.deepEqual(windows(), []);
    await clock.advance(1);
    assert.deepEqual(windows(), ['other']);
    works[0]?.end();
    assert.equal(await ends(asked), 'done');
    await clock.advance(59_999);
    void other.requests.ask('b');
    assert.equal(works.length, 2);
    await clock.advance(1);
    void other.requests.ask('c');
    assert.equal(works.length, 2, 'it is asked again');
  });

  it('are carried out here where the leading window does not finish them', async () => {
    open('leader');
    const asked = follow(open('other').requests.ask('a'));
    await clock.advance(doneMs - 1);
    assert.deepEqual(windows(), ['leader']);
    await clock.advance(1);
    assert.deepEqual(windows(), ['leader', 'other']);
    works[0]?.end();
    assert.equal(await ends(asked), 'done', 'whoever is first');
  });

  it('are asked of the next leading window, and once of a window that answers again', async () => {
    const leader = open('leader');
    const next = open('next');
    const third = open('third');
    const asked = follow(third.requests.ask('a'));
    const own = follow(next.requests.ask('b'));
    leader.close();
    await settle();
    const carriedOut = works.slice(2).map(({ window, what }) => `${window} ${what}`);
    assert.deepEqual(carriedOut, ['next b']);
    // The others of a real hub hear of each new leader.
    third.hub.leads(true);
    third.hub.leads(false);
    assert.equal(windows().at(-1), 'next');
    for (const { end } of works) {
      end();
    }
    assert.deepEqual([await ends(asked), await ends(own)], ['done', 'done']);
  });

  it('give the next leading window as long to accept them as the first one', async () => {
    hubs.open();
    const other = open('other');
    void other.requests.ask('a');
    await clock.advance(takenMs / 2);
    // Another window leads from now on.
    other.hub.isLeader = true;
    other.hub.leads(false);
    await clock.advance(takenMs - 1);
    assert.deepEqual(windows(), []);
    await clock.advance(1);
    assert.deepEqual(windows(), ['other']);
  });

  it('end with their window, on both sides', async () => {
    const leader = open('leader');
    const other = open('other');
    const asked = follow(other.requests.ask('a'));
    other.requests.dispose();
    assert.equal(await ends(asked), 'Cancelled');
    leader.requests.dispose();
    assert.equal(works[0]?.options.signal?.aborted, true);
  });
});
