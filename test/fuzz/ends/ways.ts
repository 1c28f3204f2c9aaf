import type { AgentRequest } from '../../../src/agents/model/request';
import { doAgreed, type DoAgreedDeps } from '../../../src/agents/store/doAgreed';
import { guardSecondsOf } from '../../../src/jobs/model/jobLimits';
import { fromDollars } from '../../../src/model/money';
import { defaultQuery } from '../../../src/model/offers/savedSearches';
import { shortened, type AgreedEnd } from '../../../src/model/rentals/agreedEnd';
import { guardMark } from '../../../src/model/rentals/birthGuard';
import { requestOf, type CompleteDraft } from '../../../src/model/rentals/rentDraft';
import type { RentalOrder } from '../../../src/model/rentals/rentalOrder';
import { newMarker } from '../../../src/store/rentals/beforeRental';
import { FailedMachines } from '../../../src/store/rentals/failedMachines';
import { endOfSettings } from '../../../src/store/rentals/lastRental';
import { replaceInstance } from '../../../src/store/rentals/replacement';
import { text } from '../../../src/util/text';
import { anOffer } from '../../support/builders';
import { noBudget } from '../../support/fakeWindows';
import { hour, minute, type Machine } from './ledger';
import type { Window } from './window';
import type { World } from './world';

const price = fromDollars(1);
const jobSpec = { setupMinutes: 0, hours: 1, costDollars: 10, graceSeconds: 30 };

/** The order of a job, as far as a rental knows it. */
const jobOrder: RentalOrder = {
  name: 'train',
  heading: text('Job'),
  facts: () => [],
  guardSeconds: (perHour) => guardSecondsOf(jobSpec, perHour),
  begin: () => {
    throw new Error('Nothing begins an order here.');
  },
};

function anyEnd({ dice }: World): AgreedEnd {
  return {
    idleMinutes: dice.pick([15, 30, 60, 30, 60, 0]) ?? 30,
    destroyAfterDays: dice.pick([0, 1, 2]) ?? 0,
  };
}

function requestFor(end: AgreedEnd, order?: RentalOrder) {
  const draft: CompleteDraft = {
    title: 'Search',
    query: defaultQuery,
    offer: anOffer(),
    choices: {
      source: { kind: 'image', image: 'pytorch/pytorch' },
      ...{ diskGb: 20, label: 'training', runtype: 'ssh_direct' },
      end,
    },
    ...(order && { order }),
  };
  return requestOf(draft, undefined);
}

type Way = (world: World, window: Window) => Promise<void>;

async function rentOne(world: World, window: Window, way: string, end: AgreedEnd): Promise<void> {
  world.renting = { way, agreed: () => end };
  await world.through(window.rentals.rent(requestFor(end)));
}

const one: Way = (world, window) => rentOne(world, window, 'one', anyEnd(world));

/** The end of a workspace's file shortens that of the last confirmation. */
const another: Way = (world, window) => {
  const wish = { idleMinutes: world.dice.pick([0, 15, 45]) ?? 0 };
  return rentOne(world, window, 'another', shortened(anyEnd(world), wish));
};

const several: Way = async (world, window) => {
  const end = anyEnd(world);
  const wanted = world.dice.between(2, 3);
  const order = { id: newMarker(), wanted };
  for (let copy = 0; copy < wanted && world.windows.includes(window); copy += 1) {
    world.renting = { way: 'several', agreed: () => end };
    await world.through(window.rentals.rent(requestFor(end), { order }));
  }
  if (world.windows.includes(window)) {
    await world.through(window.rentals.orders.end(order.id));
  }
};

const job: Way = async (world, window) => {
  const end = anyEnd(world);
  const guardSeconds = guardSecondsOf(jobSpec, undefined);
  world.renting = { way: 'job', agreed: () => end, guardSeconds };
  const sent = world.scene.service.rented.length;
  await world.through(window.rentals.rent(requestFor(end, jobOrder)));
  for (const { config } of world.scene.service.rented.slice(sent)) {
    // Packed, because it is long.
    if (config.onstart === undefined || !config.onstart.includes(guardMark)) {
      world.ledger.say({ id: 0, way: 'job' }, 'was rented without its guard');
    }
  }
};

const agent: Way = async (world, window) => {
  const { clock } = world.scene.computer;
  const hours = world.dice.pick([1, 2, 5]) ?? 1;
  const then = world.dice.pick(['stop', 'destroy'] as const) ?? 'stop';
  const at = clock.now();
  const accountKey = window.accounts.active?.key ?? '';
  const commitment = { perHour: price, stoppedPerHour: price, from: at, until: at + hours * hour };
  const name = newMarker();
  const request: AgentRequest = {
    ...{ id: `request_${name}`, requestId: name, print: name, tool: 'request_rental' },
    caller: { id: 'chat', name: 'the chat', door: 'chat' },
    ...{ at, decidedAt: at, state: 'renting', windowId: window.hub.windowId, commitment },
    quote: {
      ...{ id: `quote_${name}`, accountKey, at, expiresAt: at + hour, offer: anOffer(), what: 'Ubuntu' },
      ...{ image: 'ubuntu', diskGb: 20, hours, then, perHour: price, stoppedPerHour: price, total: price },
    },
  };
  const endsAt = world.time + hours * hour;
  const { destroyAfterDays } = endOfSettings(window.settings);
  world.renting = {
    way: 'agent',
    agreed: () => ({ idleMinutes: 0, destroyAfterDays, at: endsAt, then }),
  };
  await world.through(window.desk.begin(request));
  // No request of this way is for a job.
  const agentJobs = {} as DoAgreedDeps['agentJobs'];
  await world.through(doAgreed({ ...window, agentJobs }, request, accountKey));
};

/** A machine does not start, and its user has it replaced. */
const replacement: Way = async (world, window) => {
  await rentOne(world, window, 'one', anyEnd(world));
  const failed = world.machines.at(-1);
  const [present] = world.windows;
  if (!failed || failed.state !== 'starting' || !present) {
    return;
  }
  failed.state = 'failed';
  failed.isGivenUp = true;
  world.keepers.change(failed.id, { actualStatus: 'exited', statusMessage: 'no such device' });
  world.renting = { way: 'replacement', agreed: () => failed.agreed };
  const { clock, log, storageDir } = world.scene.computer;
  const failedMachines = new FailedMachines(storageDir, () => 'account', log);
  const deps = { ...present, budget: noBudget, failedMachines, clock, log };
  await world.through(replaceInstance(deps, failed.id, { dataLossAccepted: false }));
};

const ways: readonly (readonly [number, readonly [string, Way]])[] = [
  [3, ['one', one]],
  [2, ['several', several]],
  [2, ['another', another]],
  [2, ['replacement', replacement]],
  [3, ['job', job]],
  [3, ['agent', agent]],
];

/** Rents in one of the ways, now and then from an editor that is killed while its request is under way. */
export async function rentSomehow(world: World, window: Window): Promise<string> {
  const [name, way] = world.dice.weighted(ways);
  world.killWhileRenting = world.windows.length > 0 && world.dice.chance(0.15);
  const isLost = world.dice.chance(0.15);
  if (isLost) {
    world.faults.push({ call: 'offers.rent', isAfter: true, left: 1 });
  }
  await way(world, window);
  world.killWhileRenting = false;
  world.faults.splice(0, world.faults.length, ...world.faults.filter(({ call }) => call !== 'offers.rent'));
  world.editorsChanged();
  return name;
}

/** What a job does with its machine. */
export function runJob(world: World, machine: Machine): void {
  const { guard } = machine;
  if (!guard || machine.state !== 'running' || guard.job === 'ended') {
    return;
  }
  if (guard.job === 'none') {
    guard.job = 'running';
    machine.use = 'gpu';
    machine.lastUse = world.time;
  } else {
    guard.job = 'ended';
    guard.endedAt = world.time;
    machine.use = undefined;
  }
}

export const keptMs = 2 * 60 * minute;
