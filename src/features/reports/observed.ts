import type { Charge } from '../../model/accounts/charge';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { times } from '../../model/money';

const secondsPerDay = 86_400;
const secondsPerHour = 3600;

/**
 * Returns one charge per day and instance: an upper bound that assumes the present instances ran all the time.
 * Instances that have been destroyed are missing.
 */
export function observedCharges(
  instances: readonly Instance[],
  range: { readonly from: number; readonly to: number },
  nowMs: number,
): readonly Charge[] {
  const end = Math.min(range.to, Math.floor(nowMs / 1000));
  return instances.flatMap((instance) => {
    const { startedAt, totalPerHour } = instance;
    if (startedAt === undefined || totalPerHour === undefined) {
      return [];
    }
    const charges: Charge[] = [];
    let from = Math.max(range.from, Math.floor(startedAt));
    while (from < end) {
      const to = Math.min(end, (Math.floor(from / secondsPerDay) + 1) * secondsPerDay);
      charges.push({
        start: from,
        end: to,
        type: 'instance',
        source: `instance-${instance.id}`,
        label: instanceName(instance),
        amount: times(totalPerHour, (to - from) / secondsPerHour),
        items: [],
      });
      from = to;
    }
    return charges;
  });
}
