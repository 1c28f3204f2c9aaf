import { budgetState } from '../../model/budget/budget';
import { rentalFit } from '../../model/fit/rentalFit';
import { withoutMarker } from '../../model/instances/instanceLabel';
import {
  hasBeenReady,
  intentOf,
  isFailed,
  noFacts,
  stateOf,
  type InstanceFacts,
} from '../../model/instances/instanceState';
import type { Micros } from '../../model/money';
import { priceToPay, type ReplacementNeeds } from '../../model/offers/nextBest';
import type { Offer } from '../../model/offers/offer';
import type { RentConfig } from '../../model/rentals/rent';
import { templateScript } from '../../model/rentals/rentDraft';
import type { RentChoices } from '../../model/rentals/rentPlan';
import type { Template } from '../../model/templates/template';
import { NotSignedInError } from '../../shared/notSignedIn';
import { mayAct } from '../../shared/oneWindow';
import { actAs, currentActor } from '../../util/acting';
import type { Clock } from '../../util/clock';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { plainLabel } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';
import type { Account, Accounts } from '../accounts/accounts';
import { accountStill } from '../accounts/sameAccount';
import type { Budget } from '../budget/budgetStore';
import { destroyAndVerify } from '../instances/destruction';
import { readPresence } from '../instances/ends';
import type { Fleet } from '../instances/fleetStore';
import type { WindowHub } from '../windows/windowHub';
import { captureLog } from './captureLog';
import type { FailedMachines } from './failedMachines';
import { isOfferGone } from './rentalOutcome';
import type { RentalStore, RentResult, Rental } from './rentalStore';
import { isBeingReplaced, markReplacing, unmarkReplacing } from './replacementMark';
import { candidates, fittingFirst, needsOf, presentPlan } from './replacementOffers';

export interface ReplacementDeps {
  readonly accounts: Accounts;
  readonly fleet: Fleet;
  readonly rentals: RentalStore;
  readonly budget: Pick<Budget, 'current'>;
  readonly failedMachines: FailedMachines;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
}

export type ReplaceStage = 'searching' | 'savingLog' | 'destroying' | 'renting';

/** The rental that replaced it. */
interface ReplacedBy {
  readonly rent: RentResult;
  readonly offer: Offer;
  /** Why it may not fit the software that runs on it. */
  readonly misfits: readonly Text[];
  readonly pricePerHour: Micros | undefined;
}

export type ReplaceResult =
  | ({ readonly kind: 'replaced'; readonly log?: string } & ReplacedBy)
  /** The machine runs now, or was stopped; nothing was changed. */
  | { readonly kind: 'notNeeded'; readonly isRunning: boolean }
  /** The budget would be exceeded without a confirmation; nothing was changed. */
  | { readonly kind: 'overBudget' }
  /** No offer matches the search within the limit; nothing was changed. */
  | { readonly kind: 'noOffer' }
  /** The template was edited, or is gone if it is absent here; nothing was changed. */
  | { readonly kind: 'templateChanged'; readonly template: Template | undefined }
  /** The machine may still exist, so no second one was rented. */
  | { readonly kind: 'notDestroyed'; readonly log?: string }
  /** The machine is destroyed, but the matching offers were gone, or the error says why none was rented. */
  | { readonly kind: 'destroyedOnly'; readonly log?: string; readonly error?: unknown }
  /** A replacement is already in progress, here or in another window. */
  | { readonly kind: 'elsewhere' }
  /** The machine was already replaced, so no other one was rented. */
  | { readonly kind: 'replacedBefore' };

export interface ReplaceOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onStage?: (stage: ReplaceStage) => void;
  /** True if the user accepted the loss of named data; otherwise a machine that has run is never replaced. */
  readonly dataLossAccepted: boolean;
  /** True if no person asked just now: an instance that is gone was destroyed on purpose, and is not replaced. */
  readonly onlyIfThere?: boolean;
  /** Why a running machine is replaced; the user has seen this. */
  readonly unfit?: string;
  /** The hash of an edited template that the user accepted. */
  readonly acceptedTemplateHash?: string;
  /** What the other instances leave of the user's limit per hour. */
  readonly roomPerHour?: Micros;
  /** True if the user agreed to exceed the budget. */
  readonly acceptsOverrun?: boolean;
  /** When the user agreed, or the setting took effect; nothing is rented long after that. */
  readonly agreedAt?: number;
  /** When this window marked the rental as being replaced, if it already did. */
  readonly markedSince?: number | undefined;
}

/** The instance was not rented here, or its environment is lost, so that the same rental is not possible. */
export class NotReplaceableError extends UserError {}

const mostTries = 5;

/**
 * Destroys a failed machine and rents the next best one for the same search, price limit and configuration. Nothing is
 * destroyed before an offer was found, and nothing is rented before the destruction was verified. However many windows
 * ask, exactly one acts.
 */
export async function replaceInstance(
  deps: ReplacementDeps,
  instanceId: number,
  options: ReplaceOptions,
): Promise<ReplaceResult> {
  const account = deps.accounts.active;
  if (!account) {
    throw new NotSignedInError();
  }
  const rental = deps.rentals.find(instanceId);
  if (rental && wasReplaced(deps, rental)) {
    return { kind: 'replacedBefore' };
  }
  if (options.markedSince === undefined && isBeingReplaced(deps, rental)) {
    return { kind: 'elsewhere' };
  }
  if (!rental?.search) {
    throw new NotReplaceableError(
      text('This instance was not rented from a search on this computer. Destroy it and rent again.'),
    );
  }
  const since = options.markedSince ?? (await markReplacing(deps, rental));
  try {
    return await replaceMarked(deps, account, rental, instanceId, options);
  } finally {
    await unmarkReplacing(deps, rental, since);
  }
}

async function replaceMarked(
  deps: ReplacementDeps,
  account: Account,
  rental: Rental,
  instanceId: number,
  options: ReplaceOptions,
): Promise<ReplaceResult> {
  const before = await deps.rentals.fullConfig(rental);
  if (!before) {
    throw new NotReplaceableError(
      text('The environment of this rental is no longer in the secret store. Destroy it and rent again.'),
    );
  }
  const state = await presentState(deps, account, rental, instanceId, options);
  if (state.kind === 'notNeeded') {
    return state;
  }
  // Checked before anything is destroyed, because from here on the replacement is carried out completely.
  if (options.acceptsOverrun !== true && budgetState(await deps.budget.current()) !== 'within') {
    return { kind: 'overBudget' };
  }
  options.onStage?.('searching');
  const plan = await presentPlan(account, before, options);
  if ('kind' in plan) {
    return plan;
  }
  const { config, choices } = plan;
  const needs = needsOf(rental, config, await deps.failedMachines.list(), options.roomPerHour);
  const offers = fittingFirst(await candidates(account, rental, needs, options.signal), choices);
  if (offers.length === 0) {
    return { kind: 'noOffer' };
  }
  const attempt = rental.replacements ?? 0;
  accountStill(deps.accounts, account.key);
  if (!(await mayAct(deps.hub, `replace:${rental.marker}:${attempt}`))) {
    return { kind: 'elsewhere' };
  }
  const since = await markReplacing(deps, rental, { replacements: attempt + 1 });
  try {
    return await actAs(currentActor() ?? { kind: 'automatic' }, () =>
      carryOut(deps, { account, rental, config, choices, needs, offers, instanceId }, state.kind, options),
    );
  } finally {
    await unmarkReplacing(deps, rental, since);
  }
}

interface Replacement {
  readonly account: Account;
  readonly rental: Rental;
  readonly config: RentConfig;
  readonly choices: RentChoices;
  readonly needs: ReplacementNeeds;
  readonly offers: readonly Offer[];
  readonly instanceId: number;
}

/** Carries out the steps that change something. */
async function carryOut(
  deps: ReplacementDeps,
  what: Replacement,
  state: 'present' | 'gone',
  options: ReplaceOptions,
): Promise<ReplaceResult> {
  const { account, rental, instanceId } = what;
  const { signal } = options;
  options.onStage?.('savingLog');
  const log = state === 'present' ? await captureLog(deps, account, instanceId, signal) : undefined;
  const words = log === undefined ? {} : { log };
  options.onStage?.('destroying');
  if (state === 'present') {
    accountStill(deps.accounts, account.key);
    const verdict = await destroyAndVerify(deps, account, instanceId, signal);
    if (verdict === 'notConfirmed') {
      return { kind: 'notDestroyed', ...words };
    }
  }
  await deps.rentals.update(rental.marker, { phase: { kind: 'ended', instanceId } });
  options.onStage?.('renting');
  try {
    const next = await rentFirst(deps, what, options);
    const { phase } = next?.rent.rental ?? {};
    if (phase?.kind === 'notRented') {
      return { kind: 'destroyedOnly', error: new UserError(phase.reason), ...words };
    }
    return next ? { kind: 'replaced', ...next, ...words } : { kind: 'destroyedOnly', ...words };
  } catch (error) {
    // The user must learn that the machine is gone, even if a later step failed.
    return { kind: 'destroyedOnly', error, ...words };
  }
}

/** A replacement that may have been rented counts. */
function wasReplaced({ rentals }: ReplacementDeps, { marker }: Rental): boolean {
  return rentals.rentals.some(({ replaces, phase }) => replaces === marker && phase.kind !== 'notRented');
}

/**
 * Reads the present state right before acting: a machine that was stopped on purpose is not replaced, and a running one
 * only if the user wants to replace it.
 */
async function presentState(
  deps: ReplacementDeps,
  account: Account,
  rental: Rental,
  instanceId: number,
  options: ReplaceOptions,
): Promise<
  { readonly kind: 'present' | 'gone' } | { readonly kind: 'notNeeded'; readonly isRunning: boolean }
> {
  const reading = await readPresence(account.client, instanceId, options.signal);
  if (reading.kind !== 'there') {
    // An instance that may still exist is not replaced, because both would cost money.
    const isGone = reading.kind === 'ended' && options.onlyIfThere !== true;
    return isGone ? { kind: 'gone' } : { kind: 'notNeeded', isRunning: false };
  }
  const { instance } = reading;
  const known = deps.fleet.facts(instanceId);
  // A destruction of ours that failed is being retried.
  const facts: InstanceFacts =
    known.lastRequest?.kind !== 'destroy'
      ? known
      : known.readyAt === undefined
        ? noFacts
        : { readyAt: known.readyAt };
  const kind = stateOf(instance, facts, deps.clock.now());
  const intent = intentOf(instance, facts);
  const isUnfit = kind === 'running' && options.unfit !== undefined;
  if ((kind === 'running' && !isUnfit) || intent === 'stopped') {
    return { kind: 'notNeeded', isRunning: kind === 'running' };
  }
  const timedOut = rental.phase.kind === 'failed' && rental.phase.reason === 'timedOut';
  const mayReplace = isFailed(kind, intent) || timedOut || isUnfit;
  if (!mayReplace || (hasBeenReady(instance, facts) && !options.dataLossAccepted)) {
    return { kind: 'notNeeded', isRunning: false };
  }
  if (instance.machineId !== undefined) {
    await deps.failedMachines.remember({
      machineId: instance.machineId,
      at: deps.clock.now(),
      reason: plainLabel(options.unfit ?? instance.statusMessage ?? kind),
    });
  }
  return { kind: 'present' };
}

/** Tries the offers in order. Only an offer that is gone leads to the next one: any other refusal would meet that too. */
async function rentFirst(
  deps: ReplacementDeps,
  { account, rental, config, choices, needs, offers }: Replacement,
  { signal, agreedAt }: ReplaceOptions,
): Promise<ReplacedBy | undefined> {
  for (const { id } of offers.slice(0, mostTries)) {
    // Prices change while the old machine is destroyed, so the limit is checked against the present price.
    const [offer] = await candidates(account, rental, needs, signal, id);
    if (!offer) {
      deps.log.info(`Offer ${id} is gone or does not fit any more`);
      continue;
    }
    try {
      const rent = await deps.rentals.rent(
        {
          accountKey: account.key,
          replaces: rental.marker,
          ...(rental.workspace === undefined ? {} : { workspace: rental.workspace }),
          ...(rental.machine === undefined ? {} : { machine: rental.machine }),
          end: rental.end,
          templateScript: templateScript(choices),
          offer,
          config: { ...config, label: withoutMarker(config.label ?? '') },
          search: rental.search,
          rentalType: rental.rentalType,
          priceLimit: rental.priceLimit,
          mostPerHour: needs.priceLimit,
        },
        { signal, acceptsOverrun: true, agreedAt },
      );
      const misfits = rentalFit({ offer, choices }).misfits.map(({ text: words }) => words);
      return { rent, offer, misfits, pricePerHour: priceToPay(offer, needs) };
    } catch (error) {
      const isListed = async () => (await candidates(account, rental, needs, signal, id)).length > 0;
      if (!(await isOfferGone(error, isListed))) {
        throw error;
      }
      deps.log.info(`Offer ${offer.id} was not to be had: ${String(error)}`);
    }
  }
  return undefined;
}
