import assert from 'node:assert/strict';
import { DiskList } from '../../../../src/store/disk/diskList';
import { toDisposable } from '../../../../src/util/disposable';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { FakeClock, settle } from '../../../support/fakeClock';

describe('A list on disk', () => {
  /** A window of two accounts, each with rows of its own on the disk. */
  function aWindow(disk: Record<string, string[]>, trouble: { refuses?: boolean; refused?: unknown } = {}) {
    const leader = new Emitter<boolean>();
    const changed = new Emitter<void>();
    const events: unknown[] = [];
    const reads: string[] = [];
    const logged: string[] = [];
    const clock = new FakeClock();
    const accounts = { active: { key: 'one' }, onDidChange: changed.event };
    const list = new DiskList({
      topic: 'rows.changed',
      accounts,
      hub: {
        on: () => toDisposable(() => undefined),
        broadcast: (_, data) => events.push(data),
        onDidChangeLeader: leader.event,
      },
      clock,
      log: { ...silentLog, warn: (line) => void logged.push(line) },
      open: (key) => ({
        list: () => {
          reads.push(key);
          return trouble.refuses === true
            ? Promise.reject(new Error('busy'))
            : Promise.resolve([...(disk[key] ?? [])]);
        },
        get refused() {
          return trouble.refused;
        },
      }),
      unreadable: 'The rows could not be read',
    });
    const switchTo = (key: string) => {
      accounts.active = { key };
      changed.fire();
    };
    return { list, leader, events, reads, switchTo, clock, logged };
  }

  it('is read again when its window rejoins the others, because earlier messages did not reach it', async () => {
    const disk = { one: ['first'] };
    const { list, leader } = aWindow(disk);
    await list.ready;
    disk.one.push('second');
    leader.fire(false);
    await settle();
    assert.deepEqual(list.rows, ['first', 'second']);
    list.dispose();
  });

  it('notifies other windows after reading the disk only if that found a change', async () => {
    const disk = { one: ['first'] };
    const { list, events } = aWindow(disk);
    await list.ready;
    await list.reread();
    assert.deepEqual(events, [], 'nothing changed');
    disk.one.push('second');
    await list.reread();
    assert.deepEqual(events, [{ accountKey: 'one' }]);
    assert.deepEqual(list.rows, ['first', 'second']);
    list.dispose();
  });

  it('keeps a row that was replaced while the disk was read, and reads what else was written', async () => {
    const disk = { one: ['first'] };
    const { list } = aWindow(disk);
    await list.ready;
    const loading = list.publishChange(list.files);
    disk.one = ['changed', 'second'];
    list.replace((row) => (row === 'first' ? 'changed' : row));
    assert.deepEqual(list.rows, ['changed']);
    await loading;
    assert.deepEqual(list.rows, ['changed', 'second']);
    list.dispose();
  });

  it('has what was written before its message, also while it is read for another change', async () => {
    const disk = { one: ['first'] };
    const { list, reads } = aWindow(disk);
    await list.ready;
    disk.one.push('second');
    const first = list.publishChange(list.files);
    disk.one.push('third');
    const others = [list.publishChange(list.files), list.publishChange(list.files)];
    await first;
    assert.ok(list.rows.includes('second'));
    await Promise.all(others);
    assert.deepEqual(list.rows, ['first', 'second', 'third']);
    assert.equal(reads.length, 3, 'who waits shares the next read');
    list.dispose();
  });

  it('notifies the other windows of the account whose rows changed, though another became active during the write', async () => {
    const disk = { one: ['first'], two: ['other'] };
    const { list, events, reads, switchTo } = aWindow(disk);
    await list.ready;
    const { files } = list;
    disk.one.push('second');
    switchTo('two');
    await list.publishChange(files);
    assert.deepEqual(events, [{ accountKey: 'one' }]);
    assert.deepEqual(list.rows, ['other']);
    // The rows that are shown did not change, so they are not read again.
    assert.deepEqual(reads, ['one', 'two']);
    list.dispose();
  });

  it('sends no message about a change that was made while signed out', async () => {
    const { list, events } = aWindow({});
    await list.publishChange(undefined);
    assert.deepEqual(events, []);
    list.dispose();
  });

  it('is read again by itself after the disk refused it, and no more once it is whole', async () => {
    const trouble: { refuses?: boolean; refused?: unknown } = { refuses: true };
    const { list, clock, logged } = aWindow({ one: ['first'] }, trouble);
    await settle();
    await clock.advance(60_000);
    assert.equal(logged.length, 1);
    assert.deepEqual([list.rows, list.error, list.anyError], [[], new Error('busy'), new Error('busy')]);
    trouble.refuses = false;
    trouble.refused = new Error('one file is busy');
    await clock.advance(20_000);
    assert.deepEqual([list.rows, list.error], [['first'], undefined]);
    assert.equal(list.anyError, trouble.refused);
    trouble.refused = undefined;
    await clock.advance(20_000);
    assert.equal(clock.pending, 0);
    list.dispose();
  });

  it('asks the disk for nothing any more once it is disposed of', async () => {
    const { list, clock } = aWindow({ one: ['first'] }, { refuses: true });
    await settle();
    list.dispose();
    assert.equal(clock.pending, 0);
  });
});
