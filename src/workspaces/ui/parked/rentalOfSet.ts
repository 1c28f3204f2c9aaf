import { runCommand } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import { pricePerDay, pricePerHour } from '../../../editor/priceText';
import { formatMoney, times } from '../../../model/money';
import type { Offer } from '../../../model/offers/offer';
import { neededPorts } from '../../../model/rentals/rentPlan';
import type { OrderFact, RentalOrder } from '../../../model/rentals/rentalOrder';
import type { RentedLike } from '../../../model/rentals/rentedLike';
import { newMarker } from '../../../store/rentals/beforeRental';
import { bytesText } from '../../../util/bytes';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import { diskFor, transferText } from '../../model/parkedCost';
import type { MachineOfSet } from '../../model/parking';

export interface WantedMachine {
  readonly name: string;
  /** What the instance is called. */
  readonly label: string;
  readonly accountKey: string;
  readonly like: RentedLike;
  readonly bytes: number;
  /** The instance of a move, which costs money until the end, or is kept stopped. */
  readonly old?: MachineOfSet | undefined;
  /** Returns why no machine may be rented any more. */
  readonly whyNot: () => Promise<string | undefined>;
  /** Notes the rental on disk before it is sent; false if another one is noted. */
  readonly note: (marker: string) => Promise<boolean>;
}

/** Searches a machine for a set, as its own was rented. The user confirms the rental at the end. */
export async function rentForSet(wanted: WantedMachine): Promise<void> {
  const { like, bytes, accountKey, name } = wanted;
  const draft = await runCommand('gpuRental.draftLike', { accountKey, like });
  if (!draft) {
    return;
  }
  const diskGb = diskFor(bytes, draft.query.diskGb);
  const choices = { label: wanted.label, ...draft.choices, diskGb };
  const { source } = draft.choices ?? {};
  const { ports, ...filters } = draft.query.filters;
  // The cheapest offers are first, and often have no open port.
  const least = Math.max(source ? neededPorts({ ...choices, source }) : 0, ports?.min ?? 0);
  await runCommand('gpuRental.searchFor', {
    ...draft,
    title: wanted.old ? t('Move {0}', name) : t('Resume {0}', name),
    query: {
      ...draft.query,
      diskGb,
      sort: 'price',
      filters: { ...filters, ...(least > 0 && { ports: { ...ports, min: least } }) },
    },
    choices,
    order: orderOf(wanted),
  });
}

function orderOf({ name, bytes, old, whyNot, note }: WantedMachine): RentalOrder {
  return {
    name,
    heading: text('Workspace'),
    rentLabel: (rent) =>
      old ? text('{0} and Move {1}', rent, name) : text('{0} and Resume {1}', rent, name),
    facts: (_, __, offer) => factsOf(bytes, old, offer),
    // Its end is the one of the confirmation.
    guardSeconds: () => undefined,
    begin: () => {
      const marker = newMarker();
      return {
        markerOf: () => marker,
        whyNotWanted: whyNot,
        beforeSent: async () => {
          if (!(await note(marker))) {
            throw new UserError(text('{0} already continues on another instance.', name));
          }
        },
        sent: () => Promise.resolve(),
        settle: () => Promise.resolve(),
      };
    },
  };
}

function factsOf(bytes: number, old: MachineOfSet | undefined, offer: Offer): readonly OrderFact[] {
  const price = offer.inetDownPerGb;
  const timeText = transferText(bytes, offer.inetDownMbit);
  const size = bytesText(bytes);
  return [
    {
      id: 'traffic',
      label: text('Sent to it'),
      value:
        price === undefined
          ? text('{0}; the service does not state what traffic costs', size)
          : text('{0}, for {1}', size, formatMoney(times(price, bytes / 1e9))),
    },
    ...(timeText ? [{ id: 'time', label: text('Takes'), value: text('at least {0}', timeText) }] : []),
    ...(old
      ? [
          {
            id: 'old',
            label: old.perDay === undefined ? text('Until then') : text('Kept'),
            value:
              old.perDay === undefined
                ? text(
                    '{0} costs {1} as well, and is destroyed at the end',
                    old.name,
                    pricePerHour(old.perHour),
                  )
                : text('{0} stays stopped for {1} until you destroy it', old.name, pricePerDay(old.perDay)),
          },
        ]
      : []),
  ];
}
