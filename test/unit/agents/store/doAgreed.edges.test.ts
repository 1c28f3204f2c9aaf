import assert from 'node:assert/strict';
import type { AgentRequest, RentalQuote } from '../../../../src/agents/model/request';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { idIn, awaitSearchTurn } from '../../../../src/agents/store/toolDeps';
import { fromDollars } from '../../../../src/model/money';
import { withoutGuard } from '../../../../src/model/rentals/birthGuard';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance, anOffer, aTemplate } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';

const hourMs = 3_600_000;
const { signal } = new AbortController();
const caller = { id: 'a', name: 'claude', door: 'mcp' } as const;
const context = { caller, signal };

describe('what an agent may do after a yes', () => {
  let { service, computer, disk, window, carryOut, find, confirm } = {} as AgentScene;
  beforeEach(async () => {
    ({ service, computer, disk, window, carryOut, find, confirm } = await agentScene({
      offers: [anOffer()],
      instances: [
        anInstance({ id: 5001 }),
        anInstance({ id: 5002 }),
        anInstance({ id: 5003, actualStatus: 'exited', intendedStatus: 'stopped' }),
      ],
    }));
    service.templates = [
      aTemplate(),
      aTemplate({ id: 78, hashId: 'hash-2', onstart: 'echo a\r\necho b\r\n' }),
    ];
  });
  afterEach(() => computer.dispose());

  let ids = 0;
  async function noted(change: Partial<AgentRequest>): Promise<AgentRequest> {
    const at = computer.clock.now();
    ids += 1;
    const request = {
      ...{ id: `request_${ids}`, requestId: `${ids}`, tool: 'set_schedule', print: '', caller, at },
      ...{ decidedAt: at, state: 'working', instanceId: 5001, endsAt: at + hourMs, then: 'stop' },
      ...change,
    } as AgentRequest;
    return (await window.desk.begin(request)).request;
  }

  for (const [what, change, expected] of [
    ['an image', { image: 'ubuntu' }, { runtype: 'ssh_direct', image: 'ubuntu' }],
    ['a template', { templateId: 77, templateHash: 'hash-1' }, { templateId: 77, templateHash: 'hash-1' }],
    [
      'a template with a script of Windows, which a shell on the machine could not read',
      { templateId: 78, templateHash: 'hash-2' },
      { templateId: 78, templateHash: 'hash-2', onstart: 'echo a\necho b\n' },
    ],
  ] as readonly [string, Partial<RentalQuote>, object][]) {
    it(`is a rental of what was quoted, and of nothing else: ${what}`, async () => {
      const price = fromDollars(1);
      const at = computer.clock.now();
      const request = await noted({
        tool: 'request_rental',
        state: 'renting',
        commitment: { perHour: price, stoppedPerHour: price, from: at, until: at + hourMs },
        quote: {
          ...{ id: 'quote_1', accountKey: window.accounts.active?.key ?? '', at, expiresAt: at + hourMs },
          ...{ offer: anOffer(), what: 'Ubuntu', diskGb: 20, hours: 1, then: 'destroy', perHour: price },
          ...{ stoppedPerHour: price, total: price, ...change },
        },
      });
      assert.equal((await carryOut(request)).state, 'rented');
      const { label, onstart = '', ...config } = service.rented[0]?.config ?? assert.fail();
      // Beside the lines of ours that come with every rental.
      assert.deepEqual(
        { ...config, onstart: withoutGuard(onstart) },
        { diskGb: 20, onstart: '', ...expected },
      );
      assert.ok(label);
    });
  }

  it('is nothing once the yes is two minutes old, which is reported and logged', async () => {
    const request = await noted({});
    const log = new MemoryLog();
    window = Object.assign(window, { log });
    await computer.clock.advance(120_000);
    const { state, problem } = await carryOut(request);
    assert.deepEqual([state, disk.schedules.size], ['failed', 0]);
    assert.match(String(problem), /too long ago/);
    assert.match(log.lines.join('\n'), /^warn What an agent asked for failed: /m);
  });

  it('is nothing where the yes grew old while the price was read', async () => {
    const price = fromDollars(9);
    const at = computer.clock.now();
    const commitment = { perHour: price, stoppedPerHour: price, from: at, until: at + hourMs };
    const request = await noted({ commitment });
    service.before = async (call) => {
      if (call === 'instances.get') {
        await computer.clock.advance(121_000);
      }
    };
    const { state, problem } = await carryOut(request);
    assert.deepEqual([state, disk.schedules.size], ['failed', 0]);
    assert.match(String(problem), /too long ago/);
  });

  for (const missing of ['endsAt', 'then'] as const) {
    it(`is no schedule without its ${missing}`, async () => {
      const request = await noted({ [missing]: undefined });
      const { state, problem } = await carryOut(request);
      assert.deepEqual([state, disk.schedules.size], ['failed', 0]);
      assert.match(String(problem), /names no end/);
    });
  }

  it('is reported as ended once the work is over, in this window too', async () => {
    let isAtWork: boolean | undefined;
    await window.desk.working('request_1', async () => {
      await Promise.resolve();
      assert.equal(window.desk.isAtWork('request_1'), true);
      window.desk.onDidChange(() => (isAtWork = window.desk.isAtWork('request_1')));
    });
    await computer.clock.advance(0);
    assert.equal(isAtWork, false);
  });

  it('is one more command on the instance that the yes was for, and on no other', async () => {
    const rentals = { tool: 'request_rental', state: 'rented' } as const;
    for (const instanceId of [5001, 5002]) {
      await noted({ ...rentals, instanceId });
    }
    const run = (instance: string, requestId: string) =>
      instanceTools(window).run_command({ instance, command: 'ls', requestId }, context);
    await confirm(await run('inst_5001', 'command-1'));
    await run('inst_5001', 'command-1');
    assert.equal((await run('inst_5001', 'command-2'))['state'], 'done');
    assert.equal((await run('inst_5002', 'command-3'))['state'], 'pending');
  });

  it('spends from now on where the schedule of the user had no time of day', async () => {
    const now = computer.clock.now();
    await window.schedules.set(5001, 'stop', { kind: 'idle', minutes: 30 });
    const input = { instance: 'inst_5001', hoursFromNow: 2, then: 'stop', requestId: 'schedule-1' } as const;
    const { commitment } = await find(await instanceTools(window).set_schedule(input, context));
    assert.deepEqual([commitment?.from, commitment?.until], [now, now + 2 * hourMs]);
    await window.schedules.set(5001, 'stop', { kind: 'at', at: now + hourMs });
    const later = { ...input, requestId: 'schedule-2' };
    const next = await find(await instanceTools(window).set_schedule(later, context));
    assert.deepEqual([next.commitment?.from, next.commitment?.until], [now + hourMs, now + 2 * hourMs]);
  });

  it('is held against running instances, and against what was rented until that is gone', async () => {
    assert.deepEqual([...(await window.desk.gate()).running].sort(), [5001, 5002]);
    const price = fromDollars(1);
    const at = computer.clock.now();
    const commitment = { perHour: price, stoppedPerHour: price, from: at, until: at + 9 * hourMs };
    const rental = { tool: 'request_rental', state: 'rented', commitment } as const;
    await noted({ ...rental, instanceId: 5001 });
    await noted({ ...rental, instanceId: 5002 });
    service.instances = service.instances.filter(({ id }) => id !== 5001);
    // One more list decides that it has ended.
    for (let lists = 0; lists < 3; lists += 1) {
      await window.fleet.refresh();
      await computer.clock.advance(60_000);
    }
    assert.equal(window.fleet.hasEnded(5001), true);
    const { requests } = await window.desk.read();
    assert.deepEqual(
      requests.map((one) => [one.instanceId, one.commitment?.isEnded === true]),
      [
        [5001, true],
        [5002, false],
      ],
    );
  });
});

describe('A handle of an agent', () => {
  for (const [handle, id] of [
    ['inst_0', 0],
    ['inst_7', 7],
    ['inst_-1', undefined],
    ['inst_1.5', undefined],
    ['inst_9007199254740993', undefined],
    ['inst_seven', undefined],
  ] as const) {
    it(`${handle} is ${id === undefined ? 'refused' : 'a number'}`, () => {
      if (id === undefined) {
        assert.throws(() => idIn(handle), /is no handle of this kind/);
      } else {
        assert.equal(idIn(handle), id);
      }
    });
  }
});

describe('The turn of a search of an agent', () => {
  it('is waited for during 30 seconds, and is stated in seconds if it needs longer', async () => {
    const clock = new FakeClock();
    let counted = 0;
    const turn = (waits: number[]) => {
      const searchBudget = { waitMs: () => waits.shift() ?? 0, note: () => (counted += 1) };
      return awaitSearchTurn({ searchBudget, clock }, signal);
    };
    const taken = turn([30_000]);
    await clock.advance(29_999);
    assert.equal(counted, 0);
    await clock.advance(1);
    await taken;
    assert.equal(counted, 1);
    await assert.rejects(turn([30_001]), /Call again in 31 seconds\./);
    assert.equal(counted, 1);
  });
});
