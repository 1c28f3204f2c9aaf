import type { Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { instanceName } from '../../model/instances/instanceLabel';
import { add, zero, type Micros } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';

/** Returns a price such as `$0.12/day`, or that the record states none. */
export function stoppedPrice(instances: readonly Instance[]): string {
  return pricePerDay(sumOf(instances.map(stoppedCostPerDay)));
}

export function runningPrice(instances: readonly Instance[]): string {
  const rates = instances.map(runningRateOf);
  return pricePerHour(sumOf(rates.map((rate) => (rate === undefined ? undefined : perHour(rate)))));
}

/** Returns `undefined` if one of the costs is unknown. */
function sumOf(costs: readonly (Micros | undefined)[]): Micros | undefined {
  const known = costs.filter((cost) => cost !== undefined);
  return known.length < costs.length ? undefined : add(zero, ...known);
}

export function nameOfSome(instances: readonly Instance[]): string {
  const [only] = instances;
  return instances.length === 1 && only
    ? t('“{0}”', instanceName(only))
    : t('{0} instances', instances.length);
}

export function listed(instances: readonly Instance[]): string {
  return instances.length === 1
    ? ''
    : `\n\n${instances.map((instance) => `• ${instanceName(instance)}`).join('\n')}`;
}

export function startQuestion(instances: readonly Instance[]): Question {
  return {
    message: t('Start {0}?', nameOfSome(instances)),
    detail:
      `${t('Cost once started: {0}.', runningPrice(instances))} ${t('If another user has the GPU, the start waits until it is free.')}` +
      listed(instances),
    button: t('Start'),
  };
}

export function stopQuestion(instances: readonly Instance[]): Question {
  return {
    message: t('Stop {0}?', nameOfSome(instances)),
    detail:
      t(
        'Running processes stop. Storage is kept and still costs {0}. If another user then rents the GPU, a start waits until it is free.',
        stoppedPrice(instances),
      ) + listed(instances),
    button: titleOf('gpuRental.instance.stop'),
    keep: t('Keep Running'),
  };
}

/** For starts that wait for a free GPU: no processes are running that could end. */
export function cancelStartQuestion(instances: readonly Instance[]): Question {
  return {
    message: t('Cancel the start of {0}?', nameOfSome(instances)),
    detail:
      t(
        'The start waits for a free GPU. If you cancel it, storage is kept and still costs {0}.',
        stoppedPrice(instances),
      ) + listed(instances),
    button: t('Stop Waiting'),
    keep: t('Keep Waiting'),
  };
}

export function rebootQuestion(instances: readonly Instance[]): Question {
  return {
    message: t('Reboot {0}?', nameOfSome(instances)),
    detail:
      t('Running processes stop. Disk and GPU are kept, and the cost stays {0}.', runningPrice(instances)) +
      listed(instances),
    button: titleOf('gpuRental.instance.reboot'),
    keep: t('Keep Running'),
  };
}
