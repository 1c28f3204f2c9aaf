import assert from 'node:assert/strict';
import { WatchedLogs } from '../../../../src/jobs/store/watchedLogs';
import { FakeHubs } from '../../../support/fakeWindows';

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
