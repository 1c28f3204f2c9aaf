import assert from 'node:assert/strict';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { doAgreed } from '../../../../src/agents/store/doAgreed';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { ownLimitProblem, type OwnLimitsDeps } from '../../../../src/agents/store/ownLimits';
import { noFacts } from '../../../../src/model/instances/instanceState';
import { fromDollars } from '../../../../src/model/money';
import { openAgentWindow, wideLimits, type AgentWindow } from '../../../support/agentWindows';
import { anInstance, anOffer } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { only } from '../../../support/only';
import { FakeScheduleDisk } from '../../../support/scheduleWindows';

const now = Date.UTC(2026, 0, 15, 12);

describe('the limits of the user that an agent is held to', () => {
  const problem = async (
    state: OwnLimitsDeps['fleet']['state'],
    limit = 5,
    refresh: (fleet: { state: OwnLimitsDeps['fleet']['state'] }) => Promise<void> = () => Promise.resolve(),
  ) => {
    const fleet = { state, facts: () => noFacts, refresh: () => refresh(fleet) };
    const judge = await ownLimitProblem(
      {
        fleet,
        volumes: { state: { kind: 'idle' } },
        rentals: { rentals: [] },
        clock: { now: () => now },
        budget: { current: () => Promise.resolve(undefined) },
        limitPerHour: () => limit,
      },
      fromDollars(1),
    );
    return judge([]);
  };
  const listed = (...instances: readonly ReturnType<typeof anInstance>[]) =>
    ({ kind: 'ready', value: { instances, skipped: 0 }, fetchedAt: now }) as const;

  it('leave room by all that is listed, volumes or not', async () => {
    assert.equal(await problem(listed(anInstance())), undefined);
    assert.match((await problem(listed(anInstance()), 1.2)) ?? '', /may cost \$1\.2\/h, and with this/);
  });

  it('leave none if the running instances or their cost are unknown', async () => {
    const unpriced = anInstance(only({ totalPerHour: undefined, gpuPerHour: undefined }));
    for (const state of [
      { kind: 'idle' } as const,
      { kind: 'failed', error: new Error('no') } as const,
      { ...listed(anInstance()), value: { instances: [anInstance()], skipped: 1 } },
      listed(unpriced),
    ]) {
      assert.match((await problem(state)) ?? '', /not known what everything that runs costs/);
      assert.equal(await problem(state, 0), undefined);
    }
  });

  it('are compared with a list of now where the last one is old, and leave none where it stays old', async () => {
    const old = { ...listed(), fetchedAt: now - 8 * 3_600_000 };
    const reads = (fleet: { state: OwnLimitsDeps['fleet']['state'] }) => {
      fleet.state = listed(anInstance());
      return Promise.resolve();
    };
    assert.match((await problem(old, 1.2, reads)) ?? '', /may cost \$1\.2\/h, and with this/);
    assert.equal(await problem(old, 5, reads), undefined);
    const fails = () => Promise.reject(new Error('no'));
    assert.match((await problem(old, 5, fails)) ?? '', /not known what everything that runs costs/);
  });
});

describe('the hourly limit of the user while something is under way', () => {
  const context = {
    caller: { id: 'a', name: 'claude', door: 'mcp' },
    signal: new AbortController().signal,
  } as const;
  let { service, computer, through } = {} as ComputerScene;
  let window: AgentWindow;
  let limit: number;
  let ids: number;
  let goOn: () => void;

  beforeEach(async () => {
    ({ service, computer, through } = await computerScene({
      offers: [1, 2].map((id) =>
        anOffer({ id, totalPerHour: fromDollars(0.4), storagePerGbMonth: fromDollars(0.01) }),
      ),
    }));
    ids = 0;
    limit = 0.7;
  });
  afterEach(() => computer.dispose());

  async function open(...instances: readonly ReturnType<typeof anInstance>[]) {
    service.instances = [...instances];
    window = await openAgentWindow(computer, new FakeScheduleDisk(), {
      limits: wideLimits,
      ownProblem: (perHour, instanceId) =>
        ownLimitProblem(
          {
            ...window,
            volumes: { state: { kind: 'idle' } },
            budget: { current: () => Promise.resolve(undefined) },
            limitPerHour: () => limit,
          },
          perHour,
          instanceId,
        ),
    });
  }
  const hold = (held: string) => {
    service.before = (call) => (call === held ? new Promise<void>((resolve) => (goOn = resolve)) : undefined);
  };
  const requestId = () => `request-no-${(ids += 1)}`;
  const askToRent = async (offer: number) => {
    const { quote_rental: quoteRental, request_rental: requestRental } = marketTools(window);
    const wanted = { offer: `offer_${offer}`, image: 'ubuntu', diskGb: 20, hours: 2, then: 'stop' } as const;
    const { quote } = await quoteRental(wanted, context);
    return requestRental({ quote: String(quote), requestId: requestId() }, context);
  };
  const askToStart = (instance: number) =>
    instanceTools(window).change_state(
      { instance: `inst_${instance}`, to: 'running', requestId: requestId() },
      context,
    );
  const answer = async (asked: Readonly<Record<string, unknown>>) => {
    assert.equal(asked['state'], 'pending');
    const answered = await window.desk.answer(String(asked['request']), true);
    assert.ok(answered);
    return answered;
  };
  const carryOut = (request: AgentRequest) => doAgreed(window, request, window.accounts.active?.key ?? '');
  const refused = async (asked: Readonly<Record<string, unknown>>) => {
    const { state, problem } = await answer(asked);
    assert.equal(state, 'overLimit');
    assert.match(problem ?? '', /Everything that runs may cost \$0\.7\/h/);
  };

  for (const call of ['offers.search', 'instances.list', 'offers.rent']) {
    it(`counts a rental of an agent that waits in ${call}`, async () => {
      await open();
      const [one, other] = [await askToRent(1), await askToRent(2)];
      const first = await answer(one);
      hold(call);
      const done = carryOut(first);
      await computer.clock.advance(0);
      await refused(other);
      goOn();
      await through(done);
      limit = 2;
      service.before = () => undefined;
      assert.equal((await answer(await askToRent(2))).state, 'renting', 'counts once');
    });
  }

  it('counts a rental of an agent once, in all lists that have it', async () => {
    await open();
    const [one, other] = [await askToRent(1), await askToRent(2)];
    const first = await answer(one);
    limit = 1;
    hold('offers.rent');
    const done = carryOut(first);
    await computer.clock.advance(0);
    assert.equal((await answer(other)).state, 'renting');
    goOn();
    await through(done);
  });

  it('counts a rental of the user that no list shows yet', async () => {
    await open();
    const asked = await askToRent(2);
    hold('offers.rent');
    const rented = window.rentals.rent({
      offer: anOffer({ id: 1, totalPerHour: fromDollars(0.4) }),
      config: { image: 'ubuntu', diskGb: 20 },
      rentalType: 'on-demand',
      priceLimit: fromDollars(1),
    });
    await computer.clock.advance(0);
    await refused(asked);
    goOn();
    await through(rented);
  });

  it('counts a start of another instance that waits', async () => {
    const stopped = { actualStatus: 'exited', intendedStatus: 'stopped' } as const;
    await open(anInstance({ id: 5001, ...stopped }), anInstance({ id: 5002, ...stopped }));
    const [one, other] = [await askToStart(5001), await askToStart(5002)];
    const first = await answer(one);
    hold('instances.get');
    const done = carryOut(first);
    await computer.clock.advance(0);
    await refused(other);
    goOn();
    await through(done);
  });
});
