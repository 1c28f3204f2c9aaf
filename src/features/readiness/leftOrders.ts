import { showInstances } from '../../editor/chooseInstance';
import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { UnfinishedOrder } from '../../store/rentals/rentalStore';

/** Reports that a window closed between the rentals of one confirmation. */
export function tellLeftOrder({ rentals, wanted }: UnfinishedOrder): void {
  const [instanceId] = rentals.flatMap(({ phase }) =>
    'instanceId' in phase ? (phase.instanceId ?? []) : [],
  );
  message(
    'warning',
    t(
      'Rented {0} of {1} machines. The window closed before it requested the others, so they were not rented.',
      rentals.length,
      wanted,
    ),
    ...(instanceId === undefined
      ? [commandAction(t('Search Offers'), 'gpuRental.searchOffers')]
      : [
          commandAction(t('Rent Another Like This'), 'gpuRental.instance.rentAnother', { instanceId }),
          showInstances(),
        ]),
  );
}
