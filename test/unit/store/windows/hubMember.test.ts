import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { HubMember } from '../../../../src/store/windows/hubMember';
import { isProof, prove } from '../../../../src/store/windows/hubProof';
import { HubLine, type HubMessage } from '../../../../src/store/windows/hubWire';
import { FakeClock } from '../../../support/fakeClock';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

const token = 'token';

describe('A window that looks for a leader', () => {
  let path = '';
  let folder = '';
  let clock: FakeClock;
  let server: Server | undefined;
  let member: HubMember | undefined;
  const sockets: Socket[] = [];
  useFolder((made) => {
    folder = made;
    path = join(made, 'hub.sock');
  });
  beforeEach(() => (clock = new FakeClock()));
  afterEach(() => {
    member?.dispose();
    sockets.splice(0).forEach((socket) => socket.destroy());
    server?.close();
    server = undefined;
  });

  const soon = (what: string, isSo: () => boolean) => until(what, isSo, { everyMs: 2 });

  /** What listens at the address: it answers each message by `answer`, as the leader or as something else would. */
  async function listen(answer: (line: HubLine, message: HubMessage) => void = () => undefined) {
    const lines: HubLine[] = [];
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      const line = new HubLine(socket, (message) => answer(line, message));
      lines.push(line);
    });
    await new Promise<void>((resolve) => server?.listen(path, resolve));
    return lines;
  }

  function check(address = path) {
    const seen: string[] = [];
    const events = {
      onReceived: () => seen.push('heard'),
      onWelcome: () => seen.push('welcome'),
      onMessage: (topic: string, data: unknown) => seen.push(`${topic} ${JSON.stringify(data).length}`),
      onEnd: () => seen.push('end'),
    };
    member = new HubMember({
      address: { path: address, isFile: true },
      ...{ token, windowId: 'own', clock, ...events },
    });
    return { seen, meeting: member.meeting };
  }

  /** Says `first` to the window that connected. */
  async function greet(lines: readonly HubLine[], ...first: readonly HubMessage[]) {
    await soon('it has connected', () => lines.length > 0);
    for (const message of first) {
      lines[0]?.send(message);
    }
  }
  const challenge = { t: 'challenge', nonce: 'nonce' } as const;
  const welcomes = (line: HubLine, message: HubMessage) => {
    if (message.t === 'auth') {
      assert.ok(isProof(token, 'member', challenge.nonce, message.proof));
      assert.equal(message.windowId, 'own');
      line.send({ t: 'welcome', proof: prove(token, 'leader', message.nonce) });
    }
  };

  it('finds none where nothing listens, and is refused where the address is none', async () => {
    assert.equal(await check().meeting, 'nobody');
    await writeFile(join(folder, 'file'), '');
    assert.equal(await check(join(folder, 'file')).meeting, 'nobody', 'the file of a leader that was killed');
    assert.equal(await check(join(folder, 'file', 'hub.sock')).meeting, 'refused');
    assert.equal(clock.pending, 0);
  });

  it('gives up after five seconds of silence', async () => {
    const lines = await listen();
    const { meeting, seen } = check();
    await greet(lines);
    await clock.advance(4999);
    assert.equal(sockets[0]?.destroyed, false);
    await clock.advance(1);
    assert.deepEqual([await meeting, seen], ['silent', []]);
  });

  it('is refused by one that speaks and never welcomes it', async () => {
    const lines = await listen();
    const { meeting, seen } = check();
    await greet(lines, challenge);
    await soon('it has heard', () => seen.length > 0);
    await clock.advance(5000);
    assert.deepEqual([await meeting, seen], ['refused', ['heard']]);
  });

  for (const [what, message] of Object.entries<HubMessage>({
    'a proof that is wrong': { t: 'welcome', proof: prove(token, 'leader', 'another nonce') },
    'a message before its proof': { t: 'say', topic: 'a', data: 1 },
    'a beat before its proof': { t: 'beat' },
    'what only windows send': { t: 'drop', id: '1' },
  })) {
    it(`hangs up on ${what}`, async () => {
      const lines = await listen();
      const { meeting, seen } = check();
      await greet(lines, challenge, message);
      assert.equal(await meeting, 'refused');
      assert.deepEqual(seen, ['heard', 'heard']);
      assert.equal(clock.pending, 0);
    });
  }

  it('receives messages of its leader, also long ones, until that is gone', async () => {
    const lines = await listen(welcomes);
    const { meeting, seen } = check();
    await greet(lines, challenge);
    assert.equal(await meeting, 'connected');
    await clock.advance(60_000);
    lines[0]?.send({ t: 'beat' });
    lines[0]?.send({ t: 'say', topic: 'a', data: 'x'.repeat(100_000) });
    await soon('it is heard', () => seen.length === 6);
    assert.deepEqual(seen.splice(0), ['heard', 'heard', 'welcome', 'heard', 'heard', 'a 100002']);
    lines[0]?.end();
    await soon('the end is seen', () => seen.length > 0);
    assert.deepEqual(seen, ['end']);
  });

  it('leaves a leader that challenges it again, or sends what no leader does', async () => {
    for (const message of [challenge, { t: 'drop', id: '1' } as const]) {
      const lines = await listen(welcomes);
      const { meeting, seen } = check();
      await greet(lines, challenge);
      await meeting;
      lines[0]?.send(message);
      await soon('it has left', () => seen.includes('end'));
      await new Promise((resolve) => server?.close(resolve));
    }
  });

  it('leaves when it closes', async () => {
    const lines = await listen(welcomes);
    const { meeting } = check();
    await greet(lines, challenge);
    await meeting;
    member?.dispose();
    await soon('the leader sees it', () => sockets[0]?.destroyed === true);
  });
});
