import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { doAgreed, type DoAgreedDeps } from '../../../../src/agents/store/doAgreed';
import { settle } from '../../../../src/agents/store/settle';
import { fromDollars } from '../../../../src/model/money';
import type { Fleet } from '../../../../src/store/instances/fleetStore';
import type { RentalStore } from '../../../../src/store/rentals/rentalStore';
import { openAgentWindow } from '../../../support/agentWindows';
import { anOffer } from '../../../support/builders';
import { scheduleScene, type ScheduleScene } from '../../../support/scheduleWindows';

const hourMs = 3_600_000;

describe('what an agent may rent after a yes', () => {
  let { service, computer, disk, through } = {} as ScheduleScene;
  let first: DoAgreedDeps;
  let request: AgentRequest;

  const openWindow = (fleet?: Fleet): Promise<DoAgreedDeps> =>
    openAgentWindow(computer, disk, fleet ? { fleet } : {});

  const key = () => first.accounts.active?.key ?? '';
  const state = async () => (await first.desk.read()).requests.find(({ id }) => id === request.id)?.state;

  beforeEach(async () => {
    ({ service, computer, disk, through } = await scheduleScene({ offers: [anOffer()] }));
    first = await openWindow();
    const at = computer.clock.now();
    const price = fromDollars(1);
    request = {
      id: 'request_0123456789abcdef',
      requestId: 'one',
      tool: 'request_rental',
      print: 'one',
      caller: { id: 'chat', name: 'the chat', door: 'chat' },
      at,
      decidedAt: at,
      state: 'renting',
      windowId: 'first',
      commitment: { perHour: price, stoppedPerHour: price, from: at, until: at + 2 * hourMs },
      quote: {
        id: 'quote_1',
        accountKey: key(),
        at,
        expiresAt: at + hourMs,
        offer: anOffer(),
        what: 'Ubuntu',
        diskGb: 20,
        hours: 2,
        then: 'destroy',
        perHour: price,
        stoppedPerHour: price,
        total: fromDollars(2),
      },
    };
    await first.desk.begin(request);
  });
  afterEach(() => computer.dispose());

  it('is rented once, with its end', async () => {
    await through(doAgreed(first, request, key()));
    assert.deepEqual([await state(), service.count('offers.rent')], ['rented', 1]);
    assert.deepEqual(
      [...disk.schedules.values()].map(({ action, term }) => ({ action, term })),
      [{ action: 'destroy', term: { kind: 'at', at: request.commitment?.until } }],
    );
  });

  it('is never sent once another window gave it up', async () => {
    const second = await openWindow();
    let goOn = () => {};
    service.before = (call) =>
      call === 'offers.search' ? new Promise<void>((resolve) => (goOn = resolve)) : undefined;
    const rented = doAgreed(first, request, key());
    // The computer slept in the middle of the search.
    await computer.clock.advance(121_000);
    await through(settle(second));
    assert.equal(await state(), 'notRented');
    goOn();
    await through(rented);
    assert.deepEqual([await state(), service.count('offers.rent')], ['notRented', 0]);
  });

  it('is given up where its window was killed before the clock was set back', async () => {
    const second = await openWindow();
    computer.clock.jump(-3 * hourMs);
    await computer.clock.advance(121_000);
    await through(settle(second));
    assert.deepEqual([await state(), service.count('offers.rent')], ['notRented', 0]);
  });

  it('is not given up while something may be under way', async () => {
    const second = await openWindow();
    let goOn = () => {};
    service.before = (call) =>
      call === 'offers.rent' ? new Promise<void>((resolve) => (goOn = resolve)) : undefined;
    const rented = doAgreed(first, request, key());
    await computer.clock.advance(0);
    await computer.clock.advance(121_000);
    await through(settle(second));
    assert.equal(await state(), 'renting');
    goOn();
    await through(rented);
    assert.deepEqual([await state(), service.count('offers.rent')], ['rented', 1]);
  });

  it('reports for a command or a schedule that a crash cut off only what is known', async () => {
    const ends = { endsAt: computer.clock.now() + hourMs, then: 'stop', instanceId: 7 } as const;
    const base = { caller: request.caller, at: request.at, decidedAt: request.at, state: 'working' } as const;
    const cutOff: readonly AgentRequest[] = [
      { ...base, id: 'request_c', requestId: 'c', print: 'c', tool: 'run_command', instanceId: 7 },
      { ...base, ...ends, id: 'request_s', requestId: 's', print: 's', tool: 'set_schedule' },
    ];
    for (const one of cutOff) {
      await first.desk.begin(one);
    }
    await through(settle(first));
    const states = async () =>
      (await first.desk.read()).requests.filter(({ id }) => id !== request.id).map((one) => one.state);
    assert.deepEqual(await states(), ['working', 'working']);
    await computer.clock.advance(121_000);
    await through(settle(first));
    assert.deepEqual(await states(), ['failed', 'failed']);
    const problems = (await first.desk.read()).requests.map(({ problem }) => problem ?? '').join();
    assert.match(problems, /It may have run.*may not be set/);
  });

  it('is unknown, and found, where something failed after it left', async () => {
    const rentals = Object.create(first.rentals, {
      rent: {
        value: async (...args: Parameters<RentalStore['rent']>) => {
          await first.rentals.rent(...args);
          throw new Error('The disk is full.');
        },
      },
    }) as RentalStore;
    await through(doAgreed({ ...first, rentals }, request, key()));
    assert.equal(await state(), 'unknown');
    await through(settle(first));
    assert.deepEqual([await state(), disk.schedules.size, service.count('offers.rent')], ['rented', 1, 1]);
  });

  it('counts what it has as running, past its end, while no list could be read', async () => {
    const unread = Object.create(first.fleet, { state: { value: { kind: 'failed' } } }) as Fleet;
    const second = await openWindow(unread);
    const { at, commitment } = request;
    assert.ok(commitment);
    const over = { ...commitment, from: at - 3 * hourMs, until: at - hourMs };
    const kept = { ...request, state: 'rented', commitment: over } as const;
    const ended = { ...over, isEnded: true } as const;
    await second.desk.begin({ ...kept, id: 'request_a', requestId: 'a', instanceId: 7 });
    await second.desk.begin({ ...kept, id: 'request_b', requestId: 'b', instanceId: 8, commitment: ended });
    assert.deepEqual([...(await second.desk.gate()).running], [7]);
  });

  const otherAccount = async () => {
    service.user = { ...service.user, id: 8, email: 'other@example.com' };
    await first.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
  };

  it('gets its end in its own account at once if another was chosen during it', async () => {
    const own = key();
    service.after = (call) => (call === 'offers.rent' ? otherAccount() : undefined);
    await through(doAgreed(first, request, own));
    assert.notEqual(key(), own);
    assert.deepEqual(
      [...disk.schedules.values()].map(({ action, term }) => ({ action, term })),
      [{ action: 'destroy', term: { kind: 'at', at: request.commitment?.until } }],
    );
    assert.equal(first.schedules.rows.length, 0, 'the other account has no schedule');
    await through(first.accounts.switchTo(own));
    assert.equal(await state(), 'rented');
    await computer.clock.advance(0);
    await through(settle(first));
    assert.equal(disk.schedules.size, 1);
  });

  it('gets its end once its account is active again where the disk refused', async () => {
    const own = key();
    disk.refusal = new Error('The disk is full.');
    service.after = (call) => (call === 'offers.rent' ? otherAccount() : undefined);
    await through(doAgreed(first, request, own));
    assert.equal(disk.schedules.size, 0);
    disk.refusal = undefined;
    await through(first.accounts.switchTo(own));
    assert.equal(await state(), 'unknown');
    await computer.clock.advance(0);
    await through(settle(first));
    assert.deepEqual([await state(), disk.schedules.size], ['rented', 1]);
  });

  it('leaves nothing behind of an account that signed out during it', async () => {
    const own = key();
    service.after = async (call) => {
      if (call === 'offers.rent') {
        await first.accounts.signOut(own);
        await rm(path.join(computer.storageDir, 'accounts', own, 'agents'), { recursive: true, force: true });
      }
    };
    await through(doAgreed(first, request, own));
    assert.equal(disk.schedules.size, 0);
    assert.equal(existsSync(path.join(computer.storageDir, 'accounts', own, 'agents')), false);
  });
});
