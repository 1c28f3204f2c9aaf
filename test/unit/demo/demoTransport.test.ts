import assert from 'node:assert/strict';
import { DemoMovedError, DemoTransport } from '../../../src/demo/demoTransport';

class NobodyThere extends Error {}
const request = { url: new URL('http://127.0.0.1:4000/api/'), headers: { authorization: 'Bearer demo-key' } };

function demoAt(addresses: string[], outcomes: (Error | string)[]) {
  const started: string[] = [];
  const sent: unknown[] = [];
  const time = { now: 0 };
  const transport = new DemoTransport(
    {
      send: (each: typeof request) => {
        sent.push(each);
        const outcome = outcomes.shift();
        return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
      },
      close: () => Promise.resolve(),
    },
    {
      ensure: (key) => {
        started.push(key);
        return Promise.resolve(addresses.shift() ?? '');
      },
    },
    (error) => error instanceof NobodyThere,
    () => time.now,
  );
  return { transport, started, sent, time };
}

describe('requests to the demo', () => {
  it('start it once, with the key of the account', async () => {
    const { transport, started } = demoAt(['http://127.0.0.1:4000'], ['a', 'b']);
    assert.equal(await transport.send(request), 'a');
    assert.equal(await transport.send(request), 'b');
    assert.deepEqual(started, ['demo-key']);
  });

  it('start it again if the connection was refused, and are then sent again', async () => {
    const here = 'http://127.0.0.1:4000';
    const { transport, started, sent } = demoAt([here, here], [new NobodyThere(), 'a']);
    assert.equal(await transport.send(request), 'a');
    assert.deepEqual([started.length, sent.length], [2, 2]);
  });

  it('are not sent again after any other failure', async () => {
    const { transport, sent } = demoAt(['http://127.0.0.1:4000'], [new Error('lost')]);
    await assert.rejects(transport.send(request), /lost/);
    assert.equal(sent.length, 1);
  });

  it('do not carry the key to a program that has the port since', async () => {
    const [here, elsewhere] = ['http://127.0.0.1:4000', 'http://127.0.0.1:4001'];
    const { transport, sent, time } = demoAt([here, here, elsewhere], ['a', 'b', 'c']);
    await transport.send(request);
    time.now += 1_000;
    await transport.send(request);
    time.now += 60_000;
    await assert.rejects(transport.send(request), DemoMovedError);
    assert.equal(sent.length, 2);
  });

  it('do not carry the key to a program with the port that the demo left', async () => {
    const { transport, sent } = demoAt(['http://127.0.0.1:4001'], ['a']);
    await assert.rejects(transport.send(request), DemoMovedError);
    assert.deepEqual(sent, []);
  });
});
