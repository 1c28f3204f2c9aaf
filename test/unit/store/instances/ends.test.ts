import assert from 'node:assert/strict';
import { Ends, readPresence } from '../../../../src/store/instances/ends';
import { CreditReads } from '../../../../src/store/instances/poller';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';

describe('The end of an instance', () => {
  const id = 7;
  const present = new Set([id]);
  const empty = new Set<number>();
  let clock: FakeClock;
  let ends: Ends;
  beforeEach(() => {
    clock = new FakeClock();
    ends = new Ends(clock);
  });

  it('counts when whole lists have lacked it for four seconds', async () => {
    ends.learn(present, true);
    ends.learn(empty, true);
    assert.equal(ends.hasEnded(id), false);
    await clock.advance(3999);
    ends.learn(empty, true);
    assert.equal(ends.hasEnded(id), false);
    await clock.advance(1);
    assert.equal(ends.hasEnded(id), false, 'no list was read since');
    ends.learn(empty, false);
    assert.equal(ends.hasEnded(id), false, 'a part of a list tells nothing');
    ends.learn(empty, true);
    assert.equal(ends.hasEnded(id), true);
    ends.learn(present, true);
    assert.equal(ends.hasEnded(id), false, 'it is back');
  });

  it('counts after a minute and a half for one that was never listed', async () => {
    assert.equal(ends.hasEnded(id), false);
    ends.learn(empty, true);
    await clock.advance(89_999);
    ends.learn(empty, true);
    assert.equal(ends.hasEnded(id), false);
    await clock.advance(1);
    ends.learn(empty, true);
    assert.equal(ends.hasEnded(id), true);
    ends.clear();
    assert.equal(ends.hasEnded(id), false);
  });

  it('counts after four seconds for one of an earlier window, and at once where its record is gone', async () => {
    ends.remember([id]);
    ends.learn(empty, true);
    await clock.advance(4000);
    ends.learn(empty, true);
    ends.remember([id]);
    assert.equal(ends.hasEnded(id), true);
    ends.clear();
    ends.confirmed(id);
    assert.equal(ends.hasEnded(id), true);
  });

  it('is read from its record and, without one, from a whole list', async () => {
    const service = new FakeService();
    const { client } = service;
    const instance = anInstance({ id });
    service.instances = [instance];
    const kindOf = async () => (await readPresence(client, id)).kind;
    assert.equal(await kindOf(), 'there');
    Object.assign(client.instances, { get: () => Promise.resolve(undefined) });
    const lists = (list: object) => Object.assign(client.instances, { list: () => Promise.resolve(list) });
    for (const [list, kind] of [
      [{ items: [instance], skipped: 0 }, 'there'],
      [{ items: [], skipped: 0 }, 'ended'],
      [{ items: [anInstance({ id: 8 })], skipped: 0, found: 1 }, 'ended'],
      [{ items: [], skipped: 0, found: 1 }, 'doubtful'],
      [{ items: [], skipped: 1 }, 'doubtful'],
    ] as const) {
      lists(list);
      assert.equal(await kindOf(), kind, JSON.stringify(list));
    }
  });
});

describe('The credit', () => {
  it('is read every five minutes at most, also when the clock is set back', async () => {
    const clock = new FakeClock();
    const warnings: string[] = [];
    let reads = 0;
    const refreshUser = () => {
      reads += 1;
      return Promise.reject(new Error('down'));
    };
    const log = { ...silentLog, warn: (line: string) => void warnings.push(line) };
    const credit = new CreditReads({ accounts: { refreshUser }, clock, log });
    credit.begin();
    await clock.advance(5 * 60_000 - 1);
    credit.refresh();
    assert.equal(reads, 0);
    await clock.advance(1);
    credit.refresh();
    credit.refresh();
    assert.equal(reads, 1);
    await settle();
    assert.equal(warnings.length, 1);
    clock.jump(-5 * 60_000);
    credit.refresh();
    assert.equal(reads, 2);
  });
});
