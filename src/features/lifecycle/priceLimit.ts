import { confirmOverLimit } from '../../editor/confirmOverLimit';
import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import type { Instance } from '../../model/instances/instance';
import type { Micros } from '../../model/money';
import { hourlyRate, runningRateOf, stoppedRateOf } from '../../model/quote';
import { overHourlyLimit } from '../../store/instances/limitPerHour';
import type { LifecycleDeps } from './deps';

/** Returns true if the user's price limit for all running instances allows a start, or if the user confirms the excess. */
export async function confirmStartOverLimit(
  deps: LifecycleDeps,
  instances: readonly Instance[],
): Promise<boolean> {
  const ids = instances.map(({ id }) => id);
  return confirmOverLimit(
    await overHourlyLimit(deps, ids, () => instances.map(runningRateOf), whileReadingInstances),
    {
      sentence: (total, limit) =>
        t('All your instances would then cost up to {0}/h. Your limit is {1}/h.', total, limit),
      message: t('Continue over your price limit?'),
      button: t('Continue Anyway'),
    },
  );
}

/** The same for a higher bid: at a bid that wins, a paused instance starts again, and a running one costs more. */
export async function confirmBidOverLimit(
  deps: LifecycleDeps,
  instance: Instance,
  bid: Micros,
): Promise<boolean> {
  const { bidPerHour } = instance;
  if (bidPerHour !== undefined && bid <= bidPerHour) {
    return true;
  }
  const rates = () => [hourlyRate(bid), stoppedRateOf(instance)];
  return confirmOverLimit(await overHourlyLimit(deps, [instance.id], rates, whileReadingInstances), {
    sentence: (total, limit) =>
      t('All your instances would then cost up to {0}/h. Your limit is {1}/h.', total, limit),
    message: t('Continue over your price limit?'),
    button: t('Continue Anyway'),
  });
}
