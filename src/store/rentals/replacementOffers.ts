import { rentalFit } from '../../model/fit/rentalFit';
import type { Micros } from '../../model/money';
import { nextBest, type ReplacementNeeds } from '../../model/offers/nextBest';
import type { Offer } from '../../model/offers/offer';
import { wireMisfits } from '../../model/offers/offerMatch';
import type { RentConfig } from '../../model/rentals/rent';
import type { RentChoices } from '../../model/rentals/rentPlan';
import type { Template } from '../../model/templates/template';
import type { Account } from '../accounts/accounts';
import { findTemplate } from '../templates/findTemplate';
import type { FailedMachine } from './failedMachines';
import type { Rental } from './rentalStore';

/** Returns what a replacement must offer; `roomPerHour` is what the other instances leave of the user's limit. */
export function needsOf(
  { rentalType, priceLimit, offer }: Rental,
  { bidPerHour, diskGb, volume }: RentConfig,
  failed: readonly FailedMachine[],
  roomPerHour: Micros | undefined,
): ReplacementNeeds {
  const own = offer.machineId === undefined ? [] : [offer.machineId];
  return {
    rentalType,
    priceLimit: roomPerHour !== undefined && roomPerHour < priceLimit ? roomPerHour : priceLimit,
    bidPerHour,
    diskGb,
    avoidMachines: new Set([...failed.map(({ machineId }) => machineId), ...own]),
    // A volume, existing or to be created, can't move to another machine.
    onlyMachine: volume === undefined ? undefined : offer.machineId,
  };
}

/** Returns offers that match the search of the rental; for one offer, whether it still does at its present price. */
export async function candidates(
  account: Account,
  { search }: Rental,
  needs: ReplacementNeeds,
  signal: AbortSignal | undefined,
  offerId?: number,
): Promise<readonly Offer[]> {
  if (!search) {
    return [];
  }
  const disk = needs.diskGb === undefined ? {} : { allocatedStorageGb: needs.diskGb };
  const filters = offerId === undefined ? search.filters : { id: { eq: offerId } };
  const { items } = await account.client.offers.search({ ...search, filters, ...disk }, { signal });
  // Some of the service's filters misbehave (docs/service/offers.md#filters-that-misbehave).
  const fitting = items.filter(
    (offer) =>
      wireMisfits(offer, search.filters).length === 0 && (offerId === undefined || offer.id === offerId),
  );
  return nextBest(fitting, needs);
}

/** The configuration to rent again, with the current template; the choices are used to judge offers. */
interface PresentPlan {
  readonly config: RentConfig;
  readonly choices: RentChoices;
}

/**
 * Returns the configuration with the current template. A template that was edited since may do something else, and
 * the service does not find it by the old hash.
 */
export async function presentPlan(
  { client }: Account,
  config: RentConfig,
  {
    signal,
    acceptedTemplateHash,
  }: { readonly signal?: AbortSignal | undefined; readonly acceptedTemplateHash?: string },
): Promise<PresentPlan | { readonly kind: 'templateChanged'; readonly template: Template | undefined }> {
  if (config.templateHash === undefined) {
    return { config, choices: { ...config, source: { kind: 'image', image: config.image ?? '' } } };
  }
  const template = await findTemplate(client, config, { signal });
  const isWanted =
    template?.hashId === config.templateHash ||
    (template !== undefined && template.hashId === acceptedTemplateHash);
  return template && isWanted
    ? {
        config: { ...config, templateHash: template.hashId },
        choices: { ...config, source: { kind: 'template', template } },
      }
    : { kind: 'templateChanged', template };
}

/** Returns the offers in their order, with those that do not fit the software at the end. */
export function fittingFirst(offers: readonly Offer[], choices: RentChoices): readonly Offer[] {
  const fits = (offer: Offer) => rentalFit({ offer, choices }).filters === undefined;
  return [...offers.filter(fits), ...offers.filter((offer) => !fits(offer))];
}
