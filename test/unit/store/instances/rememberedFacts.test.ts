import assert from 'node:assert/strict';
import { RememberedFacts } from '../../../../src/store/instances/rememberedFacts';
import { anInstance } from '../../../support/builders';

type Kind = 'start' | 'stop' | 'reboot' | 'recycle';

describe('what is remembered of a request', () => {
  const at = 1_000_000;
  const { id } = anInstance();

  /** Whether a request counts as done once the service lists the instance so. */
  function isSeen(kind: Kind, actualStatus: string | null, listedAt = at + 1000): boolean {
    const memory = new RememberedFacts();
    memory.note(id, { kind, at });
    memory.learn([anInstance({ actualStatus })], true, listedAt);
    return memory.facts(id).lastRequest?.tookEffect === true;
  }

  it('is that it took effect, once the record shows it', () => {
    assert.deepEqual(
      [isSeen('stop', 'running'), isSeen('stop', 'exited'), isSeen('stop', 'stopped')],
      [false, true, true],
    );
    assert.deepEqual(
      [
        isSeen('start', 'exited'),
        isSeen('start', 'stopped'),
        isSeen('start', 'loading'),
        isSeen('start', null),
      ],
      [false, false, true, true],
    );
    assert.deepEqual([isSeen('reboot', 'running'), isSeen('reboot', 'loading')], [false, true]);
    assert.deepEqual([isSeen('recycle', 'running'), isSeen('recycle', 'loading')], [false, true]);
  });

  it('is nothing that a list from before the request shows', () => {
    assert.equal(isSeen('stop', 'exited', at - 1), false);
    assert.equal(isSeen('stop', 'exited', at), true);
  });

  it('stays what it was when the record changes again', () => {
    const memory = new RememberedFacts();
    memory.note(id, { kind: 'stop', at });
    memory.learn([anInstance({ actualStatus: 'exited' })], true, at + 1);
    memory.learn([anInstance({ actualStatus: 'running' })], true, at + 2);
    assert.equal(memory.facts(id).lastRequest?.tookEffect, true);
  });

  it('ends a day after the instance was last listed', () => {
    const memory = new RememberedFacts();
    const day = 24 * 3_600_000;
    memory.learn([anInstance({ actualStatus: 'running' })], true, at);
    memory.learn([], true, at + day);
    assert.equal(memory.facts(id).readyAt, at);
    memory.learn([], false, at + 2 * day);
    assert.equal(
      memory.facts(id).readyAt,
      at,
      'of a list that lacks some nothing is learnt about the others',
    );
    memory.learn([], true, at + day + 1);
    assert.equal(memory.facts(id).readyAt, undefined);
  });
});

describe('since when an instance is stopped', () => {
  const first = 1_000_000;
  const { id } = anInstance();
  const stopped = { actualStatus: 'exited', intendedStatus: 'stopped' };
  const running = { actualStatus: 'running' };

  /** What is remembered after looks at a minute's distance; the request was sent before them. */
  function stoppedAt(kind: Kind | undefined, ...records: Parameters<typeof anInstance>[0][]) {
    const memory = new RememberedFacts();
    if (kind) {
      memory.note(id, { kind, at: first - 5000 });
    }
    records.forEach((record, index) => memory.learn([anInstance(record)], true, first + index * 60_000));
    return memory.facts(id).stoppedAt;
  }

  it('is when it was seen to be first, if it was stopped elsewhere', () => {
    assert.equal(stoppedAt(undefined, running, stopped, stopped), first + 60_000);
    assert.equal(stoppedAt(undefined, stopped, { ...stopped, actualStatus: 'offline' }, stopped), first);
  });

  it('is when our stop was sent that led to it', () => {
    assert.equal(
      stoppedAt('stop', { actualStatus: 'running', intendedStatus: 'stopped' }, stopped),
      first - 5000,
    );
    assert.equal(
      stoppedAt('stop', stopped, running, stopped),
      first + 120_000,
      'a stop of before does not date one of elsewhere',
    );
  });

  it('is nothing for one that runs or failed, and stays when a request is taken back', () => {
    assert.equal(stoppedAt(undefined, stopped, running), undefined);
    assert.equal(stoppedAt(undefined, { actualStatus: 'exited' }), undefined);
    const memory = new RememberedFacts();
    memory.learn([anInstance(stopped)], true, first);
    memory.note(id, { kind: 'start', at: first + 1 });
    memory.forget(id);
    assert.equal(memory.facts(id).stoppedAt, first);
  });
});

describe('since when an instance has rested', () => {
  const minute = 60_000;
  const first = 1_000_000_000;
  const stopped = { actualStatus: 'exited', intendedStatus: 'stopped' };
  const stillSince = (...looks: readonly (readonly [minutes: number, more: object])[]) => {
    const memory = new RememberedFacts();
    for (const [minutes, more] of looks) {
      memory.learn([anInstance(more)], true, first + minutes * minute);
    }
    return memory.facts(anInstance().id).stillSince;
  };

  it('is as long as each list has shown it stopped', () => {
    assert.equal(stillSince([0, stopped], [5, stopped], [16, stopped]), first);
    assert.equal(
      stillSince([0, stopped], [5, { actualStatus: 'running' }], [6, stopped]),
      first + 6 * minute,
    );
    assert.equal(stillSince([0, stopped], [5, { actualStatus: 'running' }]), undefined);
  });

  it('begins again after a pause in which it could have run, and after a clock that was set', () => {
    assert.equal(stillSince([0, stopped], [13, stopped], [14, stopped]), first + 13 * minute);
    assert.equal(stillSince([0, stopped], [-60, stopped]), first - 60 * minute);
  });

  it('begins again with a request in that pause, and with a start', () => {
    for (const [kind, noted, listed] of [
      ['destroy', 60, 61],
      ['start', 5, 6],
    ] as const) {
      const memory = new RememberedFacts();
      memory.learn([anInstance(stopped)], true, first);
      memory.note(anInstance().id, { kind, at: first + noted * minute });
      assert.equal(memory.facts(anInstance().id).stillSince, undefined);
      memory.learn([anInstance(stopped)], true, first + listed * minute);
      assert.notEqual(memory.facts(anInstance().id).stillSince, first);
    }
  });

  it('is nothing that a row shows which newer lists lack, once they lack it for that long', () => {
    const memory = new RememberedFacts();
    const lacking = (minutes: number) =>
      memory.learn([anInstance(stopped)], false, first + minutes * minute, new Set([anInstance().id]));
    memory.learn([anInstance(stopped)], true, first);
    lacking(5);
    assert.equal(memory.facts(anInstance().id).stillSince, first);
    lacking(10);
    lacking(13);
    assert.equal(memory.facts(anInstance().id).stillSince, undefined);
  });
});

describe('since when an instance runs', () => {
  const first = 10 * 3_600_000;
  const { id } = anInstance();

  /** What is remembered after looks at a minute's distance. */
  function runningAt(...records: Parameters<typeof anInstance>[0][]): number | undefined {
    const memory = new RememberedFacts();
    records.forEach((record, index) => memory.learn([anInstance(record)], true, first + index * 60_000));
    return memory.facts(id).runningAt;
  }
  const running = { actualStatus: 'running' };
  const loading = { actualStatus: 'loading' };

  it('is when it was seen to run first, and again after it did not', () => {
    assert.equal(runningAt(loading, running, running), first + 60_000);
    assert.equal(runningAt(running, loading), undefined);
    assert.equal(runningAt(running, loading, running), first + 120_000);
  });

  it('is what the service states for one that ran before it was seen', () => {
    assert.equal(runningAt({ ...running, uptimeMinutes: 30 }), first - 30 * 60_000);
  });
});
