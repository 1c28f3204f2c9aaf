import assert from 'node:assert/strict';
import { NotReachableError, RefusedError } from '../../../../src/api/errors';
import type { LifecycleDeps } from '../../../../src/features/lifecycle/deps';
import { reportNotSucceeded } from '../../../../src/features/lifecycle/powerOutcome';
import { CancelledError } from '../../../../src/util/errors';
import { anInstance } from '../../../support/builders';
import { textsOn, useScreen } from '../../../support/onScreen';

type Rows = Parameters<typeof reportNotSucceeded>[2];
type Row = Rows[number];

/** The messages after a request that did not do what was asked, which is followed by the buttons. */
describe('A power request that failed', () => {
  const screen = useScreen();
  const errors: unknown[] = [];
  const reported: unknown[] = [];
  const deps = {
    clock: { now: () => 0 },
    fleet: { facts: () => ({}) },
    log: { error: (_: string, error: unknown) => errors.push(error) },
    report: { error: (error: unknown) => reported.push(error) },
  } as unknown as LifecycleDeps;
  const trainer = anInstance({ id: 7, label: 'trainer' });
  const helper = anInstance({ id: 8, label: 'helper', actualStatus: 'exited', intendedStatus: 'stopped' });
  const done = (value: 'done' | 'queued' | 'notDone' | 'ignored' | 'notKnown', instance = trainer): Row => ({
    ...{ instance, kind: 'done', value },
  });
  const failed = (error: unknown, instance = trainer): Row => ({ instance, kind: 'failed', error });
  const said = (kind: 'start' | 'stop' | 'reboot' | 'recycle', ...rows: Rows) => {
    reportNotSucceeded(deps, kind, rows, `gpuRental.instance.${kind}`);
    return textsOn(screen).join('\n');
  };
  const refused = new RefusedError({ serviceText: 'No GPU is free.' });
  const table: readonly (readonly [said: string, ...Parameters<typeof said>])[] = [
    [
      'error trainer is unchanged and still costs $0.120/day. The service did not answer, and nothing has changed. [Retry, Rent Another Like This…]',
      'start',
      done('notDone'),
    ],
    [
      'error trainer is unchanged and still costs $0.400/h. The service did not answer, and nothing has changed. [Retry]',
      'stop',
      done('notDone'),
    ],
    [
      'error helper is unchanged and still costs $0.120/day. The service did not answer, and nothing has changed. [Retry]',
      'stop',
      done('notDone', helper),
    ],
    [
      'error helper is unchanged and still costs $0.120/day. The service accepted the request, and still intends what it did before. [Retry]',
      'stop',
      done('ignored', helper),
    ],
    [
      'error trainer is unchanged and still costs $0.400/h. The service did not answer, and nothing has changed. [Retry]',
      'reboot',
      done('notDone'),
    ],
    [
      'error trainer is unchanged and still costs $0.400/h. The service did not answer, and nothing has changed. [Retry]',
      'recycle',
      done('notDone'),
    ],
    [
      'warning The service did not answer, so trainer may be running. If it is, it costs $0.400/h. Refresh to check. [Refresh]',
      'start',
      done('notKnown'),
    ],
    [
      'warning The service did not answer, so trainer may be running. If it is, it costs $0.400/h. Refresh to check. [Refresh]',
      'stop',
      done('notKnown'),
    ],
    [
      'warning The service did not answer, so helper may be running. If it is, it costs $0.120/day. Refresh to check. [Refresh]',
      'stop',
      done('notKnown', helper),
    ],
    [
      'warning The service did not answer, so trainer may be running. If it is, it costs $0.400/h. Refresh to check. [Refresh]',
      'reboot',
      done('notKnown'),
    ],
    [
      'warning The service did not answer, so trainer may have been created again without its data. It costs the same either way. [Refresh]',
      'recycle',
      done('notKnown'),
    ],
    [
      'error trainer is unchanged and still costs $0.120/day. The service refused the request, so nothing was done. It says: No GPU is free. [Retry, Rent Another Like This…]',
      'start',
      failed(refused),
    ],
    [
      'error trainer is unchanged and still costs $0.400/h. The service refused the request, so nothing was done. It says: No GPU is free. [Retry]',
      'stop',
      failed(refused),
    ],
    [
      'error dialog Some instances are unchanged and still cost money. // trainer is unchanged and still costs $0.120/day. The service did not answer, and nothing has changed. [OK]',
      'start',
      done('done', helper),
      done('notDone'),
    ],
    [
      'error dialog Could not confirm this for all instances. Some may still cost money. // trainer is unchanged and still costs $0.400/h. The service refused the request, so nothing was done. It says: No GPU is free.\n\nThe service did not answer, so helper may be running. If it is, it costs $0.120/day. Refresh to check. [Refresh, Cancel]',
      'stop',
      failed(refused),
      done('notKnown', helper),
    ],
    [
      'error dialog Some instances are unchanged and still cost money. // trainer: See the log for details.\n\nhelper is unchanged and still costs $0.120/day. The service did not answer, and nothing has changed. [OK]',
      'reboot',
      failed(new TypeError('odd')),
      done('notDone', helper),
    ],
    [
      'error dialog Could not confirm this for all instances. Some may still cost money. // The service did not answer, so trainer may have been created again without its data. It costs the same either way. [Refresh, Cancel]',
      'recycle',
      done('notKnown'),
      done('done', helper),
    ],
  ];

  for (const [words, kind, ...rows] of table) {
    it(`shows what it costs now and what can be done: ${words}`, () => {
      assert.equal(said(kind, ...rows), words);
    });
  }

  it('shows nothing for what worked, waits for its GPU or was canceled', () => {
    assert.equal(said('start', done('done'), done('queued', helper)), '');
    assert.equal(said('stop', failed(new CancelledError())), '');
  });

  it('logs what is shown in short, and reports what another step than a second try could mend', () => {
    errors.length = 0;
    said('stop', failed(refused), done('done', helper));
    assert.deepEqual(errors, [refused]);
    const denied = new RefusedError({ nextStep: 'replaceKey' });
    const away = new NotReachableError();
    for (const error of [denied, away]) {
      assert.equal(said('stop', failed(error)), '');
    }
    assert.deepEqual(reported, [denied, away]);
  });
});
