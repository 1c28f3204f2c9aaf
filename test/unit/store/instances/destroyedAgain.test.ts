import assert from 'node:assert/strict';
import { ForbiddenError, TimedOutError } from '../../../../src/api/errors';
import { DestroyedAgain, type CameBack } from '../../../../src/store/instances/destroyedAgain';
import { destroyAndVerify } from '../../../../src/store/instances/destruction';
import { anInstance } from '../../../support/builders';
import { passUntil } from '../../../support/computerScene';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';

describe('A machine that was destroyed and is there again', () => {
  let service: FakeService;
  /** Another service, whose numbers are its own. */
  let other: FakeService;
  let computer: FakeComputer;
  let notified: Map<string, CameBack>;
  beforeEach(async () => {
    service = new FakeService();
    service.instances = [anInstance()];
    other = new FakeService();
    other.user = { ...other.user, id: 8 };
    computer = await FakeComputer.make((url) => (url.includes('other') ? other.client : service.client));
    notified = new Map();
  });
  afterEach(() => computer.dispose());

  async function open() {
    const window = await computer.openSignedIn();
    const { fleet } = window;
    const { clock } = computer;
    const again = new DestroyedAgain({
      ...window,
      clock,
      log: computer.log,
      deliver: (key, found) => void notified.set(key, found),
    });
    fleet.onDidPoll(({ instances }) => {
      instances.forEach((one) => again.check(one, fleet.facts(one.id).lastRequest, clock.now()));
    });
    fleet.setInterest({ viewVisible: true, windowFocused: true });
    await pass('the first list is there', () => fleet.state.kind === 'ready', 1);
    return window;
  }
  type Opened = Awaited<ReturnType<typeof open>>;

  const pass = (what: string, holds: () => boolean, stepMs?: number) =>
    passUntil(computer, what, holds, stepMs);

  /** Destroys the machine and waits until no list has it. */
  async function destroyed(window: Opened): Promise<void> {
    const account = window.accounts.active;
    assert.ok(account);
    const deps = { ...window, clock: computer.clock, log: computer.log };
    await computer.clock.through(destroyAndVerify(deps, account, 5001));
    await pass('it is gone', () => window.fleet.find(5001) === undefined);
  }
  const sent = () => service.count('instances.destroy');
  const kinds = () => [...notified.values()].map(({ kind }) => kind);

  it('is destroyed again, twice at most, with a message each time', async () => {
    const kept = service.instances;
    const window = await open();
    await destroyed(window);
    for (const times of [1, 2]) {
      service.instances = kept;
      await pass('it is told', () => notified.size === times, 30_000);
      assert.deepEqual([sent(), service.instances], [1 + times, []]);
    }
    service.instances = kept;
    await pass('it is told the third time', () => notified.size === 3, 30_000);
    await computer.clock.advance(600_000);
    assert.equal(sent(), 3);
    assert.deepEqual(kinds(), ['destroyedAgain', 'destroyedAgain', 'notDestroyed']);
    assert.equal(computer.log.count('warn Instance 5001 was destroyed and is there again'), 2);
  });

  it('is reported as still there, with the reason in the log, if it may not be destroyed again', async () => {
    const kept = service.instances;
    const window = await open();
    await destroyed(window);
    service.instances = kept;
    service.failsBefore('instances.destroy', () => new ForbiddenError());
    await pass('it is told', () => notified.size === 1, 1000);
    assert.equal(sent(), 2);
    await computer.clock.advance(600_000);
    assert.deepEqual([sent(), kinds()], [3, ['notDestroyed']]);
    assert.equal(computer.log.count('error Instance 5001 came back and could not be destroyed again'), 2);
  });

  it('is reported as still there if its second end is not confirmed', async () => {
    const kept = service.instances;
    const window = await open();
    await destroyed(window);
    service.instances = kept;
    const destroy = service.client.instances.destroy.bind(service.client.instances);
    Object.assign(service.client.instances, {
      destroy: async (id: number) => {
        await destroy(id);
        service.instances = kept;
      },
    });
    await pass('it is told', () => notified.size === 1, 1000);
    assert.deepEqual([sent(), kinds()], [2, ['notDestroyed']]);
  });

  it('is waited for two minutes where the end is not confirmed, and is none without a destroy', () => {
    const { clock, hubs, log } = computer;
    const { accounts, fleet } = computer.openWindow();
    const again = new DestroyedAgain({
      ...{ accounts, fleet, hub: hubs.open(), clock, log },
      deliver: (key, found) => void notified.set(key, found),
    });
    const now = clock.now();
    const isBack = (kind: 'destroy' | 'stop', agoMs: number, tookEffect = false) =>
      again.check(anInstance(), { kind, at: now - agoMs, tookEffect }, now);
    assert.deepEqual(
      [isBack('destroy', 119_999), isBack('destroy', 120_000), isBack('destroy', 1, true)],
      [false, true, true],
    );
    assert.deepEqual([isBack('stop', 120_000), isBack('stop', 1, true)], [false, false]);
  });

  it('is destroyed again though the answer was lost and the clock was set back since', async () => {
    const window = await open();
    const account = window.accounts.active ?? assert.fail();
    service.failsBefore('instances.destroy', () => new TimedOutError());
    const deps = { ...window, clock: computer.clock, log: computer.log };
    await computer.clock.through(destroyAndVerify(deps, account, 5001));
    service.before = () => undefined;
    computer.clock.jump(-3 * 3_600_000);
    await computer.clock.advance(5 * 60_000);
    assert.deepEqual([sent(), service.instances], [2, []]);
  });

  it('is not the one of that number at the service of an account that is chosen while it is destroyed', async () => {
    other.instances = service.instances;
    const window = await open();
    const account = window.accounts.active ?? assert.fail();
    let left = 2;
    service.before = async (call) => {
      if (call === 'instances.destroy') {
        await window.accounts.signIn({ serviceUrl: 'https://other.example.com', apiKey: 'other-key' });
      } else if (call === 'instances.get' && left > 0) {
        left -= 1;
        throw new TimedOutError();
      }
    };
    const deps = { ...window, clock: computer.clock, log: computer.log };
    const verdict = destroyAndVerify(deps, account, 5001);
    await pass('its list is there', () => other.count('instances.list') > 0);
    assert.equal(await computer.clock.through(verdict), 'destroyed');
    await computer.clock.advance(10 * 60_000);
    assert.ok(window.fleet.find(5001));
    assert.equal(window.fleet.facts(5001).lastRequest, undefined);
    assert.deepEqual([other.count('instances.destroy'), other.instances.length], [0, 1]);
  });

  it('is destroyed only one more time by two open windows', async () => {
    const kept = service.instances;
    await open();
    await destroyed(await open());
    service.instances = kept;
    await pass('it is told', () => notified.size === 1, 30_000);
    await computer.clock.advance(120_000);
    assert.equal(sent(), 2);
  });

  it('is left alone where it is another contract with the same number', async () => {
    const window = await open();
    await destroyed(window);
    service.instances = [anInstance({ startedAt: computer.clock.now() / 1000 })];
    await pass('it is told', () => notified.size === 1, 30_000);
    await computer.clock.advance(120_000);
    assert.deepEqual([sent(), kinds()], [1, ['notDestroyed']]);
  });

  it('is left alone if its record does not state when it began', async () => {
    const unknown: { startedAt?: number } & ReturnType<typeof anInstance> = { ...anInstance() };
    delete unknown.startedAt;
    service.instances = [unknown];
    const window = await open();
    await destroyed(window);
    service.instances = [unknown];
    await pass('it is told', () => notified.size === 1, 30_000);
    assert.deepEqual([sent(), kinds()], [1, ['notDestroyed']]);
  });

  it('is left alone where the user did something else with it since', async () => {
    const kept = service.instances;
    const window = await open();
    await destroyed(window);
    window.fleet.note(5001, { kind: 'start' });
    service.instances = kept;
    await computer.clock.advance(300_000);
    assert.deepEqual([sent(), kinds()], [1, []]);
  });

  it('is read once at a time, and left alone where the user starts it before the answer', async () => {
    const kept = service.instances;
    const window = await open();
    await destroyed(window);
    service.instances = kept;
    const answers: (() => void)[] = [];
    service.before = (call) =>
      call === 'instances.get' ? new Promise<void>((resolve) => answers.push(resolve)) : undefined;
    for (let time = 0; time < 2; time += 1) {
      await computer.clock.through(window.fleet.refresh());
    }
    assert.equal(answers.length, 1);
    window.fleet.note(5001, { kind: 'start' });
    answers[0]?.();
    await computer.clock.advance(300_000);
    assert.deepEqual([sent(), kinds(), answers.length], [1, [], 1]);
  });

  it('is not there at all where one list was wrong', async () => {
    const kept = service.instances;
    const window = await open();
    await destroyed(window);
    const list = service.client.instances.list.bind(service.client.instances);
    let stale = 1;
    Object.assign(service.client.instances, {
      list: async () => (stale-- > 0 ? { items: [...kept], skipped: 0, found: kept.length } : list()),
    });
    await window.fleet.refresh();
    await computer.clock.advance(1000);
    assert.equal(window.fleet.find(5001), undefined, 'its row goes before the next list');
    await computer.clock.advance(300_000);
    assert.deepEqual([sent(), kinds()], [1, []]);
    assert.equal(window.fleet.find(5001), undefined);
  });
});
