import assert from 'node:assert/strict';
import type { SecondFactorLogin } from '../../../../src/model/accounts/secondFactor';
import { SecondFactorGate, type SecondFactorSubject } from '../../../../src/store/accounts/secondFactor';
import { Emitter } from '../../../../src/util/emitter';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

describe('the window that asks for the second factor', () => {
  let clock: FakeClock;
  let hubs: FakeHubs;
  const subject = { account: { key: 'a' } } as SecondFactorSubject; // the gate looks at the key alone
  const login: SecondFactorLogin = { sessionKey: 's', isLegacy: false };

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
  });

  /** A window that looks at its question until the test answers it. */
  function open(isFocused = true) {
    const hub = hubs.open();
    const gate = new SecondFactorGate(hub, { isFocused, onDidChange: new Emitter<boolean>().event }, clock);
    const window = {
      hub,
      gate,
      asked: 0,
      isAsking: false,
      answer: undefined as ((login: SecondFactorLogin | undefined) => void) | undefined,
    };
    gate.setPrompt((_, signal) => {
      window.asked += 1;
      window.isAsking = true;
      return new Promise<SecondFactorLogin | undefined>((resolve) => {
        window.answer = resolve;
        signal.addEventListener('abort', () => {
          resolve(undefined);
        });
      }).finally(() => {
        window.isAsking = false;
      });
    });
    return window;
  }
  const never = () => new AbortController().signal;
  const ask = (window: ReturnType<typeof open>) => window.gate.ask(subject, never());

  it('keeps its question when a window is opened that does not know of it', async () => {
    const one = open();
    const first = ask(one);
    await clock.advance(30_000);
    const two = open();
    await clock.advance(1000);
    const second = ask(two);
    await clock.advance(10_000);
    assert.deepEqual([one.isAsking, two.isAsking], [true, false]);
    one.answer?.(login);
    assert.equal(await first, login);
    await settle();
    assert.equal(two.isAsking, false, 'the session is on its way');
    await clock.advance(7_000);
    assert.equal(two.isAsking, true, 'its turn where none arrived');
    two.answer?.(undefined);
    assert.equal(await second, undefined);
  });

  it('is the one in which the user starts it, at once, though none is in use or another one asks', async () => {
    const one = open();
    void ask(one);
    const away = open(false);
    const third = away.gate.ask({ ...subject, account: { ...subject.account, key: 'b' } }, never());
    const second = ask(away);
    await clock.advance(1000);
    assert.equal(away.isAsking, false);
    away.gate.want('b');
    await settle();
    assert.equal(away.asked, 1);
    away.answer?.(login);
    assert.equal(await third, login);
    away.gate.want('a');
    await settle();
    assert.equal(away.asked, 2);
    away.answer?.(login);
    assert.equal(await second, login);
  });

  it('is the one in which the user starts it, also while that one can’t ask yet', async () => {
    const one = open();
    const two = open();
    const before = one.gate.want('a');
    one.gate.want('a');
    before.dispose();
    const second = ask(two);
    await clock.advance(10_000);
    assert.equal(two.isAsking, false);
    const first = ask(one);
    await clock.advance(10_000);
    assert.deepEqual([one.isAsking, two.isAsking], [true, false]);
    one.answer?.(login);
    assert.equal(await first, login);
    await clock.advance(7_000);
    assert.equal(two.isAsking, true, 'its turn where no session arrived');
    two.answer?.(login);
    assert.equal(await second, login);
    assert.equal(clock.pending, 0, 'nobody goes on telling');
  });

  it('is another one after the user cancels it, or a minute after the start without another sign of it', async () => {
    const one = open();
    const two = open();
    const wish = one.gate.want('a');
    void ask(two);
    await clock.advance(10_000);
    assert.equal(two.isAsking, false);
    wish.dispose();
    await settle();
    assert.equal(two.isAsking, true);
    two.answer?.(login);
    await settle();
    one.gate.want('a');
    void ask(two);
    await clock.advance(59_000);
    assert.equal(two.isAsking, false);
    await clock.advance(3_000);
    assert.equal(two.isAsking, true);
    two.answer?.(login);
    await settle();
    one.gate.want('a');
    one.gate.dispose();
    void ask(two);
    await settle();
    assert.equal(two.isAsking, true, 'at once where the window was closed');
    two.answer?.(login);
  });

  it('is followed by another one after it ended, also where the clock was set back', async () => {
    const one = open();
    const two = open();
    void ask(one);
    await clock.advance(2000);
    const second = ask(two);
    one.gate.dispose();
    clock.jump(-3_600_000);
    await clock.advance(10_000);
    assert.equal(two.isAsking, true);
    two.answer?.(login);
    assert.equal(await second, login);
  });

  it('hands on when it is closed with its question open', async () => {
    const one = open();
    const two = open();
    void ask(one);
    const second = ask(two);
    await clock.advance(60_000);
    assert.deepEqual([one.isAsking, two.isAsking], [true, false], 'as long as it is there');
    hubs.hubs.splice(0, 1);
    one.gate.dispose();
    await clock.advance(7_000);
    assert.equal(two.isAsking, true);
    two.answer?.(login);
    assert.equal(await second, login);
    await clock.advance(0);
    assert.equal(clock.pending, 0, 'nobody goes on asking');
  });

  it('asks at once for the next who waited behind the same question', async () => {
    const one = open();
    const first = ask(one);
    const second = ask(one);
    await settle();
    assert.equal(one.asked, 1);
    one.answer?.(login);
    assert.equal(await first, login);
    await settle();
    assert.equal(one.asked, 2);
    one.answer?.(login);
    assert.equal(await second, login);
  });
});
