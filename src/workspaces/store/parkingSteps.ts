import { instanceName } from '../../model/instances/instanceLabel';
import { perHour, runningRateOf } from '../../model/quote';
import { mayAct } from '../../shared/oneWindow';
import type { Account } from '../../store/accounts/accounts';
import { carryOut } from '../../store/instances/carryOut';
import type { DestructionDeps } from '../../store/instances/destruction';
import { readPresence } from '../../store/instances/ends';
import type { Fleet } from '../../store/instances/fleetStore';
import { currentRental } from '../../store/rentals/currentRental';
import type { RentalStore } from '../../store/rentals/rentalStore';
import { isBeingReplaced } from '../../store/rentals/replacementMark';
import type { WindowHub } from '../../store/windows/windowHub';
import { stopwatch } from '../../util/clock';
import { isCancelled, UserError } from '../../util/errors';
import { localProblem } from '../../util/localProblem';
import { text, type Text } from '../../util/text';
import type { ParkedWork } from '../model/parkedWork';
import {
  decisionOf,
  isAtRest,
  type MachineOfSet,
  type ParkedRow,
  type ParkedSet,
  type ParkingEvent,
} from '../model/parking';
import { carryStep, type CarriesSeen } from './carryStep';
import type { Parkings } from './parkings';
import { secondCopyStep, type CopiesSeen } from './secondCopyStep';

export interface ParkingStepDeps extends DestructionDeps {
  readonly parkings: Parkings;
  readonly fleet: Fleet;
  readonly rentals: Pick<RentalStore, 'rentals' | 'reread' | 'damaged'>;
  readonly hub: WindowHub;
  readonly work: (account: Account, set: ParkedSet, machine: MachineOfSet) => ParkedWork;
  /** Writes the SSH entry of a machine that no window has connected to, without a question. */
  readonly firstContact: (instanceId: number, signal: AbortSignal) => Promise<void>;
}

/** The result of a step, and the wait before the next one (ms). */
export interface ParkingStep {
  readonly event?: ParkingEvent;
  readonly waitMs?: number;
}

/** Short, because only memory is read (ms). */
const checkMs = 3_000;
/** A machine is destroyed only so long after it was last compared with what is here (ms). */
const freshMs = 60_000;

/** How long ago each set was last found unchanged on its machine (ms). */
export type Looks = Map<string, () => number>;

/** What this window alone saw of the sets. */
export interface SeenHere {
  readonly looks: Looks;
  readonly copies: CopiesSeen;
  readonly carries: CarriesSeen;
}

/** Does the next step of a set; never rejects but when it is canceled. */
export async function runParkingStep(
  deps: ParkingStepDeps,
  account: Account | undefined,
  row: ParkedRow,
  signal: AbortSignal,
  seen: SeenHere,
): Promise<ParkingStep> {
  const decision = decisionOf(row);
  if (decision) {
    if (row.state.phase === 'carrying' && decision.kind === 'stopped') {
      // Where that is lost, the service copies to a place that no folder gets its name from.
      void account?.client.copies.cancel(row.state.next?.instanceId ?? 0, { signal }).catch(() => undefined);
    }
    return { event: decision };
  }
  if (!account) {
    return { waitMs: checkMs };
  }
  try {
    return await stepOf(deps, account, row, signal, seen);
  } catch (error) {
    if (isCancelled(error) || signal.aborted) {
      return { waitMs: signal.aborted ? 1 : checkMs };
    }
    return { event: failed(deps, row, error) };
  }
}

async function stepOf(
  deps: ParkingStepDeps,
  account: Account,
  row: ParkedRow,
  signal: AbortSignal,
  { looks, copies, carries }: SeenHere,
): Promise<ParkingStep> {
  const { set, state } = row;
  const work = deps.work(account, set, set.from);
  const onMoved = (moved: Parameters<Parkings['showMoved']>[1]) => {
    deps.parkings.showMoved(set.id, moved);
  };
  const there = (action: () => Promise<ParkingEvent>) =>
    onOldMachine(deps, account, row, work, signal, action);
  switch (state.phase) {
    case 'listing':
      return there(async () => ({ kind: 'listed', ...(await work.list(signal)) }));
    case 'carrying':
      await holdOldMachine(deps, row, work, signal);
      return carryStep(deps, account, row, deps.work(account, set, state.next ?? set.from), signal, carries);
    case 'fetching':
      return there(async () => {
        const changed = await work.fetch(onMoved, signal);
        return changed.length === 0 ? { kind: 'fetched' } : { kind: 'lookedAgain', changed };
      });
    case 'proving':
      return { event: { kind: 'checked', wrong: await work.lacking(signal, true) } };
    case 'lookingAgain':
      return there(async () => {
        const changed = await work.changed(signal);
        looks.set(set.id, stopwatch(deps.clock));
        return { kind: 'lookedAgain', changed };
      });
    case 'copying':
      // Files may change until the copy ends.
      looks.delete(set.id);
      await holdOldMachine(deps, row, work, signal);
      return secondCopyStep(deps, account, row, signal, copies);
    case 'proved':
      if (set.plan === 'rescue') {
        return { event: { kind: 'stopped' } };
      }
      return endOldMachine(deps, account, row, work, signal, looks);
    case 'renting':
    case 'gettingReady':
      return followRental(deps, row, signal);
    case 'placing': {
      const { next } = state;
      // The old machine of a move may be in use until it ends.
      looks.delete(set.id);
      if (!next || deps.fleet.hasEnded(next.instanceId)) {
        return {
          event: { kind: 'notRented', why: text('The new instance ended before the files were on it.') },
        };
      }
      return { event: { kind: 'placed', ...(await deps.work(account, set, next).place(onMoved, signal)) } };
    }
    case 'parked':
    case 'stopped':
    case 'incomplete':
      return {};
  }
}

/** While the service copies, nothing of ours runs there for which a timer waits. What fails here delays no copy. */
async function holdOldMachine(
  { fleet, log }: ParkingStepDeps,
  { set: { from } }: ParkedRow,
  work: ParkedWork,
  signal: AbortSignal,
): Promise<void> {
  if (!fleet.hasEnded(from.instanceId)) {
    await work.hold(signal).catch((error: unknown) => {
      log.info(`${from.name} was not told to wait for a copy: ${String(error)}`);
    });
  }
}

/** Whether the service says that the contract of a set is over; `undefined` while it does not say so clearly. */
async function hasOldEnded(
  account: Account,
  { from }: ParkedSet,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const now = await readPresence(account.client, from.instanceId, signal);
  if (now.kind !== 'there') {
    return now.kind === 'ended' ? true : undefined;
  }
  const { startedAt } = now.instance;
  if (startedAt !== undefined && from.contractStart !== 0 && startedAt !== from.contractStart) {
    throw new UserError(
      text('Instance #{0} is another rental by now, so it was left alone.', from.instanceId),
    );
  }
  return false;
}

/** Works on the old machine. Where that fails, it finds out whether the machine is gone. */
async function onOldMachine(
  deps: ParkingStepDeps,
  account: Account,
  row: ParkedRow,
  work: ParkedWork,
  signal: AbortSignal,
  action: () => Promise<ParkingEvent>,
): Promise<ParkingStep> {
  try {
    return { event: await action() };
  } catch (error) {
    if (isCancelled(error) || signal.aborted) {
      throw error;
    }
    const isGone = await hasOldEnded(account, row.set, signal).catch(() => undefined);
    return {
      event:
        isGone === true ? { kind: 'gone', lacking: await work.lacking(signal) } : failed(deps, row, error),
    };
  }
}

/**
 * Destroys the old machine of a set, the only place that does. All of its files are proved to be here, or on the next
 * machine where the service copied them, and were unchanged there within the last minute.
 */
async function endOldMachine(
  deps: ParkingStepDeps,
  account: Account,
  row: ParkedRow,
  work: ParkedWork,
  signal: AbortSignal,
  looks: Looks,
): Promise<ParkingStep> {
  const { clock, hub, parkings, fleet } = deps;
  const { set, state } = row;
  const { instanceId, name } = set.from;
  const hasEnded = await hasOldEnded(account, set, signal);
  if (hasEnded === true) {
    return ended(deps, row);
  }
  if (hasEnded === undefined) {
    return {
      event: waiting(text('The service did not list all instances, so {0} was not destroyed yet.', name)),
    };
  }
  if (set.plan === 'move' && (!state.resumed || fleet.hasEnded(state.resumed.instanceId))) {
    const why = text('The new instance has ended, so {0} was not destroyed.', name);
    return { event: { ...waiting(why), waitsForYou: true } };
  }
  const isFresh = () => (looks.get(set.id)?.() ?? Infinity) <= freshMs;
  if (!isFresh()) {
    const wrong = set.plan === 'park' ? await work.lacking(signal, true) : [];
    if (wrong.length > 0) {
      return { event: { kind: 'checked', wrong } };
    }
    const changed = await work.changed(signal);
    if (changed.length > 0) {
      return { event: { kind: 'lookedAgain', changed } };
    }
    looks.set(set.id, stopwatch(clock));
  }
  const turn = `${state.since}:${state.trouble?.tries ?? 0}`;
  if (!(await mayAct(hub, `${account.key}:parked:${set.id}:${turn}`))) {
    return { event: waiting(text('{0} is not confirmed as destroyed. Retrying…', name)) };
  }
  // The request may have waited for minutes, in which files changed.
  const isStillWanted = async () =>
    hub.isLeader && !signal.aborted && (await parkings.awaitsEnd(set.id)) && isFresh();
  const done = await carryOut(
    deps,
    account,
    { instanceId, action: 'destroy' },
    { by: 'parking', signal, isStillWanted },
  ).finally(() => {
    // Where it goes on, files may change until the next try.
    looks.delete(set.id);
  });
  return done === 'destroyed'
    ? ended(deps, row)
    : { event: waiting(text('{0} is not confirmed as destroyed. Retrying…', name)) };
}

/** The older set of the same folder is superfluous from here on. */
async function ended(
  { parkings }: ParkingStepDeps,
  { set: { replaces }, state }: ParkedRow,
): Promise<ParkingStep> {
  // What the service copied is not here.
  const older =
    replaces === undefined || state.provedAt === undefined ? undefined : await parkings.reread(replaces);
  if (older && isAtRest(older)) {
    await parkings.remove(older.set.id);
  }
  return { event: { kind: 'ended' } };
}

/**
 * Follows the machine that is rented for a set until it is ready. It sends nothing: the rental's own journal settles
 * a lost answer, and its own rules replace failed starts.
 */
async function followRental(
  deps: ParkingStepDeps,
  { set, state }: ParkedRow,
  signal: AbortSignal,
): Promise<ParkingStep> {
  const { rentals, fleet } = deps;
  const marker = set.rental?.marker ?? '';
  const rental = currentRental(rentals.rentals, marker) ?? (await rentals.reread(marker));
  if (!rental) {
    const why = text(
      'Its rental can’t be read, so a machine may have been rented for it. Look at your instances.',
    );
    return { event: waiting(why) };
  }
  const { phase } = rental;
  if (phase.kind === 'notRented') {
    return { event: { kind: 'notRented', why: phase.reason } };
  }
  const instanceId = 'instanceId' in phase ? phase.instanceId : undefined;
  if (instanceId === undefined) {
    return { waitMs: checkMs };
  }
  const instance = fleet.find(instanceId);
  if (state.phase === 'renting' || state.next?.instanceId !== instanceId) {
    const rate = instance && runningRateOf(instance);
    const machine: MachineOfSet = {
      instanceId,
      name: instance ? instanceName(instance) : set.from.name,
      contractStart: instance?.startedAt ?? 0,
      perHour: rate === undefined ? rental.mostPerHour : perHour(rate),
    };
    return { event: { kind: 'rented', machine } };
  }
  if (isBeingReplaced(deps, rental)) {
    return { waitMs: checkMs };
  }
  if (fleet.hasEnded(instanceId)) {
    return { event: { kind: 'notRented', why: text('The new instance ended before it was ready.') } };
  }
  if (phase.kind === 'ready') {
    await deps.firstContact(instanceId, signal);
    return { event: { kind: 'ready' } };
  }
  const isStuck = (phase.kind === 'failed' && rental.replaceAt === undefined) || phase.kind === 'ended';
  return isStuck && !state.trouble
    ? {
        event: waiting(text('{0} did not get ready and still costs money.', state.next.name)),
        waitMs: checkMs,
      }
    : { waitMs: checkMs };
}

function waiting(why: Text): Extract<ParkingEvent, { readonly kind: 'failed' }> {
  return { kind: 'failed', why };
}

function failed({ log }: Pick<ParkingStepDeps, 'log'>, { set }: ParkedRow, error: unknown): ParkingEvent {
  log.warn(`The parked set ${set.id} could not be worked on: ${String(error)}`);
  const why = error instanceof UserError ? error.text : localProblem(error);
  return waiting(why ?? text('See the log for details.'));
}
