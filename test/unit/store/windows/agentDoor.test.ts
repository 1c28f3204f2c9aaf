import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EditorLink } from '../../../../src/agents/mcp/editorLink';
import { hubAddress, hubToken } from '../../../../src/store/windows/hubAddress';
import { makeNonce, prove, type HubRole } from '../../../../src/store/windows/hubProof';
import { createWindowHub } from '../../../../src/store/windows/windowHub';
import { PacedClock, systemClock } from '../../../../src/util/clock';
import { silentLog } from '../../../../src/util/log';
import { until } from '../../../support/until';

const answered = { structured: { ok: true }, isError: false };
const once = () => ({ signal: new AbortController().signal, mayRepeat: false });

describe('the door of the windows for agents', () => {
  let dir: string;
  let window: ReturnType<typeof createWindowHub>;
  let said: unknown[];
  let link: EditorLink;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gpu-rental-door-'));
    window = createWindowHub({ storageDir: dir, clock: systemClock, log: silentLog });
    said = [];
    window.on('chat', (data) => said.push(data));
    link = new EditorLink({ storageDir: dir, clock: new PacedClock(20, 0) });
    await until('it leads', () => window.isLeader);
  });
  afterEach(async () => {
    link.dispose();
    window.dispose();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** What comes back to whoever greets in this role and then says this; ends when the window hangs up. */
  async function say(
    role: HubRole,
    greeting: 'agent' | 'auth',
    ...lines: readonly string[]
  ): Promise<string> {
    const token = await hubToken(dir);
    const socket = connect(hubAddress(dir, token).path);
    let heard = '';
    let isGreeted = false;
    socket.on('data', (chunk) => {
      heard += String(chunk);
      const nonce = /"challenge","nonce":"(\w+)"/.exec(heard)?.[1];
      if (nonce !== undefined && !isGreeted) {
        isGreeted = true;
        const proof = prove(token, role, nonce);
        socket.write(
          `${JSON.stringify({ t: greeting, proof, nonce: makeNonce(), windowId: 'x' })}\n${lines.join('\n')}\n`,
        );
      }
    });
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    return heard;
  }

  it('answers what an agent asks, and that it is starting where nothing answers yet', async () => {
    assert.deepEqual(await link.ask({ tool: 'a' }, once()), { what: { problem: 'notReady' } });
    window.agents.serve((what) => Promise.resolve({ ...answered, what }));
    assert.deepEqual(await link.ask({ tool: 'a' }, once()), { what: { ...answered, what: { tool: 'a' } } });
    assert.equal(window.agents.count, 1);
  });

  it('is found by a client again whose disk refused for a moment', async () => {
    window.agents.serve(() => Promise.resolve(answered));
    const terms = join(dir, 'windows.terms');
    await writeFile(terms, 'not a folder');
    assert.deepEqual(await link.ask({ tool: 'a' }, once()), { problem: 'refused' });
    await rm(terms);
    assert.deepEqual(await link.ask({ tool: 'a' }, once()), { what: answered });
  });

  it('hides the text of an error', async () => {
    window.agents.serve(() => Promise.reject(new Error('key=secret')));
    assert.deepEqual(await link.ask({}, once()), { what: { problem: 'failed' } });
  });

  it('does not treat an agent as a window: it is no peer, and receives and sends no messages', async () => {
    await link.ask({}, once());
    assert.equal(window.peers.size, 0);
    window.broadcast('chat', 'for windows');
    const hostile = JSON.stringify({ t: 'say', topic: 'chat', data: 'from an agent' });
    assert.doesNotMatch(await say('agent', 'agent', hostile), /for windows/);
    assert.deepEqual(said, []);
  });

  it('does not accept the proof of one role for another', async () => {
    for (const [role, greeting] of [
      ['agent', 'auth'],
      ['member', 'agent'],
      ['leader', 'agent'],
    ] as const) {
      assert.doesNotMatch(await say(role, greeting), /welcome/, `${role} as ${greeting}`);
    }
  });

  it('hangs up on a line above 256 KB', async () => {
    window.agents.serve(() => Promise.resolve(answered));
    const long = JSON.stringify({ t: 'ask', id: '1', what: 'x'.repeat(300_000) });
    assert.doesNotMatch(await say('agent', 'agent', long), /answer/);
  });

  it('is not sent a call above 256 KB, so the other calls of the agent go on', async () => {
    let calls = 0;
    let goOn = () => {};
    window.agents.serve(async (what) => {
      calls += 1;
      if (what === 'slow') {
        await new Promise<void>((resolve) => (goOn = resolve));
      }
      return answered;
    });
    const slow = link.ask('slow', once());
    await until('it is asked', () => calls === 1);
    const most = 256 * 1024 - JSON.stringify({ t: 'ask', id: '2', what: '' }).length;
    const again = { ...once(), mayRepeat: true };
    assert.deepEqual(await link.ask('x'.repeat(most + 1), again), { problem: 'tooLarge' });
    assert.deepEqual(await link.ask('é'.repeat(most / 2 + 1), again), { problem: 'tooLarge' });
    assert.equal(calls, 1);
    assert.deepEqual(await link.ask('x'.repeat(most - 1), again), { what: answered });
    goOn();
    assert.deepEqual(await slow, { what: answered });
  });

  it('keeps 16 calls of one agent open, and refuses the next as busy', async () => {
    window.agents.serve(() => new Promise(() => undefined));
    const users = Array.from({ length: 16 }, () => new AbortController());
    const calls = users.map(({ signal }) => link.ask({}, { signal, mayRepeat: false }));
    assert.deepEqual(await link.ask({}, once()), { what: { problem: 'busy' } });
    users.forEach((user) => user.abort());
    assert.deepEqual(new Set((await Promise.all(calls)).map((answer) => JSON.stringify(answer))).size, 1);
  });

  it('is not found, and nothing is made, where no editor ever was', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'gpu-rental-empty-'));
    const lost = new EditorLink({ storageDir: empty, clock: new PacedClock(20, 0) });
    try {
      assert.deepEqual(await lost.ask({}, once()), { problem: 'noEditor' });
      assert.deepEqual(await readdir(empty), []);
    } finally {
      await rm(empty, { recursive: true });
    }
  });

  it('reports that the outcome is unknown if the window closed during a call that is not repeated', async () => {
    let asked = 0;
    window.agents.serve(() => {
      asked += 1;
      return new Promise(() => undefined);
    });
    const call = link.ask({}, once());
    await until('it is asked', () => asked === 1);
    window.dispose();
    assert.deepEqual(await call, { problem: 'lost' });
  });

  it('gives up after 50 s', async () => {
    window.agents.serve(() => new Promise(() => undefined));
    const fast = new EditorLink({ storageDir: dir, clock: new PacedClock(200, 0) });
    assert.deepEqual(await fast.ask({}, once()), { problem: 'late' });
    fast.dispose();
  });
});
