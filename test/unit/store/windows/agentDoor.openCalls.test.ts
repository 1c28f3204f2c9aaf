import assert from 'node:assert/strict';
import { AgentDoor } from '../../../../src/store/windows/agentDoor';
import type { HubLine, HubMessage } from '../../../../src/store/windows/hubWire';
import { settle } from '../../../support/fakeClock';

/** The end of a connection on which an agent hears. */
function aLine() {
  const heard: HubMessage[] = [];
  // What the door uses of a line.
  const line = { send: (message: HubMessage) => void heard.push(message) } as unknown as HubLine;
  const answers = () =>
    heard.map((message) => (message.t === 'answer' ? [message.id, message.what] : message));
  return { line, answers };
}

describe('Agents that are connected to a window', () => {
  let door: AgentDoor;
  let counts: number[];
  beforeEach(() => {
    door = new AgentDoor();
    counts = [];
    door.onDidChange((count) => counts.push(count));
  });
  afterEach(() => door.dispose());
  const ask = (id: string): HubMessage => ({ t: 'ask', id, what: id });

  it('are counted, sixteen at most', () => {
    const connections = Array.from({ length: 16 }, () => door.connect(aLine().line));
    assert.ok(connections.every((one) => one !== undefined));
    assert.equal(door.connect(aLine().line), undefined);
    assert.deepEqual([door.count, counts.length, counts.at(-1)], [16, 16, 16]);
    connections[0]?.end();
    assert.deepEqual([door.count, counts.at(-1)], [15, 15]);
    assert.ok(door.connect(aLine().line));
  });

  it('may ask and cancel what they asked, and send nothing else', () => {
    const signals: AbortSignal[] = [];
    door.serve((_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const connection = door.connect(aLine().line) ?? assert.fail();
    assert.equal(connection.receive(ask('1')), true);
    assert.equal(connection.receive(ask('1')), false, 'the id of an open call');
    assert.equal(connection.receive({ t: 'say', topic: 'chat', data: 1 }), false);
    assert.equal(connection.receive({ t: 'drop', id: 'none' }), true);
    assert.equal(signals[0]?.aborted, false);
    assert.equal(connection.receive({ t: 'drop', id: '1' }), true);
    assert.equal(signals[0].aborted, true);
  });

  it('may ask again under an id that was answered, and get no answer of a door that closed', async () => {
    const { line, answers } = aLine();
    const served = door.serve((what) => Promise.resolve(`to ${String(what)}`));
    const connection = door.connect(line) ?? assert.fail();
    for (let time = 0; time < 2; time += 1) {
      assert.equal(connection.receive(ask('1')), true);
      await settle();
    }
    served.dispose();
    connection.receive(ask('2'));
    await settle();
    assert.deepEqual(answers(), [
      ['1', 'to 1'],
      ['1', 'to 1'],
      ['2', { problem: 'notReady' }],
    ]);
  });

  it('lose their calls with the window', () => {
    let signal: AbortSignal | undefined;
    door.serve((_, given) => {
      signal = given;
      return new Promise(() => undefined);
    });
    door.connect(aLine().line)?.receive(ask('1'));
    door.dispose();
    assert.deepEqual([signal?.aborted, door.count], [true, 0]);
  });
});
