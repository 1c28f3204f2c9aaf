import type { Instance } from '../../model/instances/instance';
import { zero, type Micros } from '../../model/money';
import type { Offer } from '../../model/offers/offer';
import { perHour, quoteOffer, runningRateOf, stoppedRateOf, type Rate } from '../../model/quote';
import type { ScheduleAction } from '../../schedules/model/schedule';
import { ToolError } from './answer';
import { lasts } from './gate';
import type { AgentRequest, Commitment, RentalQuote } from './request';

/** A window that carries out a request and is silent for this long is replaced by another one. */
export const silenceMs = 120_000;

/** Whether a yes may still be carried out: the computer may have slept since, or its clock was set. */
export function isFresh({ decidedAt, at }: AgentRequest, now: number): boolean {
  return lasts(decidedAt ?? at, silenceMs, now);
}

/** What a model reads of a yes that was not carried out any more. */
export const yesTooOld = 'The user said yes too long ago. Nothing was done. Ask again with a new requestId.';

/** Throws where a yes is too old to be carried out. */
export function checkFresh(request: AgentRequest, now: number): void {
  if (!isFresh(request, now)) {
    throw new ToolError(yesTooOld);
  }
}

export interface OfferPrice {
  readonly running: Rate;
  readonly stopped: Rate | undefined;
}

/** The price of an offer with a disk of this size; `undefined` where the service states none. */
export function offerPrice(offer: Offer, diskGb: number): OfferPrice | undefined {
  const { running, stopped } = quoteOffer(offer, { rentalType: 'on-demand', diskGb, searchedDiskGb: diskGb });
  return running === undefined ? undefined : { running, stopped };
}

/** What a stopped instance costs; where the service states no price of the disk, all that it costs while it runs. */
export function stoppedPerHour({ running, stopped }: OfferPrice, then: ScheduleAction): Micros {
  return then === 'destroy' ? zero : perHour(stopped ?? running);
}

/**
 * Returns how the offer differs from what the user agreed to, for a model; `undefined` if it is the same or cheaper.
 */
export function changedSince(quote: RentalQuote, offer: Offer): string | undefined {
  const price = offerPrice(offer, quote.diskGb);
  const { offer: before } = quote;
  if (
    offer.machineId !== before.machineId ||
    offer.gpuName !== before.gpuName ||
    offer.gpuCount !== before.gpuCount
  ) {
    return 'The offer is of another machine now.';
  }
  if (!price || perHour(price.running) > quote.perHour) {
    return 'The price of the offer rose.';
  }
  if (stoppedPerHour(price, quote.then) > quote.stoppedPerHour) {
    return 'The price of its storage rose.';
  }
  return isDearer(before.inetDownPerGb, offer.inetDownPerGb) ||
    isDearer(before.inetUpPerGb, offer.inetUpPerGb)
    ? 'The price of its traffic rose.'
    : undefined;
}

/** The user has not agreed to a price that is stated only before or only now. */
function isDearer(before: Micros | undefined, now: Micros | undefined): boolean {
  return before === undefined || now === undefined ? before !== now : now > before;
}

/** A price that is not known to be lower counts in full; without a price, an agent may spend nothing. */
export function commitmentTo(
  instance: Instance,
  from: number,
  until: number,
  then: ScheduleAction,
): Commitment {
  const running = runningRateOf(instance);
  if (running === undefined) {
    throw new ToolError(
      "The service states no price for this instance, so an agent can't spend money on it.",
    );
  }
  const stopped = stoppedRateOf(instance);
  return {
    perHour: perHour(running),
    stoppedPerHour: stoppedPerHour({ running, stopped }, then),
    from,
    until,
  };
}

/** Throws where an instance costs more than the user agreed to. */
export function checkPrice({ commitment, then = 'stop' }: AgentRequest, instance: Instance): void {
  if (!commitment) {
    return;
  }
  const now = commitmentTo(instance, commitment.from, commitment.until, then);
  if (now.perHour > commitment.perHour || now.stoppedPerHour > commitment.stoppedPerHour) {
    throw new ToolError('The price of the instance rose. Nothing was done. Ask again with a new requestId.');
  }
}
