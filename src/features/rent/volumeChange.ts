import type { Client } from '../../api/client';
import { t } from '../../editor/localize';
import { pricePerDay } from '../../editor/priceText';
import type { Micros } from '../../model/money';
import { diskRate, perDay } from '../../model/quote';
import type { RentFlow } from '../../model/rentals/rentFlow';
import type { VolumeOffer, VolumeSearch } from '../../model/volume';
import { defined } from '../../util/defined';
import type { ConfirmNotice } from './confirmStep';

/** As many as the list to choose from shows. */
const mostOffers = 8;

/**
 * Reads the offer of a new volume again. Returns a notice if the volume is gone or costs more than was confirmed, after
 * putting what is offered now into the choices.
 */
export async function volumeChange(
  flow: RentFlow,
  client: Pick<Client, 'volumes'>,
  signal: AbortSignal,
): Promise<ConfirmNotice | undefined> {
  const { volume, volumePerGbMonth: before } = flow.choices;
  if (volume?.kind !== 'create') {
    return undefined;
  }
  const { machineId } = flow.offer;
  const found = await findOffer(client, { machineId, leastSizeGb: volume.sizeGb }, volume.volumeId, signal);
  if (!found) {
    flow.unset('volume', 'volumePerGbMonth');
    return {
      reason: t('The new volume is no longer available.'),
      detail: t('Press Enter to rent without it, or choose another one below.'),
    };
  }
  const after = found.perGbMonth;
  if (after === before || (after !== undefined && before !== undefined && after < before)) {
    return undefined;
  }
  if (after === undefined) {
    flow.unset('volumePerGbMonth');
  } else {
    flow.set({ volumePerGbMonth: after });
  }
  return {
    reason:
      before === undefined || after === undefined
        ? t('The service now states a different price for the new volume.')
        : t(
            'The price of the new volume has risen from {0} to {1}.',
            dayPrice(volume.sizeGb, before),
            dayPrice(volume.sizeGb, after),
          ),
    detail: t('Press Enter to rent at the price below.'),
  };
}

async function findOffer(
  { volumes }: Pick<Client, 'volumes'>,
  place: { readonly [Key in keyof VolumeSearch]: VolumeSearch[Key] | undefined },
  offerId: number,
  signal: AbortSignal,
): Promise<VolumeOffer | undefined> {
  const { items } = await volumes.search(defined<VolumeSearch>({ ...place, limit: mostOffers }), { signal });
  return items.find(({ id }) => id === offerId);
}

function dayPrice(sizeGb: number | undefined, perGbMonth: Micros): string {
  return pricePerDay(perDay(diskRate(perGbMonth, sizeGb ?? 0)));
}
