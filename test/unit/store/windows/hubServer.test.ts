import assert from 'node:assert/strict';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { AgentDoor } from '../../../../src/store/windows/agentDoor';
import { isProof, prove, type HubRole } from '../../../../src/store/windows/hubProof';
import { HubServer } from '../../../../src/store/windows/hubServer';
import { HubLine, maxMemberBytes, type HubMessage } from '../../../../src/store/windows/hubWire';
import { FakeClock } from '../../../support/fakeClock';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

const token = 'token';

describe('The leader of the windows', () => {
  let folder = '';
  let path = '';
  let clock: FakeClock;
  const open: { dispose: () => void }[] = [];
  useFolder((made) => {
    folder = made;
    path = join(made, 'hub.sock');
  });
  beforeEach(() => (clock = new FakeClock()));
  afterEach(() => open.splice(0).forEach((one) => one.dispose()));

  const soon = (what: string, isSo: () => boolean) => until(what, isSo, { everyMs: 2 });

  async function lead(isFile = true, address = path) {
    const seen: string[] = [];
    const agents = new AgentDoor();
    const server = await HubServer.open({
      address: { path: address, isFile },
      ...{ token, clock, agents },
      onPeers: () => seen.push('peers'),
      onMessage: (topic, data) => seen.push(`${topic} ${JSON.stringify(data).length}`),
      onError: (error) => seen.push(String(error)),
    });
    if (server) {
      open.push(server);
    }
    return { server, seen, agents };
  }

  /** Connects, and proves itself in a role where one is given. */
  function meet(role?: HubRole, windowId = 'member') {
    const socket: Socket = connect(path);
    open.push({ dispose: () => socket.destroy() });
    const heard: HubMessage[] = [];
    const nonce = `nonce of ${windowId}`;
    const line = new HubLine(socket, (message) => {
      heard.push(message);
      if (message.t === 'challenge' && role) {
        const proof = prove(token, role, message.nonce);
        line.send(role === 'agent' ? { t: 'agent', proof, nonce } : { t: 'auth', proof, nonce, windowId });
      }
    });
    line.trust(maxMemberBytes);
    socket.on('error', () => undefined);
    const said = () => heard.flatMap((one) => (one.t === 'say' ? [one.topic] : []));
    const isWelcome = () =>
      heard.some((one) => one.t === 'welcome' && isProof(token, 'leader', nonce, one.proof));
    return { socket, line, heard, said, isWelcome };
  }

  it('knows which windows have joined and left, and passes messages of one on to the others', async () => {
    const { server, seen } = await lead();
    const one = meet('member', 'one');
    const other = meet('member', 'other');
    await soon('both are welcome', () => one.isWelcome() && other.isWelcome());
    assert.deepEqual(
      [[...(server?.peers ?? [])].sort(), seen.splice(0)],
      [
        ['one', 'other'],
        ['peers', 'peers'],
      ],
    );
    one.line.send({ t: 'say', topic: 'a', data: 'x'.repeat(100_000) });
    await soon('it is heard', () => other.said().length > 0);
    server?.relay({ t: 'say', topic: 'b' });
    await soon('both hear the leader', () => one.said().length > 0 && other.said().length > 1);
    assert.deepEqual([one.said(), other.said(), seen.splice(0)], [['b'], ['a', 'b'], ['a 100002']]);
    one.socket.destroy();
    await soon('it has gone', () => seen.length > 0);
    assert.deepEqual([[...(server?.peers ?? [])], seen], [['other'], ['peers']]);
  });

  it('ignores what is no message to others, and hangs up on no window for it', async () => {
    const { seen } = await lead();
    const one = meet('member');
    await soon('it is welcome', one.isWelcome);
    one.line.send({ t: 'beat' });
    one.line.send({ t: 'say', topic: 'a', data: 1 });
    await soon('it is heard', () => seen.includes('a 1'));
    assert.deepEqual(seen, ['peers', 'a 1']);
  });

  it('waits five seconds for a proof, and as long as it likes for who gave one', async () => {
    const { server } = await lead();
    const stranger = meet();
    const member = meet('member');
    const agent = meet('agent', 'agent');
    await soon('all are there', () => stranger.heard.length > 0 && member.isWelcome() && agent.isWelcome());
    await clock.advance(4999);
    assert.equal(stranger.socket.destroyed, false);
    await clock.advance(1);
    await soon('the stranger is out', () => stranger.socket.destroyed);
    await clock.advance(60_000);
    assert.deepEqual([member.socket.destroyed, agent.socket.destroyed], [false, false]);
    assert.deepEqual([[...(server?.peers ?? [])], clock.pending], [['member'], 0]);
  });

  it('counts agents until they hang up, and hangs up on one that sends what no agent may, and on the 17th', async () => {
    const { server, agents } = await lead();
    const all = Array.from({ length: 16 }, (_, index) => meet('agent', `agent ${index}`));
    await soon('all are welcome', () => all.every((one) => one.isWelcome()));
    const more = meet('agent', 'one more');
    await soon('it is out', () => more.socket.destroyed);
    assert.deepEqual([agents.count, more.isWelcome(), server?.peers.size], [16, false, 0]);
    all[0]?.socket.destroy();
    await soon('it is gone', () => agents.count === 15);
    all[1]?.line.send({ t: 'say', topic: 'a', data: 1 });
    await soon('it is out', () => all[1]?.socket.destroyed === true && agents.count === 14);
  });

  it('forgets a stranger that hangs up, and hangs up on one that sends something else', async () => {
    await lead();
    const [quiet, loud] = [meet(), meet()];
    await soon('both are asked', () => quiet.heard.length > 0 && loud.heard.length > 0);
    assert.equal(clock.pending, 2);
    quiet.socket.destroy();
    loud.line.send({ t: 'say', topic: 'a' });
    await soon('both are out', () => loud.socket.destroyed && clock.pending === 0);
  });

  it('closes all connections when it is disposed of, and reports none of them', async () => {
    const { server, seen } = await lead();
    const [member, stranger] = [meet('member'), meet()];
    await soon('both are there', () => member.isWelcome() && stranger.heard.length > 0);
    seen.length = 0;
    server?.dispose();
    await soon('both are out', () => member.socket.destroyed && stranger.socket.destroyed);
    assert.deepEqual([server?.peers.size, seen], [0, []]);
  });

  it('is one at an address, whether a file or not, and none where the address is none', async () => {
    const first = await lead();
    assert.ok(first.server);
    assert.equal((await lead()).server, undefined, 'a socket file that answers');
    const name = join(folder, 'name');
    assert.ok((await lead(false, name)).server);
    assert.equal((await lead(false, name)).server, undefined, 'a name that is taken');
    await assert.rejects(lead(false, join(folder, 'missing', 'name')));
  });

  it('replaces a socket file that does not answer, and leaves nothing beside it', async () => {
    await writeFile(path, 'of one that was killed');
    await writeFile(`${path}.${process.pid}`, 'of one that was killed on the way');
    const { server } = await lead();
    assert.equal(await server?.isReachable(), true);
    assert.deepEqual(await readdir(folder), ['hub.sock']);
  });

  it('sees that its socket file is gone or is that of another, and needs none at another address', async () => {
    const { server } = await lead();
    await rename(path, `${path}.moved`);
    assert.equal(await server?.isReachable(), false);
    await writeFile(path, '');
    assert.equal(await server?.isReachable(), false);
    await rm(path);
    await rename(`${path}.moved`, path);
    assert.equal(await server?.isReachable(), true);
    const name = join(folder, 'name');
    const other = await lead(false, name);
    await rename(name, `${name}.moved`);
    assert.equal(await other.server?.isReachable(), true);
  });
});
