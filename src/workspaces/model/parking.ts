import type { Micros } from '../../model/money';
import type { RentedLike } from '../../model/rentals/rentedLike';
import { text, type Text } from '../../util/text';
import type { CloudFolder } from './secondCopy';

/** A machine of a set. */
export interface MachineOfSet {
  readonly instanceId: number;
  readonly name: string;
  /** The start of its contract, in seconds since 1970; 0 if the service states none. */
  readonly contractStart: number;
  readonly perHour?: Micros | undefined;
  /** What its storage costs, if it is kept stopped. */
  readonly perDay?: Micros | undefined;
}

/** What was decided about a parked set. Any window writes it, and the one that leads works by it. */
export interface ParkedSet {
  readonly id: string;
  /**
   * `move`: the next machine is rented first, and the old one ends last. `rescue`: the same from a machine that can't start;
   * as its host states no hashes, nothing is ever proved against it, and it never ends by this.
   */
  readonly plan: 'park' | 'move' | 'rescue';
  readonly orderedAt: number;
  readonly accountKey: string;
  readonly serviceUrl: string;
  readonly from: MachineOfSet;
  /** The saved folder of the machine. */
  readonly root: string;
  /** The folders below it that can be made again and are not saved. */
  readonly leftOut: readonly string[];
  readonly like: RentedLike;
  /** The host name that leads to the instance on which it continues. */
  readonly host?: string | undefined;
  /** Where the service puts a second copy, before the instance ends. */
  readonly cloud?: CloudFolder | undefined;
  /** The instance has a volume, which is kept and costs money after its end. */
  readonly hasVolume?: boolean | undefined;
  /** The set of the same folder that this one replaces once its machine has ended. */
  readonly replaces?: string | undefined;
  /** The service copies a move; what it does not bring whole goes through this computer. */
  readonly isByService?: boolean | undefined;
  /** The rental of the machine on which it continues, noted before the request leaves. */
  readonly rental?: { readonly marker: string; readonly accountKey: string } | undefined;
  /** Milliseconds since 1970, each later than those before. */
  readonly decidedAt: { readonly stop?: number | undefined; readonly retry?: number | undefined };
}

/** The steps in their order, then the states in which nothing is done. */
export const parkingPhases = [
  'listing',
  /** The service copies to the next machine. */
  'carrying',
  'fetching',
  'proving',
  'lookingAgain',
  /** The same, and the service makes the second copy. */
  'copying',
  /** Everything is here and right, on disk. Only from here the machine may end. */
  'proved',
  'renting',
  'gettingReady',
  'placing',
  'parked',
  'stopped',
  /** The machine ended before everything was here. */
  'incomplete',
] as const;
export type ParkingPhase = (typeof parkingPhases)[number];

/** Why a set waits. */
export interface ParkingTrouble {
  readonly why: Text;
  readonly tries: number;
  /** Milliseconds since 1970; absent if it waits for the user. */
  readonly nextTryAt?: number | undefined;
}

interface SecondCopy {
  readonly begunAt: number;
  /** The status of the instance before. */
  readonly before?: string | undefined;
  readonly endedAt?: number | undefined;
  /** Why there is none. */
  readonly why?: Text | undefined;
}

/** How far a set is; only the leading window writes it. */
export interface ParkingState {
  readonly setId: string;
  readonly phase: ParkingPhase;
  readonly since: number;
  /** How often the files were listed since the user last decided. */
  readonly rounds: number;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
  /** When everything was proved to be here; removed when the files are listed again. */
  readonly provedAt?: number | undefined;
  /** When the machine was read back as destroyed. */
  readonly endedAt?: number | undefined;
  /** The second copy, noted before the service is asked for it. */
  readonly copy?: SecondCopy | undefined;
  /** The copy of the service to the next machine, noted before it is asked for. */
  readonly carry?: { readonly begunAt: number; readonly isOver?: boolean | undefined } | undefined;
  /** What an incomplete set lacks; empty if all that was listed is here. */
  readonly lacking?: readonly string[] | undefined;
  /** The rental that was taken up last. */
  readonly marker?: string | undefined;
  /** The machine on which it continues. */
  readonly next?: MachineOfSet | undefined;
  /** Where it last continued. */
  readonly resumed?: (MachineOfSet & { readonly root: string; readonly at: number }) | undefined;
  readonly trouble?: ParkingTrouble | undefined;
}

export interface ParkedRow {
  readonly set: ParkedSet;
  readonly state: ParkingState;
}

export type ParkingEvent =
  | { readonly kind: 'listed'; readonly files: number; readonly bytes: number }
  | { readonly kind: 'fetched' }
  /** All or some of what was fetched is here and right. */
  | { readonly kind: 'checked'; readonly wrong: readonly string[] }
  /** What differs on the machine since it was listed. */
  | { readonly kind: 'lookedAgain'; readonly changed: readonly string[] }
  /** The service reports the end of the second copy, which nothing compares. */
  | { readonly kind: 'copied' }
  | { readonly kind: 'notCopied'; readonly why: Text }
  | { readonly kind: 'ended' }
  /** The machine of the files ended before they were proved to be here. */
  | { readonly kind: 'gone'; readonly lacking: readonly string[] }
  | { readonly kind: 'taken'; readonly marker: string }
  | { readonly kind: 'rented'; readonly machine: MachineOfSet }
  | { readonly kind: 'ready' }
  /** Without `isHere`, nothing of it is on this computer. */
  | { readonly kind: 'placed'; readonly root: string; readonly isHere?: boolean }
  /** The service did not bring all of it. */
  | { readonly kind: 'notCarried' }
  /** Without a next machine: it was refused, or ended. */
  | { readonly kind: 'notRented'; readonly why: Text }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'continued' }
  | { readonly kind: 'failed'; readonly why: Text; readonly waitsForYou?: boolean };

/** The most times that files are listed because they changed. */
const mostRounds = 3;
/** The longest pause after failures (ms). */
export const longestParkingPauseMs = 10 * 60_000;

export function newParkingState({ id, plan, orderedAt }: ParkedSet): ParkingState {
  return { setId: id, phase: plan === 'park' ? 'listing' : 'renting', since: orderedAt, rounds: 0 };
}

/** Whether nothing is done for a set until the user decides. */
export function isAtRest({ set, state }: ParkedRow): boolean {
  return restPhases.has(state.phase) && !isContinued(set, state) && !isTakenUp(set, state);
}
const restPhases: ReadonlySet<ParkingPhase> = new Set(['parked', 'stopped', 'incomplete']);

/** Whether a rental was noted for a set that rests. */
function isTakenUp({ rental }: ParkedSet, state: ParkingState): boolean {
  return rental !== undefined && rental.marker !== state.marker && canResume(state);
}

/** Whether the user decided to go on since the state was written. */
function isContinued({ decidedAt: { retry = 0, stop = 0 } }: ParkedSet, { phase, since }: ParkingState) {
  return (phase === 'stopped' || phase === 'incomplete') && retry > since && retry > stop;
}

export function isStopAsked({ decidedAt: { retry = 0, stop = 0 } }: ParkedSet): boolean {
  return stop > retry;
}

/** Whether everything of a set is here, and nothing is done with it. */
export function canResume(state: ParkingState): boolean {
  return restPhases.has(state.phase) && isAllHere(state);
}

function isAllHere({ provedAt, lacking }: ParkingState): boolean {
  return provedAt !== undefined || lacking?.length === 0;
}

/** Whether the old machine of a set is kept, and costs money, until the user destroys it. */
export function keepsOldMachine({ set, state }: ParkedRow): boolean {
  return set.plan === 'rescue' && state.endedAt === undefined;
}

/** Whether a set can be resumed, and was not since the user saw it. */
export function isResumable(row: ParkedRow, seen: ParkedRow): boolean {
  return isAtRest(row) && canResume(row.state) && row.state.resumed?.at === seen.state.resumed?.at;
}

/** Whether the user can let a set go on. Without a next machine, a move begins anew by its command. */
export function canContinue(row: ParkedRow): boolean {
  const { set, state } = row;
  return isAtRest(row)
    ? state.endedAt === undefined && (set.plan === 'park' || state.next !== undefined)
    : state.trouble !== undefined || state.phase === 'copying';
}

/** The account that pays for what is done with a set now. */
export function accountOf({ set, state }: ParkedRow): string {
  const isNext = ['renting', 'gettingReady', 'placing'].includes(state.phase) || isAtRest({ set, state });
  return isNext ? (set.rental?.accountKey ?? set.accountKey) : set.accountKey;
}

/** Whether the files of a set are worked with on its old machine. */
export function usesOldMachine({ phase, endedAt }: ParkingState): boolean {
  return endedAt === undefined && !restPhases.has(phase);
}

/** Returns the decision that a set waits for the leading window to take up. */
export function decisionOf(row: ParkedRow): ParkingEvent | undefined {
  const { set, state } = row;
  const { phase, since, trouble } = state;
  if (restPhases.has(phase)) {
    return isTakenUp(set, state)
      ? { kind: 'taken', marker: set.rental?.marker ?? '' }
      : isContinued(set, state)
        ? { kind: 'continued' }
        : undefined;
  }
  if (isStopAsked(set)) {
    return { kind: 'stopped' };
  }
  const isWaiting = trouble !== undefined || phase === 'copying';
  return isWaiting && (set.decidedAt.retry ?? 0) > since ? { kind: 'continued' } : undefined;
}

/** Returns the state after an event. */
export function parkingAfter(
  set: ParkedSet,
  state: ParkingState,
  event: ParkingEvent,
  now: number,
): ParkingState {
  const { trouble: _, ...quiet } = state;
  // A decision is later than what is on disk, also after the clock was set back.
  const since = Math.max(now, set.decidedAt.retry ?? 0, set.decidedAt.stop ?? 0, set.orderedAt);
  const at = (phase: ParkingPhase, more: Partial<ParkingState> = {}): ParkingState => ({
    ...quiet,
    phase,
    since,
    ...more,
  });
  const waits = (why: Text): ParkingState => ({ ...quiet, since, trouble: { why, tries: 1 } });
  const withCopy = (end: Partial<SecondCopy>) =>
    at('proved', { copy: { begunAt: since, ...state.copy, ...end } });
  switch (event.kind) {
    case 'listed':
      return at(isCarried(set, state) ? 'carrying' : 'fetching', {
        files: event.files,
        bytes: event.bytes,
        rounds: state.rounds + 1,
        provedAt: undefined,
        lacking: undefined,
        // What changed is copied again, unless that failed.
        copy: state.copy?.why && state.copy,
      });
    case 'fetched':
      return at('proving');
    case 'checked':
      return checked(state, event.wrong, { at, waits });
    case 'lookedAgain':
      return lookedAgain(set, state, event.changed, { at, waits, now });
    case 'copied':
      return withCopy({ endedAt: since });
    case 'notCopied':
      return withCopy({ why: event.why });
    case 'ended':
      return at('parked', { endedAt: since, next: undefined });
    case 'gone':
      return at('incomplete', { lacking: event.lacking, endedAt: since });
    case 'taken':
      return at('renting', { marker: event.marker, next: undefined });
    case 'rented':
      return at('gettingReady', { next: event.machine, marker: set.rental?.marker });
    case 'ready':
      return at(set.plan === 'park' || isAllHere(state) ? 'placing' : 'listing');
    case 'placed': {
      const resumed = state.next && { ...state.next, root: event.root, at: since };
      return set.plan === 'move' && state.endedAt === undefined
        ? at('proved', { resumed, ...(event.isHere === false ? { bytes: 0 } : {}) })
        : at(restOf(state), { resumed, next: undefined });
    }
    case 'notCarried':
      return at('fetching', { carry: { begunAt: since, isOver: true } });
    case 'notRented': {
      const rest = at(restOf(state), { marker: set.rental?.marker, next: undefined });
      return { ...rest, trouble: { why: event.why, tries: 1 } };
    }
    case 'stopped':
      return at(restOf(state), givenUp(set, state));
    case 'continued':
      if (state.phase === 'copying') {
        return at('proved', {
          copy: { begunAt: since, ...state.copy, why: text('You continued without it.') },
        });
      }
      return restPhases.has(state.phase) ? continued(set, state, at) : at(state.phase, { rounds: 0 });
    case 'failed': {
      const tries = (state.trouble?.tries ?? 0) + 1;
      const nextTryAt = now + Math.min(longestParkingPauseMs, 15_000 * 2 ** Math.min(tries, 10));
      return {
        ...quiet,
        trouble: { why: event.why, tries, ...(event.waitsForYou === true ? {} : { nextTryAt }) },
      };
    }
  }
}

function givenUp({ rental }: ParkedSet, { carry }: ParkingState): Partial<ParkingState> {
  return { marker: rental?.marker, carry: carry && { ...carry, isOver: true } };
}

function isCarried({ plan, isByService }: ParkedSet, { carry, next }: ParkingState): boolean {
  return plan === 'move' && isByService === true && next !== undefined && carry?.isOver !== true;
}

/** Where a set rests that is given up now. */
function restOf({ endedAt, lacking }: ParkingState): ParkingPhase {
  return endedAt === undefined ? 'stopped' : lacking === undefined ? 'parked' : 'incomplete';
}

function continued(
  set: ParkedSet,
  state: ParkingState,
  at: (phase: ParkingPhase, more?: Partial<ParkingState>) => ParkingState,
): ParkingState {
  const phase = again(set, state);
  return at(phase, {
    ...{ rounds: 0, endedAt: undefined },
    // A new list takes the place of the one that was proved.
    ...(phase === 'listing' ? { provedAt: undefined, lacking: undefined } : {}),
  });
}

/** Where a set goes on that rested before its machine ended. */
function again({ plan }: ParkedSet, state: ParkingState): ParkingPhase {
  if (plan === 'park') {
    return 'listing';
  }
  if (plan === 'move' && state.resumed !== undefined) {
    return 'proved';
  }
  return !state.next ? 'stopped' : plan === 'rescue' && isAllHere(state) ? 'placing' : 'listing';
}

function checked(
  state: ParkingState,
  wrong: readonly string[],
  {
    at,
    waits,
  }: {
    readonly at: (phase: ParkingPhase, more?: Partial<ParkingState>) => ParkingState;
    readonly waits: (why: Text) => ParkingState;
  },
): ParkingState {
  if (wrong.length === 0) {
    return at('lookingAgain');
  }
  if (state.rounds >= mostRounds) {
    return { ...waits(text('These files could not be saved whole: {0}', some(wrong))), phase: 'fetching' };
  }
  // Without the list, nothing can be fetched.
  return wrong.includes('')
    ? at('listing', { provedAt: undefined })
    : at('fetching', { provedAt: undefined, rounds: state.rounds + 1 });
}

function lookedAgain(
  { plan, cloud }: ParkedSet,
  state: ParkingState,
  changed: readonly string[],
  {
    at,
    waits,
    now,
  }: {
    readonly at: (phase: ParkingPhase, more?: Partial<ParkingState>) => ParkingState;
    readonly waits: (why: Text) => ParkingState;
    readonly now: number;
  },
): ParkingState {
  const { phase, rounds } = state;
  if (changed.length === 0 && plan === 'rescue') {
    return at('placing', { lacking: [] });
  }
  if (changed.length === 0) {
    const { endedAt, why } = state.copy ?? {};
    const isCopied = !cloud || endedAt !== undefined || why !== undefined;
    return phase === 'proved'
      ? state
      : at(plan === 'move' ? 'placing' : isCopied ? 'proved' : 'copying', { provedAt: now });
  }
  if (plan === 'move' && phase === 'proved') {
    return waits(
      text(
        'Files of the old instance changed after they were copied, so it was not destroyed: {0}',
        some(changed),
      ),
    );
  }
  return rounds >= mostRounds
    ? { ...waits(text('Files still change while they are saved: {0}', some(changed))), phase: 'listing' }
    : at('listing', { provedAt: undefined });
}

/** Returns the first of many names, as text. */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} … (${names.length})` : shown;
}
