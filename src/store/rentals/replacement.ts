import { GoneError, NotFoundError, RefusedError } from '../../api/errors';
import {
  intentOf,
  isFailed,
  noFacts,
  plain,
  stateOf,
  type InstanceFacts,
} from '../../model/instances/instanceState';
import { withoutMarker } from '../../model/instances/instanceLabel';
import { nextBest } from '../../model/offers/nextBest';
import type { Offer } from '../../model/offers/offer';
import type { RentConfig } from '../../model/rentals/rent';
import type { Clock } from '../../util/clock';
import { isCancelled, UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { NotSignedInError } from '../accounts/accountErrors';
import { destroyAndVerify } from '../instances/destruction';
import type { FailedMachines } from './failedMachines';
import type { Account, Accounts, Fleet, Rental, WindowHub } from '../ports';
import type { RentalStore, RentResult } from './rentals';

export interface ReplacementDeps {
  readonly accounts: Accounts;
  readonly fleet: Fleet;
  readonly rentals: RentalStore;
  readonly failedMachines: FailedMachines;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
}

export type ReplaceStage = 'searching' | 'savingLog' | 'destroying' | 'renting';

export type ReplaceResult =
  | { readonly kind: 'replaced'; readonly rent: RentResult; readonly offer: Offer; readonly log?: string }
  /** It runs, or was stopped, meanwhile: nothing was done. */
  | { readonly kind: 'notNeeded'; readonly isRunning: boolean }
  /** Nothing fits the search within the limit: nothing was done. */
  | { readonly kind: 'noOffer' }
  /** It may still be there, so nothing was rented beside it. */
  | { readonly kind: 'notDestroyed'; readonly log?: string }
  /** It is destroyed, and every offer that fitted was gone by then. */
  | { readonly kind: 'destroyedOnly'; readonly log?: string }
  /** Another window does it. */
  | { readonly kind: 'elsewhere' };

export interface ReplaceOptions {
  readonly signal?: AbortSignal;
  readonly onStage?: (stage: ReplaceStage) => void;
  /** The user was told what data is lost; without it a machine that ran is never replaced. */
  readonly dataLossAccepted: boolean;
}

/** The instance was not rented here, or its environment is lost, so that it cannot be rented again alike. */
export class NotReplaceableError extends UserError {}

const logLines = 1000;
const mostTries = 5;

/**
 * Destroys a machine that failed and rents the next best for the same search, price limit and
 * configuration. Nothing is destroyed before an offer was found, nothing is rented before the
 * destruction was read back, and however many windows ask, one does it.
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
  const config = rental && (await deps.rentals.fullConfig(rental));
  if (!rental?.search || !config) {
    throw new NotReplaceableError(
      rental?.search
        ? text(
            'The environment of this rental is not in the secret store any more. Destroy it and rent again.',
          )
        : text('This instance was not rented from a search of yours here. Destroy it and rent again.'),
    );
  }
  const state = await presentState(deps, account, rental, instanceId, options);
  if (state.kind === 'notNeeded') {
    return state;
  }
  options.onStage?.('searching');
  const offers = await candidates(deps, account, rental, config, options.signal);
  if (offers.length === 0) {
    return { kind: 'noOffer' };
  }
  const attempt = rental.replacements ?? 0;
  if (!(await deps.hub.claim(`replace:${rental.marker}:${attempt}`))) {
    return { kind: 'elsewhere' };
  }
  await deps.rentals.update(rental.marker, { replacements: attempt + 1 });
  options.onStage?.('savingLog');
  const log =
    state.kind === 'present' ? await captureLog(deps, account, instanceId, options.signal) : undefined;
  const words = log === undefined ? {} : { log };
  options.onStage?.('destroying');
  if (state.kind === 'present') {
    const verdict = await destroyAndVerify(deps, account.client, instanceId, options.signal);
    if (verdict === 'notConfirmed') {
      return { kind: 'notDestroyed', ...words };
    }
  }
  await deps.rentals.update(rental.marker, { phase: { kind: 'ended', instanceId } });
  options.onStage?.('renting');
  const next = await rentFirst(deps, rental, config, offers, options.signal);
  return next ? { kind: 'replaced', ...next, ...words } : { kind: 'destroyedOnly', ...words };
}

/** Looks again before anything happens: a machine that runs or was stopped on purpose is not replaced. */
async function presentState(
  deps: ReplacementDeps,
  account: Account,
  rental: Rental,
  instanceId: number,
  options: ReplaceOptions,
): Promise<
  { readonly kind: 'present' | 'gone' } | { readonly kind: 'notNeeded'; readonly isRunning: boolean }
> {
  const instance = await account.client.instances.get(instanceId, signalOf(options.signal));
  if (!instance) {
    return { kind: 'gone' };
  }
  const known = deps.fleet.facts(instanceId);
  // A destruction of ours that did not happen is what is being tried again.
  const facts: InstanceFacts =
    known.lastRequest?.kind !== 'destroy'
      ? known
      : known.readyAt === undefined
        ? noFacts
        : { readyAt: known.readyAt };
  const kind = stateOf(instance, facts, deps.clock.now());
  const intent = intentOf(instance, facts);
  if (kind === 'running' || intent === 'stopped') {
    return { kind: 'notNeeded', isRunning: kind === 'running' };
  }
  const timedOut = rental.phase.kind === 'failed' && rental.phase.reason === 'timedOut';
  const mayReplace = isFailed(kind, intent) || timedOut;
  if (!mayReplace || (facts.readyAt !== undefined && !options.dataLossAccepted)) {
    return { kind: 'notNeeded', isRunning: false };
  }
  if (instance.machineId !== undefined) {
    await deps.failedMachines.remember({
      machineId: instance.machineId,
      at: deps.clock.now(),
      reason: plain(instance.statusMessage ?? kind),
    });
  }
  return { kind: 'present' };
}

async function candidates(
  deps: ReplacementDeps,
  account: Account,
  rental: Rental,
  config: RentConfig,
  signal: AbortSignal | undefined,
): Promise<readonly Offer[]> {
  if (!rental.search) {
    return [];
  }
  const failed = await deps.failedMachines.list();
  const avoid = new Set(failed.map(({ machineId }) => machineId));
  if (rental.offer.machineId !== undefined) {
    avoid.add(rental.offer.machineId);
  }
  const disk = config.diskGb === undefined ? {} : { allocatedStorageGb: config.diskGb };
  const { items } = await account.client.offers.search({ ...rental.search, ...disk }, signalOf(signal));
  return nextBest(items, {
    rentalType: rental.rentalType,
    priceLimit: rental.priceLimit,
    bidPerHour: config.bidPerHour,
    diskGb: config.diskGb,
    avoidMachines: avoid,
    onlyMachine: config.volume?.kind === 'link' ? rental.offer.machineId : undefined,
  });
}

/** The log is worth having and never worth waiting long for. */
async function captureLog(
  deps: ReplacementDeps,
  account: Account,
  instanceId: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const abort = new AbortController();
  const timer = deps.clock.schedule(() => {
    abort.abort();
  }, 10_000);
  const signals = signal ? [signal, abort.signal] : [abort.signal];
  try {
    return await account.client.instances.logs(
      instanceId,
      { tail: logLines },
      { signal: AbortSignal.any(signals) },
    );
  } catch (error) {
    if (!isCancelled(error)) {
      deps.log.warn(`The log of ${instanceId} could not be saved: ${String(error)}`);
    }
    return undefined;
  } finally {
    timer.dispose();
  }
}

/** Tries the offers in order; only a refusal moves on to the next, never a lost answer. */
async function rentFirst(
  deps: ReplacementDeps,
  rental: Rental,
  config: RentConfig,
  offers: readonly Offer[],
  signal: AbortSignal | undefined,
): Promise<{ readonly rent: RentResult; readonly offer: Offer } | undefined> {
  for (const offer of offers.slice(0, mostTries)) {
    try {
      const rent = await deps.rentals.rent(
        {
          offer,
          config: { ...config, label: withoutMarker(config.label ?? '') },
          ...(rental.search === undefined ? {} : { search: rental.search }),
          rentalType: rental.rentalType,
          priceLimit: rental.priceLimit,
        },
        signalOf(signal),
      );
      return { rent, offer };
    } catch (error) {
      const isTaken =
        error instanceof GoneError || error instanceof NotFoundError || error instanceof RefusedError;
      if (!isTaken) {
        throw error;
      }
      deps.log.info(`Offer ${offer.id} was not to be had: ${error.message}`);
    }
  }
  return undefined;
}

function signalOf(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}
