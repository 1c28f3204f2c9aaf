import assert from 'node:assert/strict';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { AgentDesk } from '../../../../src/agents/store/agentDesk';
import { fromDollars } from '../../../../src/model/money';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance } from '../../../support/builders';
import { CountedListeners } from '../../../support/countedListeners';
import { MemoryLog } from '../../../support/fakeTransport';

const hourMs = 3_600_000;

describe('The desk of agents', () => {
  let { computer, window } = {} as AgentScene;
  let log: MemoryLog;
  let listeners: CountedListeners;
  let others: () => Promise<readonly string[]>;
  beforeEach(async () => {
    ({ computer, window } = await agentScene({ instances: [anInstance({ id: 5001 })] }));
    log = new MemoryLog();
    listeners = new CountedListeners();
    others = () => Promise.resolve([]);
  });
  afterEach(() => computer.dispose());

  const open = () =>
    new AgentDesk({
      ...{ fleet: window.fleet, limits: window.limits, clock: computer.clock, log, windowId: 'first' },
      ...{ accounts: listeners.of(window.accounts), hub: listeners.of(window.hub) },
      storageDir: computer.storageDir,
      others: () => others(),
      ownProblem: () => Promise.resolve(() => undefined),
      lock: (action) => action(),
    });

  function rental(instanceId: number): AgentRequest {
    const at = computer.clock.now();
    const price = fromDollars(1);
    return {
      ...{ id: `request_${instanceId}`, requestId: `${instanceId}`, tool: 'request_rental', print: '' },
      ...{ caller: { id: 'a', name: 'claude', door: 'mcp' }, at, state: 'rented', instanceId },
      commitment: { perHour: price, stoppedPerHour: price, from: at, until: at + 9 * hourMs },
    };
  }

  it('receives no events once it is disposed of', async () => {
    const desk = open();
    assert.ok(listeners.count > 0);
    desk.dispose();
    await computer.clock.advance(0);
    assert.equal(listeners.count, 0);
  });

  it('lets agents spend nothing where the other accounts can’t be read, which is logged', async () => {
    const desk = open();
    assert.ok((await desk.gate()).limits.perDay > 0);
    others = () => Promise.reject(new Error('EIO'));
    assert.equal((await desk.gate()).limits.perDay, 0);
    assert.match(log.lines.join('\n'), /^warn What agents have in other accounts could not be read: /m);
    desk.dispose();
  });

  it('moves a request once, from the states that are named alone', async () => {
    const key = window.accounts.active?.key ?? '';
    await window.desk.begin(rental(5001));
    const move = window.desk.move.bind(window.desk);
    assert.equal(await move('request_5001', ['working'], { state: 'done' }, key), undefined);
    assert.equal(await move('request_5002', ['rented'], { state: 'done' }, key), undefined);
    assert.equal(await move('request_5001', ['rented'], () => undefined, key), undefined);
    assert.equal((await window.desk.find('request_5001', key))?.state, 'rented');
    assert.equal((await move('request_5001', ['rented'], { state: 'done' }, key))?.state, 'done');
    assert.equal((await window.desk.find('request_5001', key))?.state, 'done');
  });
});
