import assert from 'node:assert/strict';
import { endCommitments, usageOf } from '../../../../src/agents/model/ledger';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { fromDollars, zero } from '../../../../src/model/money';

const hourMs = 3_600_000;
const from = Date.UTC(2026, 10, 23, 8);

function start(state: AgentRequest['state']): AgentRequest {
  return {
    id: 'request_1',
    requestId: 'start-no-1',
    tool: 'change_state',
    print: '',
    caller: { id: 'chat', name: 'the chat', door: 'chat' },
    at: from,
    decidedAt: from + 1000,
    state,
    instanceId: 7,
    to: 'running',
    commitment: { perHour: fromDollars(1), stoppedPerHour: zero, from, until: from + 2 * hourMs },
  };
}

describe('what agents committed to', () => {
  const stopped = (asOf: number) => ({ stopped: new Set([7]), gone: new Set<number>(), asOf });
  const untilOf = (request: AgentRequest, asOf: number) =>
    endCommitments([request], from + hourMs, stopped(asOf))[0]?.commitment?.until;

  it('is given back once a list that is newer than the request shows the instance as stopped', () => {
    assert.equal(untilOf(start('done'), from + hourMs), from + hourMs);
    assert.equal(untilOf(start('done'), from), from + 2 * hourMs);
  });

  it('counts until it is read back what became of a start', () => {
    for (const state of ['pending', 'working', 'unknown'] as const) {
      assert.equal(untilOf(start(state), from + hourMs), from + 2 * hourMs, state);
    }
    const { today } = usageOf([start('unknown')], from, new Set());
    assert.equal(today, fromDollars(2));
    assert.equal(usageOf([start('failed')], from, new Set()).today, zero);
  });

  it('gives nothing back a second time where the clock was set back', () => {
    const late = from + 90 * 60_000;
    const [ended] = endCommitments([start('done')], late, stopped(late));
    assert.ok(ended);
    const gone = { stopped: new Set<number>(), gone: new Set([7]), asOf: late };
    for (const seen of [stopped(late), gone]) {
      const [again] = endCommitments([ended], from + 60_000, seen);
      assert.equal(again?.commitment?.until, late);
    }
  });
});
