import assert from 'node:assert/strict';
import type { AgentRequest } from '../../../../src/agents/model/request';
import type { DoAgreedDeps } from '../../../../src/agents/store/doAgreed';
import { settle } from '../../../../src/agents/store/settle';
import type { Instance } from '../../../../src/model/instances/instance';
import type { Schedule } from '../../../../src/schedules/model/schedule';

const id = 7;
/** When the user said yes. */
const at = Date.UTC(2026, 0, 15, 12);
const base = {
  id: 'request_1',
  requestId: '1',
  print: '1',
  caller: { id: 'chat', name: 'the chat', door: 'chat' },
  at: at - 30_000,
  decidedAt: at,
  instanceId: id,
} as const;

interface Scene {
  readonly now?: number;
  readonly fetchedAt?: number | undefined;
  readonly instance?: Partial<Instance> | undefined;
  readonly hasEnded?: boolean;
  readonly schedule?: Partial<Schedule>;
  readonly isAtWork?: boolean;
}

/** What the leading window notes of a request. */
async function settled(change: Omit<AgentRequest, keyof typeof base> & Partial<AgentRequest>, scene: Scene) {
  const request: AgentRequest = { ...base, ...change };
  const { now = at, fetchedAt, instance, hasEnded = false, schedule, isAtWork = false } = scene;
  const moves: (readonly unknown[])[] = [];
  const deps = {
    desk: {
      accountKey: 'account',
      requests: [request],
      isAtWork: () => isAtWork,
      move: (_: string, from: readonly string[], to: Partial<AgentRequest>) => {
        assert.deepEqual(from, [request.state]);
        return Promise.resolve(moves.push([to.state, ...(to.problem === undefined ? [] : [to.problem])]));
      },
    },
    fleet: {
      hasEnded: () => hasEnded,
      find: () => instance && { id, ...instance },
      state: fetchedAt === undefined ? { kind: 'failed' } : { kind: 'ready', fetchedAt },
    },
    schedules: { find: () => schedule && { schedule }, putBack: () => Promise.resolve() },
    clock: { now: () => now },
  } as unknown as DoAgreedDeps; // nothing else of them is used here
  await settle(deps);
  return moves.flat();
}

describe('a request of an agent whose window is gone', () => {
  describe('for a schedule', () => {
    const endsAt = at + 3_600_000;
    const wanted = { tool: 'set_schedule', state: 'working', endsAt, then: 'stop' } as const;
    const set: Partial<Schedule> = { action: 'stop', term: { kind: 'at', at: endsAt } };
    const later = { now: at + 120_000 };

    it('is done where that schedule is there', async () => {
      assert.deepEqual(await settled(wanted, { ...later, schedule: set }), ['done']);
    });

    it('is unconfirmed if there is none, or another one', async () => {
      const others: readonly Scene[] = [
        {},
        { schedule: { ...set, action: 'destroy' } },
        { schedule: { ...set, term: { kind: 'at', at: endsAt + 1 } } },
        { schedule: { ...set, term: { kind: 'idle', minutes: 30 } } },
      ];
      for (const one of others) {
        const [state, problem] = await settled(wanted, { ...later, ...one });
        assert.equal(state, 'failed');
        assert.match(String(problem), /^The window closed, and the schedule may not be set\./);
      }
    });

    it('is left alone for two minutes after the yes, and while this window is at it', async () => {
      assert.deepEqual(await settled(wanted, { now: at + 119_999, schedule: set }), []);
      assert.deepEqual(await settled(wanted, { now: at - 1000, schedule: set }), []);
      assert.deepEqual(await settled(wanted, { ...later, schedule: set, isAtWork: true }), []);
      assert.deepEqual(await settled({ ...wanted, state: 'done' }, { ...later, schedule: set }), []);
    });

    it('is not left alone until the clock of this computer, once set back, has caught up', async () => {
      const earlier = { now: at - 3_600_000 };
      assert.deepEqual(await settled(wanted, { ...earlier, schedule: set }), ['done']);
      const change = { tool: 'destroy_instance', state: 'working' } as const;
      assert.deepEqual(await settled(change, { ...earlier, hasEnded: true }), ['done']);
    });

    it('is never taken for a command', async () => {
      const [state, problem] = await settled({ ...wanted, tool: 'run_command' }, { ...later, schedule: set });
      assert.equal(state, 'failed');
      assert.match(String(problem), /^The window closed while the command ran\. It may have run/);
    });
  });

  describe('for a change of an instance', () => {
    const toStop = { tool: 'change_state', state: 'unknown', to: 'stopped' } as const;
    const toDestroy = { tool: 'destroy_instance', state: 'unknown' } as const;
    const isThere = { instance: { intendedStatus: 'running' }, fetchedAt: at + 60_000 } as const;
    const nothingChanged = [
      'failed',
      'Nothing changed, by the list of instances. You may ask again with a new requestId.',
    ];

    it('is judged by a list that was read a minute after the yes', async () => {
      assert.deepEqual(await settled(toStop, { ...isThere, fetchedAt: at + 59_999 }), []);
      assert.deepEqual(await settled(toStop, { ...isThere, fetchedAt: undefined }), []);
      assert.deepEqual(await settled(toStop, isThere), nothingChanged);
      const stopped = { ...isThere, instance: { intendedStatus: 'stopped' } };
      assert.deepEqual(await settled(toStop, stopped), ['done']);
      assert.deepEqual(await settled({ ...toStop, to: 'running' }, stopped), nothingChanged);
      assert.deepEqual(await settled({ ...toStop, to: 'running' }, isThere), ['done']);
    });

    it('stays open if the list does not state what the instance is meant to do, or lacks it', async () => {
      assert.deepEqual(await settled(toStop, { ...isThere, instance: {} }), []);
      assert.deepEqual(await settled(toStop, { ...isThere, instance: undefined }), []);
    });

    it('is done by the proved end of an instance only where it was to be destroyed', async () => {
      assert.deepEqual(await settled(toDestroy, { hasEnded: true }), ['done']);
      assert.deepEqual(await settled(toDestroy, isThere), nothingChanged);
      assert.deepEqual(await settled(toStop, { hasEnded: true }), ['failed', 'The instance is gone.']);
    });

    it('is settled without a word of its window after two minutes', async () => {
      const working = { ...toDestroy, state: 'working' } as const;
      assert.deepEqual(await settled(working, { now: at + 119_999, hasEnded: true }), []);
      assert.deepEqual(await settled(working, { now: at + 120_000, hasEnded: true }), ['done']);
    });
  });
});
