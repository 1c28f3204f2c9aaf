import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import type { InstanceFacts } from '../../../../src/model/instances/instanceState';
import {
  beginStartWatch,
  observe,
  troubleOf,
  type StartWatch,
  type StartOutcome,
} from '../../../../src/model/rentals/startWatch';
import { anInstance } from '../../../support/builders';

const start = Date.UTC(2026, 0, 15, 12);
const minute = 60_000;
const limits = { timeoutMs: 15 * minute, checksLogin: false };

/** Plays looks at a machine one after another. */
class Play {
  watch: StartWatch;
  outcome: StartOutcome | undefined;

  constructor(cause: StartWatch['cause'] = 'rent') {
    this.watch = beginStartWatch(5001, cause, start);
  }

  see(afterMs: number, change: Partial<Instance> | 'absent' | 'ended', facts: InstanceFacts = {}): this {
    const instance = change === 'absent' ? undefined : change === 'ended' ? change : anInstance(change);
    const step = observe(this.watch, instance, facts, start + afterMs, limits);
    this.watch = step.watch;
    this.outcome = step.outcome;
    return this;
  }
}

describe('readiness', () => {
  it('passes from null over loading to running, and is ready', () => {
    const play = new Play().see(0, { actualStatus: null });
    assert.deepEqual([play.outcome, play.watch.stage], [undefined, 'provisioning']);
    play.see(10_000, { actualStatus: 'loading', statusMessage: 'pulling\n' });
    assert.deepEqual([play.watch.stage, play.watch.message], ['loading', 'pulling']);
    play.see(90_000, {});
    assert.deepEqual(play.outcome, { kind: 'ready' });
  });

  describe('with a login to prove it', () => {
    const checking = { ...limits, checksLogin: true };
    const see = (watch: StartWatch, change: Partial<Instance>, afterMs: number) =>
      observe(watch, anInstance(change), {}, start + afterMs, checking);

    it('is not ready as soon as it runs, and begins with the port', () => {
      const step = see(beginStartWatch(5001, 'rent', start), {}, 90_000);
      assert.equal(step.outcome, undefined);
      assert.deepEqual(step.watch.check, {
        stage: 'port',
        runningAt: start + 90_000,
        since: start + 90_000,
      });
      assert.deepEqual(see(step.watch, {}, 100_000).watch.check, step.watch.check);
    });

    it('is ready as soon as it runs where no login is possible', () => {
      const step = see(beginStartWatch(5001, 'rent', start), { runtype: 'args' }, 90_000);
      assert.deepEqual(step.outcome, { kind: 'ready' });
    });

    it('is no failed start any more once it ran', () => {
      const { watch } = see(beginStartWatch(5001, 'rent', start), {}, 90_000);
      const ended = see(watch, { actualStatus: 'exited' }, 100_000);
      assert.deepEqual(ended.outcome, { kind: 'ended', why: 'troubled' });
      assert.equal(see(watch, { actualStatus: 'loading' }, 5_000_000).outcome, undefined);
      assert.equal(observe(watch, undefined, {}, start + 5_000_000, checking).outcome, undefined);
    });
  });

  for (const status of ['exited', 'unknown', 'offline'] as const) {
    it(`fails on ${status} while it was meant to run`, () => {
      const play = new Play().see(0, { actualStatus: 'loading' }).see(10_000, { actualStatus: status });
      assert.deepEqual(play.outcome, { kind: 'failed', reason: status, hadData: false });
    });
  }

  it('has data after a gap without readings, or after another start: it may have run', () => {
    const failed = { kind: 'failed', reason: 'exited', hadData: true };
    const unseen = new Play().see(0, { actualStatus: 'loading' }).see(600_000, { actualStatus: 'exited' });
    assert.deepEqual(unseen.outcome, failed);
    const started = new Play('start').see(130_000, { actualStatus: 'exited' });
    assert.deepEqual(started.outcome, failed);
  });

  it('may have run after more than two minutes without a reading, also if the clock was set back', () => {
    const dataAfter = (ms: number) => {
      const { outcome } = new Play()
        .see(0, { actualStatus: 'loading' })
        .see(ms, { actualStatus: 'loading' })
        // Once there was a gap, later looks do not fill it.
        .see(ms + 1000, { actualStatus: 'exited' });
      return outcome?.kind === 'failed' && outcome.hadData;
    };
    assert.deepEqual([2 * minute, 2 * minute + 1].map(dataAfter), [false, true]);
    assert.deepEqual([-2 * minute, -2 * minute - 1].map(dataAfter), [false, true]);
    const { lookedAt, ...ofOlderVersion } = beginStartWatch(5001, 'rent', start);
    assert.equal(lookedAt, start);
    const failed = anInstance({ actualStatus: 'exited' });
    assert.deepEqual(observe(ofOlderVersion, failed, {}, start, limits).outcome, {
      kind: 'failed',
      reason: 'exited',
      hadData: true,
    });
  });

  it('treats an undocumented text as neither', () => {
    assert.equal(new Play().see(0, { actualStatus: 'defrosting' }).outcome, undefined);
  });

  it('ends without a failure when it is stopped or destroyed, in any state', () => {
    for (const actualStatus of [null, 'loading', 'exited']) {
      const stopped = new Play().see(0, { actualStatus, intendedStatus: 'stopped' });
      assert.deepEqual(stopped.outcome, { kind: 'ended', why: 'stopped' });
      const asked = new Play().see(0, { actualStatus }, { lastRequest: { kind: 'stop', at: start } });
      assert.deepEqual(asked.outcome, { kind: 'ended', why: 'stopped' });
      const destroy = { kind: 'destroy', at: start, tookEffect: true } as const;
      const destroyed = new Play().see(0, { actualStatus }, { lastRequest: destroy });
      assert.deepEqual(destroyed.outcome, { kind: 'ended', why: 'destroyed' });
    }
    const gone = new Play().see(0, { actualStatus: 'loading' }).see(10_000, 'ended');
    assert.deepEqual(gone.outcome, { kind: 'ended', why: 'destroyed' });
  });

  it('continues while a destroy may still be refused, for as long as it is read back', () => {
    const facts: InstanceFacts = { lastRequest: { kind: 'destroy', at: start } };
    const play = new Play().see(60_000, { actualStatus: 'loading' }, facts);
    assert.equal(play.outcome, undefined);
    play.see(119_999, { actualStatus: 'loading' }, facts);
    assert.equal(play.outcome, undefined);
    play.see(120_000, { actualStatus: 'loading' }, facts);
    assert.deepEqual(play.outcome, { kind: 'ended', why: 'destroyed' });
  });

  it('waits a while for a machine that is not in the list yet', () => {
    const play = new Play().see(5000, 'absent');
    assert.equal(play.outcome, undefined);
    play.see(90_000, 'absent');
    assert.equal(play.outcome, undefined);
    play.see(1000, 'ended');
    assert.deepEqual(play.outcome, { kind: 'ended', why: 'destroyed' });
  });

  it('lets exited linger after a start until it was left or time is up', () => {
    const facts: InstanceFacts = { lastRequest: { kind: 'start', at: start }, readyAt: 1 };
    const left: InstanceFacts = { ...facts, lastRequest: { kind: 'start', at: start, tookEffect: true } };
    const play = new Play('start').see(5000, { actualStatus: 'exited' }, facts);
    assert.equal(play.outcome, undefined);
    play.see(20_000, { actualStatus: 'loading' }, left);
    assert.equal(play.outcome, undefined);
    play.see(40_000, { actualStatus: 'exited' }, left);
    assert.deepEqual(play.outcome, { kind: 'failed', reason: 'exited', hadData: true });
    const late = new Play('start').see(3 * minute, { actualStatus: 'exited' }, facts);
    assert.deepEqual(late.outcome, { kind: 'failed', reason: 'exited', hadData: true });
  });

  it('does not treat a record from before a start as a stop', () => {
    const facts: InstanceFacts = { lastRequest: { kind: 'start', at: start }, readyAt: 1 };
    const before = { actualStatus: 'exited', intendedStatus: 'stopped', statusMessage: 'stopped' };
    const play = new Play('start').see(1000, before, facts);
    assert.equal(play.outcome, undefined);
    assert.equal(play.watch.message, undefined, 'what the host said of its end');
    const left: InstanceFacts = { ...facts, lastRequest: { kind: 'start', at: start, tookEffect: true } };
    play.see(20_000, { actualStatus: 'running' }, left);
    assert.deepEqual(play.outcome, { kind: 'ready' });
    const never = new Play('start').see(3 * minute, before, facts);
    assert.deepEqual(never.outcome, { kind: 'ended', why: 'stopped' });
  });

  it('does not time a start that waits for a free GPU', () => {
    const facts: InstanceFacts = { lastRequest: { kind: 'start', at: start, queued: true } };
    assert.equal(
      new Play('start').see(3 * 60 * minute, { actualStatus: 'exited' }, facts).outcome,
      undefined,
    );
    // Its answer was lost, or did not say so.
    const unsaid: InstanceFacts = { lastRequest: { kind: 'start', at: start, tookEffect: true } };
    const waits = { actualStatus: 'scheduling', intendedStatus: 'running' };
    assert.equal(new Play('start').see(3 * 60 * minute, waits, unsaid).outcome, undefined);
  });

  it('shows the message of the host while a start waits for a free GPU', () => {
    const facts: InstanceFacts = { lastRequest: { kind: 'start', at: start, queued: true } };
    const waits = { actualStatus: 'exited', intendedStatus: 'running', statusMessage: 'no free GPU' };
    assert.equal(new Play('start').see(1000, waits, facts).watch.message, 'no free GPU');
  });

  it('is not ready again before a reboot began', () => {
    const facts: InstanceFacts = { lastRequest: { kind: 'reboot', at: start }, readyAt: 1 };
    const play = new Play('reboot').see(2000, {}, facts).see(19_999, {}, facts);
    assert.equal(play.outcome, undefined);
    play.see(20_000, {}, facts);
    assert.deepEqual(play.outcome, { kind: 'ready' });
    const begun: InstanceFacts = { lastRequest: { kind: 'reboot', at: start, tookEffect: true }, readyAt: 1 };
    assert.deepEqual(new Play('reboot').see(2000, {}, begun).outcome, { kind: 'ready' });
    assert.deepEqual(new Play('start').see(2000, {}, facts).outcome, { kind: 'ready' });
  });

  it('lasts longer than usual after five minutes', () => {
    const play = new Play();
    for (let at = 0; at <= 8 * minute; at += 10_000) {
      play.see(at, { actualStatus: 'loading', statusMessage: 'pulling' });
      assert.equal(play.watch.isLong, at >= 5 * minute);
    }
  });

  it('times out fifteen minutes after the host’s last change of words', () => {
    const play = new Play().see(0, { actualStatus: 'loading', statusMessage: 'layer 1' });
    play.see(14 * minute, { actualStatus: 'loading', statusMessage: 'layer 2' });
    play.see(28 * minute, { actualStatus: 'loading', statusMessage: 'layer 2' });
    assert.equal(play.outcome, undefined);
    play.see(29 * minute, { actualStatus: 'loading', statusMessage: 'layer 2' });
    assert.deepEqual(play.outcome, { kind: 'failed', reason: 'timedOut', hadData: true });
  });

  it('times out also if the clock was set back during the start', () => {
    const play = new Play().see(0, { actualStatus: 'loading', statusMessage: 'pulling' });
    const day = 24 * 60 * minute;
    play.see(-day, { actualStatus: 'loading', statusMessage: 'pulling' });
    play.see(-day + 14 * minute, { actualStatus: 'loading', statusMessage: 'pulling' });
    assert.equal(play.outcome, undefined);
    play.see(-day + 15 * minute, { actualStatus: 'loading', statusMessage: 'pulling' });
    assert.deepEqual(play.outcome, { kind: 'failed', reason: 'timedOut', hadData: true });
  });

  it('waits an hour at most if the clock was set back during the start, for any messages of the host', () => {
    const day = 24 * 60 * minute;
    const play = new Play().see(0, { actualStatus: 'loading', statusMessage: 'layer 0' });
    for (let at = 0; at < 60; at += 2) {
      play.see(-day + at * minute, { actualStatus: 'loading', statusMessage: `layer ${at + 1}` });
      assert.equal(play.outcome, undefined);
    }
    play.see(-day + 60 * minute, { actualStatus: 'loading', statusMessage: 'one more' });
    assert.deepEqual(play.outcome, { kind: 'failed', reason: 'timedOut', hadData: true });
    assert.equal(play.watch.isLong, true);
  });

  it('times out if no list has it and the clock was set back during the start', () => {
    const day = 24 * 60 * minute;
    const play = new Play()
      .see(0, 'absent')
      .see(-day, 'absent')
      .see(-day + 14 * minute, 'absent');
    assert.equal(play.outcome, undefined);
    play.see(-day + 15 * minute, 'absent');
    assert.deepEqual(play.outcome, { kind: 'failed', reason: 'timedOut', hadData: false });
  });

  it('is ready again after a reboot, and over after a destroy, though the clock was set back since', () => {
    const reboot = beginStartWatch(5001, 'reboot', 3 * 60 * minute);
    const asked = (kind: 'reboot' | 'destroy') => ({ lastRequest: { kind, at: 3 * 60 * minute } });
    const running = anInstance({ actualStatus: 'running', intendedStatus: 'running' });
    assert.deepEqual(observe(reboot, running, asked('reboot'), minute, limits).outcome, { kind: 'ready' });
    assert.deepEqual(observe(reboot, running, asked('destroy'), minute, limits).outcome, {
      kind: 'ended',
      why: 'destroyed',
    });
  });

  it('waits an hour at most, for any messages of the host', () => {
    const play = new Play();
    for (let at = 0; at < 60 * minute; at += minute) {
      play.see(at, { actualStatus: 'loading', statusMessage: `layer ${at}` });
      assert.equal(play.outcome, undefined);
    }
    play.see(60 * minute, { actualStatus: 'loading', statusMessage: 'the last layer' });
    assert.deepEqual(play.outcome, { kind: 'failed', reason: 'timedOut', hadData: false });
  });

  it('fails where the boot was given up', () => {
    const play = new Play().see(0, { actualStatus: 'created', currentState: 'stopped' });
    assert.deepEqual(play.outcome, { kind: 'failed', reason: 'gaveUp', hadData: false });
  });

  it('sees trouble only with machines that ran and are meant to run', () => {
    const facts = { readyAt: 1 };
    assert.equal(troubleOf(anInstance(), facts, start), undefined);
    assert.equal(troubleOf(anInstance({ actualStatus: 'offline' }), {}, start), undefined);
    assert.equal(troubleOf(anInstance({ actualStatus: 'offline' }), facts, start), 'offline');
    assert.equal(
      troubleOf(anInstance({ actualStatus: 'exited', isInterruptible: true }), facts, start),
      'outbid',
    );
    assert.equal(
      troubleOf(anInstance({ actualStatus: 'offline', intendedStatus: 'stopped' }), facts, start),
      undefined,
    );
  });
});
