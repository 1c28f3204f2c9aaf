import assert from 'node:assert/strict';
import {
  GoneError,
  RentOutcomeUnknownError,
  ServiceFailedError,
  TimedOutError,
} from '../../../../src/api/errors';
import { markerIn } from '../../../../src/model/instances/instanceLabel';
import { destroyGraceMs, stateOf } from '../../../../src/model/instances/instanceState';
import { fromDollars } from '../../../../src/model/money';
import type { RentRequest } from '../../../../src/model/rentals/rentDraft';
import { destroyAndVerify } from '../../../../src/store/instances/destruction';
import { FailedMachines } from '../../../../src/store/rentals/failedMachines';
import { replaceInstance } from '../../../../src/store/rentals/replacement';
import { silentLog } from '../../../../src/util/log';
import { anOffer } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer, noBudget, type FakeWindow } from '../../../support/fakeWindows';
import { mortal } from '../../../support/mortalClient';
import { seeded, sized, testSeed } from '../../../support/seeded';
import { until } from '../../../support/until';

const rounds = sized(12, 120);
const actionsOfARound = 6;

const offers = Array.from({ length: 12 }, (_, index) =>
  anOffer({ id: 9001 + index, machineId: 178 + index, totalPerHour: fromDollars(0.3 + index / 1000) }),
);

function requestFor(index: number): RentRequest {
  return {
    offer: offers[index % offers.length] ?? anOffer(),
    config: { image: 'pytorch/pytorch', diskGb: 20, label: 'training', env: { TOKEN: 'secret' } },
    search: { filters: {}, rentalType: 'on-demand', order: [] },
    rentalType: 'on-demand',
    priceLimit: fromDollars(0.5),
  };
}

/** A process of the editor; after a crash nothing that it began comes to an end. */
interface Life {
  isAlive: boolean;
}
interface Session extends Life {
  readonly window: FakeWindow;
}

/** One user with two windows that rents, replaces and destroys while calls fail and windows crash. */
class Household {
  readonly service = new FakeService();
  readonly sessions: Session[] = [];
  readonly reported = new Set<number>();
  faultRate = 0;
  private opening: Life = { isAlive: true };
  private computer: FakeComputer | undefined;
  private failed: FailedMachines | undefined;
  /** Instances that come back after they were destroyed, with the look at which they do. */
  private readonly revenants = new Map<number, FakeService['instances'][number]>();

  constructor(private readonly random: () => number) {
    this.service.offers = offers;
    const fault = (tookEffect: boolean) => (call: string) => {
      if (this.random() < this.faultRate) {
        throw this.faultOf(call, tookEffect);
      }
    };
    this.service.before = fault(false);
    this.service.after = fault(true);
  }

  async start(): Promise<void> {
    this.computer = await FakeComputer.make(() => {
      const life = this.opening;
      return mortal(this.service.client, () => life.isAlive);
    });
    this.failed = new FailedMachines(this.computer.storageDir, () => 'account', silentLog);
    await this.open();
    await this.open();
  }

  get clock() {
    assert.ok(this.computer);
    return this.computer.clock;
  }

  async open(): Promise<void> {
    const rate = this.faultRate;
    // A sign-in that fails is another test's business.
    this.faultRate = 0;
    const life: Life = { isAlive: true };
    this.opening = life;
    assert.ok(this.computer);
    const window = await this.computer.openSignedIn();
    this.sessions.push(Object.assign(life, { window }));
    this.faultRate = rate;
  }

  any(): Session {
    const session = this.sessions[Math.floor(this.random() * this.sessions.length)];
    assert.ok(session);
    return session;
  }

  async crash(): Promise<void> {
    const session = this.any();
    session.isAlive = false;
    session.window.close();
    this.sessions.splice(this.sessions.indexOf(session), 1);
    await this.open();
  }

  /** One Enter on the confirmation. */
  async rent(index: number): Promise<void> {
    const session = this.any();
    await this.once(session, `rental ${index}`, session.window.rentals.rent(requestFor(index)));
  }

  async destroyAny(): Promise<void> {
    const id = this.anyInstance();
    if (id === undefined) {
      return;
    }
    const session = this.any();
    const { window } = session;
    const deps = { fleet: window.fleet, clock: this.clock, log: silentLog };
    const account = window.accounts.active;
    assert.ok(account);
    const verdict = await this.settled(session, destroyAndVerify(deps, account, id));
    if (verdict === 'destroyed') {
      assert.ok(!this.exists(id), `${id} was reported as destroyed and is there`);
      this.reported.add(id);
    }
  }

  async replaceAny(): Promise<void> {
    const id = this.anyInstance();
    if (id === undefined) {
      return;
    }
    this.become(id, 'exited');
    const session = this.any();
    const { accounts, fleet, rentals, hub } = session.window;
    await this.settled(session, fleet.refresh());
    assert.ok(this.failed);
    const deps = {
      accounts,
      fleet,
      rentals,
      budget: noBudget,
      hub,
      failedMachines: this.failed,
      clock: this.clock,
      log: silentLog,
    };
    const result = await this.once(
      session,
      `replacement of ${id}`,
      replaceInstance(deps, id, { dataLossAccepted: true }),
    );
    if (result?.kind === 'replaced' || result?.kind === 'destroyedOnly') {
      assert.ok(!this.exists(id), `${id} was reported as replaced and is there`);
      this.reported.add(id);
    }
  }

  /** One that was destroyed is in the list again, as was seen at the service. */
  comeBack(): void {
    const [gone] = [...this.reported].filter((id) => !this.exists(id));
    const before = gone === undefined ? undefined : this.revenants.get(gone);
    if (before) {
      this.service.instances.push(before);
    }
  }

  become(id: number, actualStatus: string): void {
    this.service.instances = this.service.instances.map((one) =>
      one.id === id ? { ...one, actualStatus } : one,
    );
  }

  exists(id: number): boolean {
    return this.service.instances.some((one) => one.id === id);
  }

  anyInstance(): number | undefined {
    for (const one of this.service.instances) {
      this.revenants.set(one.id, one);
    }
    return this.service.instances[Math.floor(this.random() * this.service.instances.length)]?.id;
  }

  /** Lets time pass without faults until every rental is settled one way or the other. */
  async calmDown(): Promise<void> {
    this.faultRate = 0;
    await until(
      'every rental is settled',
      async () => {
        await this.clock.advance(10_000);
        return this.sessions.every(({ window }) =>
          window.rentals.rentals.every(({ phase }) => phase.kind !== 'sent' && phase.kind !== 'notKnown'),
        );
      },
      { everyMs: 1 },
    );
    await this.clock.advance(destroyGraceMs + 60_000);
    await Promise.all(this.sessions.map((session) => this.settled(session, session.window.fleet.refresh())));
  }

  async end(): Promise<void> {
    for (const session of this.sessions) {
      session.isAlive = false;
    }
    await this.computer?.dispose();
  }

  /** At most one machine may come of it. */
  private async once<T>(session: Session, what: string, work: Promise<T>): Promise<T | undefined> {
    const rentedBefore = this.service.rented.length;
    const result = await this.settled(session, work);
    const rented = this.service.rented.length - rentedBefore;
    assert.ok(rented <= 1, `${what} rented ${rented} machines`);
    return result;
  }

  /** Moves time until it settles, crashing a window on the way now and then; a failure is `undefined`. */
  private async settled<T>(session: Session, work: Promise<T>): Promise<T | undefined> {
    const progress: { result?: T; isOver: boolean } = { isOver: false };
    work.then(
      (result) => {
        progress.result = result;
        progress.isOver = true;
      },
      () => {
        progress.isOver = true;
      },
    );
    let toCrash = this.faultRate > 0 && this.random() < 0.2 ? Math.floor(this.random() * 6) : -1;
    await until(
      'it came to an end',
      async () => {
        if (toCrash === 0) {
          await this.crash();
        }
        toCrash -= 1;
        await this.clock.advance(2000);
        // What a crashed window began never ends.
        return progress.isOver || !session.isAlive;
      },
      { everyMs: 1 },
    );
    return progress.result;
  }

  /** What took effect is never refused: a refusal promises that nothing was rented. */
  private faultOf(call: string, tookEffect: boolean): Error {
    if (call === 'offers.rent') {
      return !tookEffect && this.random() < 0.2 ? new GoneError() : new RentOutcomeUnknownError();
    }
    return this.random() < 0.5 ? new TimedOutError() : new ServiceFailedError();
  }
}

describe('in any order of faults', () => {
  it('nothing is rented twice, nothing costs money unseen, and no destruction is made up', async () => {
    const seed = testSeed;
    for (let round = 0; round < rounds; round += 1) {
      await playRound(seed + round);
    }
  });
});

async function playRound(seed: number): Promise<void> {
  const random = seeded(seed);
  const home = new Household(random);
  try {
    await home.start();
    home.faultRate = 0.05 + random() * 0.35;
    for (let action = 0; action < actionsOfARound; action += 1) {
      const dice = random();
      if (dice < 0.4) {
        await home.rent(action);
      } else if (dice < 0.6) {
        await home.replaceAny();
      } else if (dice < 0.75) {
        await home.destroyAny();
      } else if (dice < 0.85) {
        home.comeBack();
      } else {
        await home.crash();
      }
    }
    await home.calmDown();
    await agrees(home);
  } catch (error) {
    throw new Error(
      `GPU_RENTAL_TEST_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    await home.end();
  }
}

/** Once all is quiet, what the user sees is what there is; the disk may take a moment. */
async function agrees(home: Household): Promise<void> {
  let reason: unknown;
  const isAgreed = async () => {
    await home.clock.advance(30_000);
    try {
      checkEnd(home);
      return true;
    } catch (error) {
      reason = error;
      return false;
    }
  };
  await until('agreement', isAgreed, { everyMs: 5, timeoutMs: 10_000 }).catch(() => {
    throw reason;
  });
}

function checkEnd({ service, sessions, clock }: Household): void {
  const markers = service.rented.map(({ config }) => markerIn(config.label));
  assert.equal(new Set(markers).size, markers.length, 'one rental was sent twice');
  for (const { window } of sessions) {
    const { state } = window.fleet;

    assert.equal(state.kind, 'ready');
    assert.deepEqual(
      state.value.instances.map(({ id }) => id).sort(),
      service.instances.map(({ id }) => id).sort(),
      'the list is not what there is',
    );
    for (const instance of service.instances) {
      const rental = window.rentals.rentals.find(({ marker }) => marker === markerIn(instance.label));
      assert.ok(rental, `instance ${instance.id} bills and no rental is known`);
      const { phase } = rental;
      assert.ok(
        'instanceId' in phase && phase.instanceId === instance.id,
        `${instance.id} bills as ${phase.kind}`,
      );
      const kind = stateOf(instance, window.fleet.facts(instance.id), clock.now());
      assert.notEqual(kind, 'destroying', `instance ${instance.id} bills and is shown as going`);
    }
  }
}
