import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { usageOf } from '../../../../src/agents/model/ledger';
import { doAgreed } from '../../../../src/agents/store/doAgreed';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { settle } from '../../../../src/agents/store/settle';
import { formatCents, fromDollars, zero } from '../../../../src/model/money';
import type { Offer } from '../../../../src/model/offers/offer';
import { agentScene, wideLimits, type AgentScene } from '../../../support/agentWindows';
import { anInstance, anOffer } from '../../../support/builders';

type Answer = Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;
const context = {
  caller: { id: 'a', name: 'claude', door: 'mcp' },
  signal: new AbortController().signal,
} as const;
const offer = anOffer({
  storagePerGbMonth: fromDollars(0.1),
  inetDownPerGb: fromDollars(0.01),
  inetUpPerGb: fromDollars(0.01),
});

describe('a yes to the price of an agent', () => {
  let { service, computer, disk, window, find, confirm, carryOut, through } = {} as AgentScene;
  let ids = 0;
  /** Runs while the limits of the user are read, between the call of an agent and its question. */
  let onAsk: () => Promise<void>;

  beforeEach(async () => {
    onAsk = () => Promise.resolve();
    const ownProblem = async () => {
      await onAsk();
      return () => undefined;
    };
    ({ service, computer, disk, window, find, confirm, carryOut, through } = await agentScene(
      {
        offers: [offer],
        instances: [
          anInstance({ id: 5001 }),
          anInstance({ id: 5002 }),
          anInstance({ id: 5003, actualStatus: 'exited', intendedStatus: 'stopped' }),
        ],
      },
      { limits: wideLimits, ownProblem },
    ));
  });
  afterEach(() => computer.dispose());

  const requestId = () => `request-no-${(ids += 1)}`;
  async function getQuote(): Promise<string> {
    const wanted = { offer: `offer_${offer.id}`, image: 'ubuntu', diskGb: 20, hours: 2 };
    const { quote } = await marketTools(window).quote_rental({ ...wanted, then: 'stop' }, context);
    return String(quote);
  }
  const requestRental = (quote: string): Promise<Answer> =>
    marketTools(window).request_rental({ quote, requestId: requestId() }, context);
  const askToRent = async () => requestRental(await getQuote());
  const start = () =>
    instanceTools(window).change_state(
      { instance: 'inst_5003', to: 'running', requestId: requestId() },
      context,
    );
  const setEnd = (instance: number, hoursFromNow: number, then: 'stop' | 'destroy') =>
    instanceTools(window).set_schedule(
      { instance: `inst_${instance}`, hoursFromNow, then, requestId: requestId() },
      context,
    );
  const rentedByAgent = (instanceId: number): Promise<unknown> =>
    window.desk.begin({
      ...{
        id: `request_${instanceId}`,
        requestId: `rented-${instanceId}`,
        tool: 'request_rental',
        print: '',
      },
      ...{ caller: context.caller, at: computer.clock.now(), state: 'rented', instanceId },
    });
  const endsIn = (instanceId: number, hours: number, then: 'stop' | 'destroy') =>
    window.schedules.set(instanceId, then, { kind: 'at', at: computer.clock.now() + hours * hourMs });

  it('rents what was asked about', async () => {
    assert.equal((await carryOut(await confirm(await askToRent()))).state, 'rented');
  });

  it('rents nothing for a quote of another account', async () => {
    const { quote, ...agreed } = await confirm(await askToRent());
    assert.ok(quote);
    const done = await carryOut({ ...agreed, quote: { ...quote, accountKey: 'fedcba9876543210' } });
    assert.equal(done.state, 'notRented');
    assert.equal(service.instances.length, 3);
  });

  const changes: Readonly<Record<string, Partial<Offer>>> = {
    'the price an hour': { gpuPerHour: fromDollars(0.5), totalPerHour: fromDollars(0.6) },
    'the price of storage': { storagePerGbMonth: fromDollars(0.2) },
    'the price of downloads': { inetDownPerGb: fromDollars(0.02) },
    'the price of uploads': { inetUpPerGb: fromDollars(5) },
    'the machine': { machineId: 179 },
    'the GPU': { gpuName: 'GTX 1060' },
    'the number of GPUs': { gpuCount: 2 },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`rents nothing where it changed since: ${what}`, async () => {
      const request = await confirm(await askToRent());
      service.offers = [{ ...offer, ...change }];
      const { state, problem } = await carryOut(request);
      assert.deepEqual([state, service.count('offers.rent')], ['notRented', 0]);
      assert.match(problem ?? '', /Nothing was rented\. Get a new quote/);
    });
  }

  it('rents nothing where the computer slept before the request left', async () => {
    const request = await confirm(await askToRent());
    service.before = (call) => {
      if (call === 'offers.search') {
        computer.clock.jump(10 * hourMs);
      }
    };
    assert.deepEqual([(await carryOut(request)).state, service.count('offers.rent')], ['notRented', 0]);
  });

  it('holds no longer where the clock is set back', async () => {
    const quote = await getQuote();
    computer.clock.jump(-24 * hourMs);
    await assert.rejects(requestRental(quote), /expired/);
  });

  it('starts nothing that became dearer, and leaves its schedule alone', async () => {
    const request = await confirm(await start());
    service.instances = service.instances.map((one) => ({ ...one, totalPerHour: fromDollars(4) }));
    const { state, problem } = await carryOut(request);
    assert.deepEqual([state, service.count('instances.start'), disk.schedules.size], ['failed', 0, 0]);
    assert.match(problem ?? '', /price.*rose.*Nothing was done/i);
  });

  it('starts and destroys nothing where the computer slept in between', async () => {
    for (const ask of [
      start,
      () =>
        instanceTools(window).destroy_instance(
          { instance: 'inst_5001', label: 'training', requestId: requestId() },
          context,
        ),
    ]) {
      const request = await confirm(await ask());
      computer.clock.jump(10 * hourMs);
      assert.equal((await carryOut(request)).state, 'failed');
    }
    assert.deepEqual([service.count('instances.start'), service.count('instances.destroy')], [0, 0]);
  });

  /** The computer sleeps, or the account is switched, while a request waits for the service to take it. */
  const whileWaiting = (call: string, what: () => unknown) => {
    service.wait = async (name) => {
      if (name === call) {
        await what();
      }
    };
  };
  const asks: Readonly<Record<string, () => Promise<Answer>>> = {
    'offers.rent': askToRent,
    'instances.start': start,
    'instances.stop': () =>
      instanceTools(window).change_state(
        { instance: 'inst_5001', to: 'stopped', requestId: requestId() },
        context,
      ),
    'instances.destroy': () =>
      instanceTools(window).destroy_instance(
        { instance: 'inst_5001', label: 'training', requestId: requestId() },
        context,
      ),
  };
  for (const [call, ask] of Object.entries(asks)) {
    it(`is not carried out where the computer slept while it waited: ${call}`, async () => {
      const request = await confirm(await ask());
      whileWaiting(call, () => computer.clock.jump(10 * hourMs));
      const { state, problem } = await carryOut(request);
      assert.deepEqual([state, service.count(call)], [call === 'offers.rent' ? 'notRented' : 'failed', 0]);
      assert.match(problem ?? '', /said yes too long ago\. Nothing was done/);
    });

    it(`is not carried out where the account was switched while it waited: ${call}`, async () => {
      const key = window.accounts.active?.key ?? '';
      const request = await confirm(await ask());
      whileWaiting(call, otherAccount);
      await through(doAgreed(window, request, key));
      assert.equal(service.count(call), 0);
      const { state, problem } = (await window.desk.find(request.id, key)) ?? {};
      if (call === 'offers.rent') {
        // Its rental is in the journal of its own account.
        assert.equal(state, 'unknown');
        await through(window.accounts.switchTo(key));
        await through(settle(window));
        assert.equal((await find({ request: request.id })).state, 'notRented');
      } else {
        assert.match(problem ?? '', /account was switched/);
      }
    });
  }

  const otherAccount = async () => {
    service.user = { ...service.user, id: 8, email: 'other@example.com' };
    await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
  };

  it('is asked for in the account of the instance alone', async () => {
    onAsk = otherAccount;
    await assert.rejects(start(), /account was switched/);
    assert.deepEqual((await window.desk.read()).requests, []);
  });

  it('is noted as done in its own account if another was chosen during it', async () => {
    const key = window.accounts.active?.key ?? '';
    const request = await confirm(await start());
    service.after = (call) => (call === 'instances.start' ? otherAccount() : undefined);
    await through(doAgreed(window, request, key));
    assert.equal((await window.desk.find(request.id, key))?.state, 'done');
  });

  it('leaves nothing behind of an account that signed out during it', async () => {
    const key = window.accounts.active?.key ?? '';
    const folder = path.join(computer.storageDir, 'accounts', key, 'agents');
    const request = await confirm(await start());
    service.after = async (call) => {
      if (call === 'instances.start') {
        await window.accounts.signOut(key);
        await rm(folder, { recursive: true });
      }
    };
    await through(doAgreed(window, request, key));
    assert.equal(existsSync(folder), false);
  });

  it('moves no end further where the instance became dearer', async () => {
    await rentedByAgent(5001);
    await endsIn(5001, 1, 'destroy');
    const request = await confirm(await setEnd(5001, 3, 'destroy'));
    service.instances = service.instances.map((one) => ({ ...one, totalPerHour: fromDollars(4) }));
    assert.equal((await carryOut(request)).state, 'failed');
    assert.equal(disk.schedules.get(5001)?.term.kind === 'at', true);
  });

  it('is needed to move the end of an instance of the user further, and counts in the limits', async () => {
    await endsIn(5001, 1, 'stop');
    await assert.rejects(setEnd(5001, 200, 'stop'), /limit for a rental is 100 h/);
    const { commitment } = await find(await setEnd(5001, 3, 'stop'));
    assert.equal(commitment?.perHour, fromDollars(0.4));
    assert.equal((await find(await setEnd(5002, 3, 'stop'))).commitment, undefined, 'had no end');
  });

  it('counts each hour of an instance of an agent once, however often its end is moved', async () => {
    const now = computer.clock.now();
    await window.desk.begin({
      ...{ id: 'request_5001', requestId: 'rented-5001', tool: 'request_rental', print: '' },
      ...{ caller: context.caller, at: now, state: 'rented', instanceId: 5001 },
      commitment: { perHour: fromDollars(0.4), stoppedPerHour: zero, from: now, until: now + 8 * hourMs },
    });
    await endsIn(5001, 8, 'destroy');
    for (const hours of [9, 10]) {
      await carryOut(await confirm(await setEnd(5001, hours, 'destroy')));
    }
    const { requests } = await window.desk.read();
    // To the cent: the clock goes on while a yes is carried out.
    assert.equal(formatCents(usageOf(requests, now, new Set([5001])).today), '$4.01');
  });

  it('is needed for an earlier destruction, and not for an earlier stop', async () => {
    for (const id of [5001, 5002]) {
      await rentedByAgent(id);
    }
    await endsIn(5001, 5, 'destroy');
    await endsIn(5002, 5, 'stop');
    const asked = await setEnd(5001, 0.01, 'destroy');
    assert.equal(asked['state'], 'pending');
    // It saves money, so no limit refuses it.
    assert.equal((await find(asked)).commitment, undefined);
    assert.equal((await setEnd(5001, 1, 'stop'))['state'], 'pending', 'would leave a disk');
    assert.equal((await setEnd(5002, 1, 'stop'))['state'], 'done');
  });
});
