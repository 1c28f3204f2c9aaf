import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { FailedStart } from '../../store/rentals/startEvent';
import { durationText } from '../../util/duration';
import type { ReadinessDeps } from './deps';
import { failureSentence } from './failureWords';

/** Announces a replacement, which the user can decline until it is due; `ask` then asks what to do instead. */
export async function announcePause(
  { rentals, clock }: Pick<ReadinessDeps, 'rentals' | 'clock'>,
  { instanceId, reason, message: ofHost }: FailedStart,
  name: string,
  pauseMs: number,
  ask: () => void,
): Promise<void> {
  const found = rentals.find(instanceId);
  // The journal stores the due time, so it outlives this window.
  const noted = found && rentals.update(found.marker, { replaceAt: clock.now() + pauseMs });
  const decline = async () => {
    // A time that is written after it was taken back would count.
    await noted;
    const rental = rentals.find(instanceId);
    if (rental?.replaceAt === undefined) {
      message('info', t('{0} has already changed. The list shows its current state.', name));
      return;
    }
    await rentals.update(rental.marker, { replaceAt: undefined });
    ask();
  };
  message(
    'warning',
    t(
      '{0} As configured, it is destroyed and the next best offer is rented in {1}.',
      failureSentence(name, reason, ofHost),
      localize(durationText(pauseMs)),
    ),
    { label: t('Do Not Replace'), run: decline },
  );
  await noted;
}
