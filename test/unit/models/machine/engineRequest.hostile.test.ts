import assert from 'node:assert/strict';
import type { EngineFault } from '../../../../src/simulator/engine/engineScene';
import { engineKey, useEngines } from '../../../support/engineStandIn';
import { useGateways, type GatewayScene } from '../../../support/gatewayScene';

/** Returns the status, the body as far as it came, and whether the answer ended by itself. */
async function ask({ gateway, headers }: GatewayScene, isStreamed = true, waitMs = 20_000) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), waitMs);
  const messages = [{ role: 'user', content: 'Hello' }];
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
    method: 'POST',
    headers,
    redirect: 'manual',
    signal: stop.signal,
    body: JSON.stringify({ model: 'qwen', stream: isStreamed, messages }),
  });
  const pieces: Uint8Array[] = [];
  let isWhole = true;
  try {
    for await (const piece of answer.body ?? []) {
      pieces.push(piece as Uint8Array);
    }
  } catch {
    isWhole = false;
  }
  clearTimeout(timer);
  const body = Buffer.concat(pieces);
  return { status: answer.status, headers: answer.headers, body: body.toString('latin1'), isWhole };
}

describe('the gateway before a hostile engine', () => {
  const engines = useEngines();
  const gateways = useGateways();

  const scene = async (fault: EngineFault, patienceMs?: number) => {
    const { port } = await engines.ready({ scene: { fault } });
    return gateways.to(port, patienceMs);
  };

  for (const [fault, status, code] of [
    ['html', 502, 'bad_engine_answer'],
    ['redirect', 502, 'bad_engine_answer'],
    ['hugeHeaders', 502, 'bad_engine_answer'],
    ['serverError', 502, 'bad_engine_answer'],
    ['overloaded', 503, 'engine_error'],
    ['ends', 503, 'model_unreachable'],
  ] as const) {
    it(`answers ${status} in a form that clients read: ${fault}`, async () => {
      const answer = await ask(await scene(fault));
      const { error } = JSON.parse(answer.body) as { error: { code: string; message: string } };
      assert.deepEqual([answer.status, error.code], [status, code]);
      assert.ok(error.message.length < 300 && !answer.body.includes('<'), answer.body);
      assert.equal(answer.headers.get('location'), null);
    });
  }

  it('ends a line without an end, and reports that in the stream', async () => {
    const answer = await ask(await scene('longLine'));
    assert.ok(answer.isWhole);
    assert.ok(answer.body.length < 6_000_000, String(answer.body.length));
    assert.match(answer.body.slice(-200), /\n\ndata: \{"error":\{"message":".*it has no end/);
  });

  it('ends a stream without an end once it is larger than any answer, and does not keep it', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const one = await scene('endless');
    const { gateway, headers } = one;
    let bytes = 0;
    let tail = '';
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'qwen', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    for await (const piece of answer.body ?? []) {
      bytes += (piece as Uint8Array).length;
      tail = Buffer.from(piece as Uint8Array)
        .toString('latin1')
        .slice(-200);
    }
    assert.match(tail, /it has no end/);
    assert.ok(bytes > 100_000_000 && bytes < 140_000_000, String(bytes));
    assert.ok(process.memoryUsage().arrayBuffers - before < 100_000_000);
  });

  it('passes drips, which end with the client', async () => {
    const answer = await ask(await scene('drip'), true, 500).catch(() => undefined);
    assert.ok(answer === undefined || (answer.status === 200 && !answer.isWhole));
  });

  it('gives up an engine that is silent for too long', async () => {
    const answer = await ask(await scene('silent', 300));
    assert.equal(answer.status, 503);
    assert.match(answer.body, /model_unreachable/);
  });

  it('reports in the stream that an answer was broken off', async () => {
    const answer = await ask(await scene('brokenOff'));
    assert.ok(answer.isWhole);
    assert.match(answer.body, /" am".*data: \{"error":\{"message":"The connection to the machine/s);
    assert.ok(!answer.body.includes('[DONE]'));
  });

  it('passes no header and no key of the engine', async () => {
    for (const fault of ['wrongJson', 'oddJson', 'errorInStream'] as const) {
      const answer = await ask(await scene(fault));
      assert.equal(answer.status, 200);
      const names = [...answer.headers.keys()].filter(
        (name) => !/^(connection|date|keep-alive|transfer-encoding)$/.test(name),
      );
      assert.deepEqual(names, ['cache-control', 'content-type']);
      assert.ok(!answer.body.includes(engineKey));
    }
  });
});
