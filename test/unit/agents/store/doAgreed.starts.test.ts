import assert from 'node:assert/strict';
import { doAgreed } from '../../../../src/agents/store/doAgreed';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { settle } from '../../../../src/agents/store/settle';
import { RefusedError, TimedOutError } from '../../../../src/api/errors';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance } from '../../../support/builders';
import { until } from '../../../support/until';

const hourMs = 3_600_000;
const context = {
  caller: { id: 'a', name: 'claude', door: 'mcp' },
  signal: new AbortController().signal,
} as const;

describe('the schedule of an instance that an agent starts', () => {
  let { service, computer, disk, window, find, confirm, carryOut, through } = {} as AgentScene;

  beforeEach(async () => {
    ({ service, computer, disk, window, find, confirm, carryOut, through } = await agentScene({
      instances: [anInstance({ id: 5003, actualStatus: 'exited', intendedStatus: 'stopped' })],
    }));
  });
  afterEach(() => computer.dispose());

  const start = () =>
    instanceTools(window).change_state(
      { instance: 'inst_5003', to: 'running', requestId: 'request-no-1' },
      context,
    );
  const endsIn = (instanceId: number, hours: number, then: 'stop' | 'destroy') =>
    window.schedules.set(instanceId, then, { kind: 'at', at: computer.clock.now() + hours * hourMs });
  const schedules = () => [...disk.schedules.values()].map(({ action, term }) => ({ action, term }));

  it('is not asked for where the rental has ended', async () => {
    service.instances = service.instances.map((one) => ({ ...one, endsAt: computer.clock.now() / 1000 }));
    await through(window.fleet.refresh());
    await assert.rejects(start(), /The rental of the instance has ended/);
    assert.equal(service.count('instances.start'), 0);
  });

  it('is set again where a list showed it as stopped until then', async () => {
    const request = await confirm(await start());
    let goOn = () => {};
    service.before = (call) =>
      call === 'instances.start' ? new Promise<void>((resolve) => (goOn = resolve)) : undefined;
    await computer.clock.advance(1000);
    const started = doAgreed(window, request, window.accounts.active?.key ?? '');
    await until('the start left', () => service.count('instances.start') === 1);
    assert.equal(disk.schedules.size, 1);
    await computer.clock.advance(121_000);
    await through(window.fleet.refresh());
    await computer.clock.advance(0);
    assert.equal(disk.schedules.size, 0);
    goOn();
    await through(started);
    assert.equal((await find({ request: request.id })).state, 'done');
    assert.deepEqual(schedules(), [{ action: 'stop', term: { kind: 'at', at: request.endsAt } }]);
  });

  it('is set again where only a later list shows that it started', async () => {
    const request = await confirm(await start());
    service.after = async (call) => {
      if (call !== 'instances.start') {
        return;
      }
      service.before = () => Promise.reject(new TimedOutError());
      await window.schedules.cancel(5003);
      throw new TimedOutError();
    };
    assert.equal((await carryOut(request)).state, 'unknown');
    assert.equal(disk.schedules.size, 0);
    service.before = () => undefined;
    await computer.clock.advance(121_000);
    await through(window.fleet.refresh());
    await through(settle(window));
    assert.equal((await find({ request: request.id })).state, 'done');
    assert.deepEqual(schedules(), [{ action: 'stop', term: { kind: 'at', at: request.endsAt } }]);
  });

  const refusals: Readonly<Record<string, () => void>> = {
    'is refused': () => {
      service.wait = (call) => {
        if (call === 'instances.start') {
          throw new RefusedError({ status: 400 });
        }
      };
    },
    'reads back as not done': () => {
      service.failsBefore('instances.start', () => new TimedOutError());
    },
    'is found not to be done later': () => {
      service.before = (call) => {
        if (call !== 'instances.start') {
          return;
        }
        service.before = () => Promise.reject(new TimedOutError());
        throw new TimedOutError();
      };
    },
  };
  for (const [what, refuse] of Object.entries(refusals)) {
    for (const before of ['destroy', 'none'] as const) {
      it(`is what it was where the start ${what}: ${before}`, async () => {
        if (before === 'destroy') {
          await endsIn(5003, 72, 'destroy');
        }
        const known = schedules();
        const request = await confirm(await start());
        await computer.clock.advance(1000);
        refuse();
        const { state } = await carryOut(request);
        if (state === 'unknown') {
          assert.notDeepEqual(schedules(), known, 'it may run');
          service.before = () => undefined;
          await computer.clock.advance(62_000);
          await through(window.fleet.refresh());
          await through(settle(window));
        }
        assert.equal((await find({ request: request.id })).state, 'failed');
        assert.deepEqual(schedules(), known);
      });
    }
  }

  it('is the one that the user set while the start was under way', async () => {
    await endsIn(5003, 72, 'destroy');
    const request = await confirm(await start());
    let own: unknown;
    service.wait = async (call) => {
      if (call !== 'instances.start') {
        return;
      }
      own = (await endsIn(5003, 24, 'destroy')).schedule.term;
      throw new RefusedError({ status: 400 });
    };
    assert.equal((await carryOut(request)).state, 'failed');
    assert.deepEqual(schedules(), [{ action: 'destroy', term: own }]);
  });
});
