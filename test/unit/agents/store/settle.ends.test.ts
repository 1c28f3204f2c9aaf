import assert from 'node:assert/strict';
import type { AgentRequest } from '../../../../src/agents/model/request';
import type { DoAgreedDeps } from '../../../../src/agents/store/doAgreed';
import { giveBackEnd, keepEnd, settle } from '../../../../src/agents/store/settle';
import type { Schedule } from '../../../../src/schedules/model/schedule';

const now = Date.UTC(2026, 0, 15, 12);
const minuteMs = 60_000;
const base = {
  ...{ id: 'request_1', requestId: '1', tool: 'change_state', print: '1', state: 'working' },
  ...{ caller: { id: 'chat', name: 'the chat', door: 'chat' }, at: now, decidedAt: now },
} as const;
const start = { ...base, instanceId: 7, to: 'running', endsAt: now + 1 } as const;

describe('the end of an instance that an agent started', () => {
  for (const [what, change, isKept] of [
    ['the start took place', {}, true],
    ['a stop was asked for by name', { then: 'stop' }, true],
    ['it is to be destroyed, which no list finishes', { then: 'destroy' }, false],
    ['it was stopped', { to: 'stopped' }, false],
    ['its time has come', { endsAt: now }, false],
    ['it has none', { endsAt: undefined }, false],
    ['no instance is named', { instanceId: undefined }, false],
  ] as readonly [string, Partial<AgentRequest>, boolean][]) {
    it(`is ${isKept ? 'set again' : 'left alone'} if ${what}`, async () => {
      const calls: unknown[] = [];
      const setFirst = (...args: readonly unknown[]) => Promise.resolve(calls.push(args));
      const deps = { schedules: { setFirst }, clock: { now: () => now } } as unknown as DoAgreedDeps;
      await keepEnd(deps, { ...start, ...change } as AgentRequest, 'account');
      assert.deepEqual(calls, isKept ? [['account', 7, 'stop', { kind: 'at', at: now + 1 }]] : []);
    });
  }

  for (const [what, change, isGivenBack] of [
    ['a start did not take place', {}, true],
    ['a stop did not take place', { to: 'stopped' }, false],
    ['no instance is named', { instanceId: undefined }, false],
  ] as readonly [string, Partial<AgentRequest>, boolean][]) {
    it(`${isGivenBack ? 'gives way to' : 'has not replaced'} the schedule of before where ${what}`, async () => {
      const own = { action: 'stop', term: { kind: 'at', at: start.endsAt } } as Schedule;
      const others: readonly Schedule[] = [
        { ...own, action: 'destroy' },
        { ...own, term: { kind: 'at', at: now } },
        { ...own, term: { kind: 'idle', minutes: 30 } },
      ];
      const before = { ...own, term: { kind: 'idle', minutes: 10 } } as Schedule;
      let calls = 0;
      const putBack: DoAgreedDeps['schedules']['putBack'] = (accountKey, id, isOwn, schedule) => {
        calls += 1;
        assert.deepEqual([accountKey, id, schedule], ['account', 7, before]);
        assert.deepEqual([isOwn(own), others.filter((one) => isOwn(one))], [true, []]);
        return Promise.resolve();
      };
      const deps = { schedules: { putBack } } as unknown as DoAgreedDeps;
      await giveBackEnd(deps, { ...start, scheduleBefore: before, ...change } as AgentRequest, 'account');
      assert.equal(calls, isGivenBack ? 1 : 0);
    });
  }
});

describe('a rental of an agent whose window is gone', () => {
  const rental = { ...base, tool: 'request_rental', state: 'renting' } as const;
  const marker = 'abcd1234';
  for (const [what, change, phase, moved] of [
    ['was given up before anything was sent', { at: now - 120_000 }, undefined, 'notRented'],
    ['may be under way still', { at: now - 119_999 }, undefined, undefined],
    ['may have been sent', { at: now - 60 * minuteMs, marker }, undefined, undefined],
    ['is sent', { at: now, marker }, { kind: 'sent' }, undefined],
    ['came to nothing', { at: now, marker }, { kind: 'notRented' }, 'notRented'],
    ['is over', { at: now, marker, state: 'unknown' }, { kind: 'ended' }, 'notRented'],
    ['was settled', { at: now - 60 * minuteMs, state: 'rented' }, undefined, undefined],
    ['is of another marker', { at: now, marker: 'ffff0000' }, { kind: 'notRented' }, undefined],
  ] as readonly [string, Partial<AgentRequest>, { kind: string } | undefined, string | undefined][]) {
    it(`is ${moved ?? 'left alone'} where it ${what}`, async () => {
      const { at = now } = change;
      const request = { ...rental, ...change, decidedAt: at } as AgentRequest;
      const states: unknown[] = [];
      const move = (_: string, from: readonly string[], next: unknown) => {
        assert.ok(from.includes(request.state));
        const to = typeof next === 'function' ? (next as (known: AgentRequest) => unknown)(request) : next;
        return Promise.resolve(states.push((to as AgentRequest | undefined)?.state));
      };
      await settle({
        desk: { accountKey: 'account', requests: [request], isAtWork: () => false, move },
        rentals: { rentals: phase ? [{ marker, phase }] : [] },
        clock: { now: () => now },
      } as unknown as DoAgreedDeps); // nothing else of them is used here
      assert.deepEqual(states, moved === undefined ? [] : [moved]);
    });
  }
});
