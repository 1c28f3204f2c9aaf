import assert from 'node:assert/strict';
import { JobMoves, WatchedLogs } from '../../../../src/jobs/store/sharedJobs';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

describe('The transfers of jobs that are under way', () => {
  function scene() {
    const hubs = new FakeHubs();
    const clock = new FakeClock();
    const windows = [hubs.open(), hubs.open()].map((hub) => ({ hub, moves: new JobMoves(hub, clock) }));
    const [leader, other] = windows;
    assert.ok(leader && other);
    const moved: string[][] = windows.map(({ moves }) => {
      const ids: string[] = [];
      moves.onDidChange((id) => ids.push(id));
      return ids;
    });
    return { clock, leader, other, moved };
  }
  const at = (bytes: number) => ({ way: 'sending', bytes, totalBytes: 100 });

  it('are sent to all windows twice a second, and their end at once', async () => {
    const { clock, leader, other, moved } = scene();
    const seen: unknown[] = [];
    const note = () => seen.push([leader.moves.find('a')?.bytes, other.moves.find('a')?.bytes]);
    const result = await leader.moves.report('a', 'sending', async (onProgress) => {
      onProgress({ bytes: 1, totalBytes: 100 });
      note();
      await clock.advance(499);
      onProgress({ bytes: 2, totalBytes: 100 });
      note();
      await clock.advance(1);
      onProgress({ bytes: 3, totalBytes: 100 });
      note();
      assert.deepEqual(other.moves.find('a'), at(3));
      return 'done';
    });
    note();
    assert.equal(result, 'done');
    assert.deepEqual(seen, [
      [1, 1],
      [1, 1],
      [3, 3],
      [undefined, undefined],
    ]);
    assert.deepEqual(moved, [
      ['a', 'a', 'a'],
      ['a', 'a', 'a'],
    ]);
  });

  it('send nothing if nothing was moved, and end if they fail', async () => {
    const { leader, other, moved } = scene();
    await leader.moves.report('a', 'fetching', () => Promise.resolve());
    assert.deepEqual(moved, [[], []]);
    const failed = leader.moves.report('a', 'fetching', (onProgress) => {
      onProgress({ bytes: 1, totalBytes: 100 });
      return Promise.reject(new Error('cut'));
    });
    await assert.rejects(failed, /cut/);
    assert.deepEqual([leader.moves.find('a'), other.moves.find('a')], [undefined, undefined]);
  });

  it('are over with the window that leads, which the next one begins again', () => {
    const { leader, other } = scene();
    void leader.moves.report('a', 'sending', (onProgress) => {
      onProgress({ bytes: 1, totalBytes: 100 });
      return new Promise(() => undefined);
    });
    assert.deepEqual(other.moves.find('a'), at(1));
    leader.moves.dispose();
    leader.hub.dispose();
    assert.equal(other.moves.find('a'), undefined);
  });

  it('do not reach a window that has closed', async () => {
    const { leader, other } = scene();
    other.moves.dispose();
    await leader.moves.report('a', 'sending', (onProgress) => {
      onProgress({ bytes: 1, totalBytes: 100 });
      assert.deepEqual([leader.moves.find('a'), other.moves.find('a')], [at(1), undefined]);
      return Promise.resolve();
    });
  });
});

describe('the logs of jobs that are shown', () => {
  it('are known to all windows, to one that leads later as well, and forgotten with their window', () => {
    const hubs = new FakeHubs();
    const hub = hubs.open();
    const [leader, other] = [new WatchedLogs(hub), hubs.open()];
    const shown = new WatchedLogs(other);
    let changes = 0;
    leader.onDidChange(() => {
      changes += 1;
    });
    shown.watch(shown, ['job-1']);
    assert.deepEqual([leader.isWatched('job-1'), leader.isWatched('job-2'), changes], [true, false, 1]);
    const late = hubs.open();
    const next = new WatchedLogs(late);
    assert.equal(next.isWatched('job-1'), false);
    hub.dispose();
    assert.equal(next.isWatched('job-1'), true, 'the new leader tells and asks');
    shown.dispose();
    other.dispose();
    assert.equal(next.isWatched('job-1'), false);
    next.dispose();
    late.dispose();
    leader.dispose();
  });

  it('are those of all parts of a window, each of which changes its own', () => {
    const hubs = new FakeHubs();
    const hub = hubs.open();
    const logs = new WatchedLogs(hub);
    const [document, terminal] = [{}, {}];
    logs.watch(document, ['job-1']);
    logs.watch(terminal, ['job-2']);
    logs.watch(document, []);
    assert.deepEqual([logs.isWatched('job-1'), logs.isWatched('job-2')], [false, true]);
    logs.watch(terminal, []);
    assert.equal(logs.isWatched('job-2'), false);
    logs.dispose();
    hub.dispose();
  });
});
