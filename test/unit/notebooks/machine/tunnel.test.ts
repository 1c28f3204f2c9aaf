import assert from 'node:assert/strict';
import { Tunnel } from '../../../../src/notebooks/machine/tunnel';
import type { Forward, WantedForward } from '../../../../src/ssh/forward';
import { HostKeyError } from '../../../../src/ssh/hostKey';
import { silentLog } from '../../../../src/util/log';
import { FakeClock, settle } from '../../../support/fakeClock';

/** A port that was forwarded, and how to cut it off. */
interface Opened {
  readonly wanted: WantedForward;
  isClosed: boolean;
  readonly end: () => void;
}

describe('the tunnel of a notebook', () => {
  let clock: FakeClock;
  let opened: Opened[];
  /** The local port that each attempt gets, or the error with which it fails. */
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
  const open = () =>
    Tunnel.open({ ssh: { forward }, clock, log: silentLog, onRefused }, 'gpu-1', {
      remotePort: 9999,
      localPort: 8888,
    });
  const cut = async () => {
    opened.at(-1)?.end();
    await settle();
  };

  it('keeps the port it got, and is closed with it', async () => {
    given = () => 8889;
    const tunnel = await open();
    assert.deepEqual([tunnel.localPort, tunnel.remotePort], [8889, 9999]);
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
    assert.deepEqual(opened[1]?.wanted, { remotePort: 9999, localPort: 8888, noticesLossSoon: true });
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

  it('closes one that another program’s port pushed aside, and tries for its own again', async () => {
    const tunnel = await open();
    given = (attempt) => (attempt === 1 ? 8890 : 8888);
    await cut();
    await clock.advance(500);
    assert.deepEqual([opened[1]?.isClosed, tunnel.isOpen], [true, false]);
    await clock.advance(1000);
    assert.deepEqual([tunnel.isOpen, tunnel.localPort], [true, 8888]);
  });

  it('opens nothing any more once it was closed in an interruption', async () => {
    const tunnel = await open();
    await cut();
    tunnel.dispose();
    await clock.advance(600_000);
    assert.deepEqual([opened.length, clock.pending], [1, 0]);
  });
});
