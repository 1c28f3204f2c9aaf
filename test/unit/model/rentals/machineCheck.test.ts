import assert from 'node:assert/strict';
import {
  advanceCheck,
  beginCheck,
  bootPatienceMs,
  isCheckLong,
  isBooting,
  isCheckOver,
  overResult,
} from '../../../../src/model/rentals/machineCheck';
import { checkTexts, notCheckedText, unprovedText } from '../../../../src/model/rentals/machineCheckText';
import { formatText } from '../../../../src/util/text';

const start = Date.UTC(2026, 0, 15, 12);
const words = (...args: Parameters<typeof checkTexts>) => checkTexts(...args).map((one) => formatText(one));

describe('the check of a machine that runs', () => {
  it('counts each stage from its beginning', () => {
    const refused = { stage: 'port', problem: 'refused' } as const;
    const port = advanceCheck(beginCheck(start), refused, start + 20_000);
    assert.deepEqual(port, { ...refused, runningAt: start, since: start });
    const login = advanceCheck(port, { stage: 'login' }, start + 21_000);
    assert.deepEqual(login, { stage: 'login', runningAt: start, since: start + 21_000 });
  });

  it('gives each stage a minute, and a machine that falls back no more than three', () => {
    const port = beginCheck(start);
    assert.equal(isCheckOver(port, start + bootPatienceMs - 1), false);
    assert.equal(isCheckOver(port, start + bootPatienceMs), true);
    let check = port;
    for (let at = 30_000; at < 3 * bootPatienceMs; at += 30_000) {
      check = advanceCheck(check, { stage: at % 60_000 === 0 ? 'port' : 'login' }, start + at);
      assert.equal(isCheckOver(check, start + at), false);
    }
    assert.equal(isCheckOver(check, start + 3 * bootPatienceMs), true);
  });

  it('counts from zero if the clock was set back', () => {
    const check = advanceCheck(beginCheck(start), { stage: 'port' }, start - 3_600_000);
    assert.equal(isCheckOver(check, start - 3_600_000 + bootPatienceMs), true);
  });

  it('shows how long a stage lasts, and why if that is longer than usual', () => {
    const check = { ...beginCheck(start), problem: 'refused' } as const;
    assert.deepEqual(words(check, start + 4000), ['Waiting for its SSH port', '4 s']);
    assert.equal(isCheckLong(check, start + 20_000), true);
    assert.deepEqual(words(check, start + 20_000), [
      'Waiting for its SSH port',
      '20 s',
      'longer than usual: its SSH port is closed',
    ]);
    assert.deepEqual(words({ ...check, stage: 'login', problem: 'authentication' }, start, false), [
      'Logging in…',
    ]);
  });

  it('shows another host key as a reason, and not as a delay', () => {
    const check = { ...beginCheck(start), stage: 'login', problem: 'hostKeyChanged' } as const;
    assert.deepEqual(words(check, start + 20_000), ['No login: its host key has changed']);
  });

  it('blames no machine for a network that this computer lacks', () => {
    assert.deepEqual(overResult({ kind: 'waits', stage: 'port', problem: 'unreachable' }), {
      kind: 'notChecked',
      reason: 'network',
    });
    const refused = { stage: 'port', problem: 'refused', detail: 'Connection refused' } as const;
    assert.deepEqual(overResult({ kind: 'waits', ...refused }), { kind: 'unproved', ...refused });
  });

  it('treats a machine as booting in the first minute after it was seen to run, and after a start or reboot', () => {
    const seen = { runningAt: start };
    assert.equal(isBooting(seen, start + 59_999), true);
    assert.equal(isBooting(seen, start + 60_000), false);
    assert.equal(isBooting({}, start), false);
    for (const kind of ['start', 'reboot', 'stop'] as const) {
      const facts = { ...seen, lastRequest: { kind, at: start + 3_600_000 } };
      assert.equal(isBooting(facts, start + 3_610_000), kind !== 'stop');
    }
    // A clock that was set back does not cause a wait of hours.
    assert.equal(isBooting(seen, start - 3_600_000), false);
  });

  it('shows the text of the machine as plain words', () => {
    assert.match(
      formatText(unprovedText('trainer', 'other', '[click](command:x)\n$(error)')),
      /^trainer is running, but ssh could not log in: \[click\] - \(command:x\) \$ \(error\)$/,
    );
    assert.equal(
      formatText(notCheckedText('lockedKey', '/home/me/.ssh/id')),
      'login not checked: the key /home/me/.ssh/id asks for a passphrase',
    );
  });
});
