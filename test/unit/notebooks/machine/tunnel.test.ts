import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { Tunnel } from '../../../../src/notebooks/machine/tunnel';
import type { Forward, WantedForward } from '../../../../src/ssh/forward';
import { HostKeyError } from '../../../../src/ssh/hostKey';
import { silentLog } from '../../../../src/util/log';
import { FakeClock, settle } from '../../../support/fakeClock';
import { freePort } from '../../../support/sshMachine';
import { until } from '../../../support/until';

/** A port that was forwarded, and how to cut it off. */
interface Opened {
  readonly wanted: WantedForward;
  isClosed: boolean;
  readonly end: () => void;
}

describe('the tunnel of a notebook', () => {
  let clock: FakeClock;
  let opened: Opened[];
  /** The port that ssh has for each attempt, or the error with which it fails. */
  let given: (attempt: number) => number | Error;
  /** The host keys that ended a tunnel. */
  let refused: string[];
  beforeEach(() => {
    refused = [];
    clock = new FakeClock();
    opened = [];
    given = () => 8888;
  });

  const forward = (alias: string, wanted: WantedForward): Promise<Forward> => {
    assert.equal(alias, 'gpu-1');
    const localPort = given(opened.length);
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const one: Opened = { wanted, isClosed: false, end };
    opened.push(one);
    if (localPort instanceof Error) {
      return Promise.reject(localPort);
    }
    const close = () => {
      one.isClosed = true;
      end();
    };
    return Promise.resolve({ localPort, remotePort: wanted.remotePort, ended, close });
  };
  const onRefused = ({ message }: HostKeyError) => refused.push(message);
  let ports: { readonly wanted: number; readonly tunnels: Tunnel[] };
  beforeEach(async () => {
    ports = { wanted: await freePort(), tunnels: [] };
  });
  afterEach(() => Promise.all(ports.tunnels.map((one) => one.close())));

  const open = async (before?: () => Promise<unknown>) => {
    const deps = { ssh: { forward }, clock, log: silentLog, onRefused, ...(before ? { before } : {}) };
    const tunnel = await Tunnel.open(deps, 'gpu-1', { remotePort: 9999, localPort: ports.wanted });
    ports.tunnels.push(tunnel);
    return tunnel;
  };
  const cut = async () => {
    opened.at(-1)?.end();
    await settle();
  };

  it('keeps its port, and is closed with it', async () => {
    const tunnel = await open();
    assert.deepEqual([tunnel.localPort, tunnel.remotePort], [ports.wanted, 9999]);
    assert.deepEqual([tunnel.isOpen, tunnel.isOver], [true, false]);
    tunnel.dispose();
    await settle();
    assert.deepEqual([opened[0]?.isClosed, tunnel.isOpen, tunnel.isOver], [true, false, true]);
    await clock.advance(600_000);
    assert.deepEqual([opened.length, clock.pending], [1, 0]);
  });

  it('opens again at the same port after an interruption', async () => {
    const tunnel = await open();
    await cut();
    assert.deepEqual([tunnel.isOpen, tunnel.isOver], [false, false]);
    await clock.advance(499);
    assert.equal(opened.length, 1);
    await clock.advance(1);
    assert.equal(tunnel.isOpen, true);
    assert.deepEqual(opened[1]?.wanted, { remotePort: 9999, noticesLossSoon: true });
    await cut();
    await clock.advance(500);
    assert.deepEqual([tunnel.isOpen, opened.length], [true, 3]);
    tunnel.dispose();
    assert.equal(opened[2]?.isClosed, true);
  });

  it('waits longer each time, and is given up after two minutes and a quarter', async () => {
    const tunnel = await open();
    given = () => new Error('unreachable');
    await cut();
    const seconds: number[] = [];
    for (let at = 0; at < 200_000 && !tunnel.isOver; at += 500) {
      const before = opened.length;
      await clock.advance(500);
      if (opened.length > before) {
        seconds.push(at / 1000 + 0.5);
      }
    }
    assert.deepEqual(seconds, [0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5, 75.5, 105.5, 135.5]);
    assert.deepEqual([tunnel.isOver, tunnel.isOpen, clock.pending], [true, false, 0]);
  });

  it('is given up at once where the host key has changed, with the reason', async () => {
    const tunnel = await open();
    given = () => new HostKeyError('REMOTE HOST IDENTIFICATION HAS CHANGED');
    await cut();
    await clock.advance(600_000);
    assert.deepEqual([opened.length, tunnel.isOver, clock.pending], [2, true, 0]);
    assert.equal(refused.length, 1);
    assert.match(refused[0] ?? '', /^The host key of the instance has changed\./);
  });

  it('has another port where another program has its own', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(ports.wanted, '127.0.0.1', resolve));
    const tunnel = await open();
    assert.notEqual(tunnel.localPort, ports.wanted);
    other.close();
  });

  describe('with a program behind it', () => {
    let echo: Server;
    let received = '';
    beforeEach(async () => {
      received = '';
      echo = createServer((socket) => {
        socket.on('data', (piece: Buffer) => {
          received += piece.toString();
          socket.write(piece);
        });
        socket.on('error', () => undefined);
      });
      await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
      given = () => (echo.address() as AddressInfo).port;
    });
    afterEach(() => echo.close());

    const dial = (tunnel: Tunnel) => {
      const socket = connect(tunnel.localPort, '127.0.0.1');
      const state = { answer: '', isOver: false };
      socket.on('data', (piece: Buffer) => (state.answer += piece.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => (state.isOver = true));
      return { socket, state };
    };

    it('holds what is sent to the machine, in its order, until the files are there', async () => {
      let go = () => {};
      const files = new Promise<void>((resolve) => (go = resolve));
      let asked = 0;
      const tunnel = await open(() => {
        asked += 1;
        return files;
      });
      const { socket, state } = dial(tunnel);
      socket.write('cell 1, ');
      await until('the question', () => asked === 1, { everyMs: 1 });
      socket.write('cell 2');
      assert.equal(received, '');
      go();
      await until('the answer', () => state.answer === 'cell 1, cell 2', { everyMs: 1 });
      socket.end();
      await until('the end', () => state.isOver, { everyMs: 1 });
    });

    it('ends connections while ssh is away, and keeps its port from other programs', async () => {
      const tunnel = await open();
      const before = dial(tunnel);
      before.socket.write('x');
      await until('the answer', () => before.state.answer === 'x', { everyMs: 1 });
      await cut();
      await until('the end', () => before.state.isOver, { everyMs: 1 });
      const during = dial(tunnel);
      await until('the end', () => during.state.isOver, { everyMs: 1 });
      assert.equal(during.state.answer, '');
      await clock.advance(500);
      const after = dial(tunnel);
      after.socket.write('y');
      await until('the answer', () => after.state.answer === 'y', { everyMs: 1 });
    });
  });

  it('opens nothing any more once it was closed in an interruption', async () => {
    const tunnel = await open();
    await cut();
    tunnel.dispose();
    await clock.advance(600_000);
    assert.deepEqual([opened.length, clock.pending], [1, 0]);
  });
});
