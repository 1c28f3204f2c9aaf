import { localize, t } from '../../editor/localize';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import type { StatusPart } from '../../editor/statusItem';
import type { Instance } from '../../model/instances/instance';
import { ageMs, costSoFar, stoppedCostPerDay } from '../../model/instances/instanceCost';
import { instanceName } from '../../model/instances/instanceLabel';
import {
  billingOf,
  costPerHour,
  isReady,
  stateLabel,
  type InstanceStateKind,
} from '../../model/instances/instanceState';
import type { WindowTrouble } from '../../model/instances/windowTrouble';
import { formatMoney } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';

type WindowTexts = Omit<StatusPart, 'command'>;

export interface WindowInput {
  readonly instance: Instance;
  readonly kind: InstanceStateKind;
  /** True if the list could not be read, so the last known state is shown. */
  readonly isStale: boolean;
  readonly now: number;
  /** One round trip to the machine; `undefined` without a recent measurement. */
  readonly latencyMs?: number | undefined;
}

/** Returns `$0.31/h`, or that the record has no price. */
export function runningPriceOf(instance: Instance): string {
  const rate = runningRateOf(instance);
  return pricePerHour(rate === undefined ? undefined : perHour(rate));
}

/** Returns what the disk still costs. */
export function diskPriceOf(instance: Instance): string {
  return pricePerDay(stoppedCostPerDay(instance));
}

/** Returns the texts about this window's machine: name, current cost, age, and maximum cost so far. */
export function windowTexts({ instance, kind, isStale, now, latencyMs }: WindowInput): WindowTexts {
  const name = instanceName(instance);
  const state = localize(stateLabel(instance, kind));
  const cost = costPerHour(instance, kind);
  const price =
    billingOf(instance, kind) === 'disk'
      ? diskPriceOf(instance)
      : cost === undefined
        ? undefined
        : t('{0}/h', formatMoney(cost));
  const age = ageMs(instance, now);
  const time = age === undefined ? undefined : localize(durationText(age));
  const spent = costSoFar(instance, now);
  const soFar = spent === undefined ? undefined : formatMoney(spent);
  const isRunning = isReady(kind);
  const latency = latencyMs === undefined ? undefined : t('{0} ms', latencyMs);
  const icon = isStale || !isRunning ? '$(warning)' : '$(vm-running)';
  const shown = [
    plainLabel(name),
    isRunning ? undefined : state,
    price,
    isRunning ? time : undefined,
    isRunning ? latency : undefined,
    soFar === undefined ? undefined : `≤ ${soFar}`,
  ].filter((part) => part !== undefined);
  const lines = [
    t('This window works on {0}: {1}', name, state),
    price === undefined ? undefined : t('It costs {0} now', price),
    time === undefined ? undefined : t('Rented {0} ago', time),
    soFar === undefined
      ? undefined
      : t('At most {0} so far, assuming that it always ran, without traffic', soFar),
    isRunning && latency !== undefined ? t('Latency to the machine: {0}', latency) : undefined,
    isStale ? t('The service is unreachable; this is the last known state') : undefined,
  ].filter((line) => line !== undefined);
  return {
    text: `${icon} ${shown.join(' · ')}`,
    tooltip: lines.join('\n'),
    spoken: lines.join(', '),
    isWarning: !isRunning && !isStale,
  };
}

/** Returns the texts when no complete list contains the machine any more. */
export function goneTexts(alias: string): WindowTexts {
  const sentence = t('The instance of this window is destroyed');
  return { text: `$(warning) ${plainLabel(alias)}`, tooltip: sentence, spoken: sentence, isWarning: true };
}

/** Returns what happened to this window's machine, and what it still costs. */
export function troubleText(
  name: string,
  trouble: WindowTrouble,
  instance: Instance | undefined,
): { readonly message: string; readonly detail: string } {
  const disk = instance ? diskPriceOf(instance) : '';
  const messages: Record<WindowTrouble, string> = {
    stopped: t("{0} is stopped, so this window can't work on it.", name),
    destroyed: t('{0} is destroyed, so this window can no longer work on it.', name),
    outbid: t("{0} was outbid and is paused, so this window can't work on it.", name),
    exited: t("{0} has exited, so this window can't work on it.", name),
    unknown: t('The host of {0} sends no heartbeat, so this window may not work.', name),
    offline: t("The host of {0} is disconnected, so this window can't work on it.", name),
    moved: t('{0} has a new address. Reload this window to connect to it.', name),
  };
  const details: Record<WindowTrouble, string> = {
    stopped: t('Its data is kept, and storage still costs {0}.', disk),
    destroyed: t('You are no longer charged for it. Its files are lost.'),
    outbid: t(
      'It runs again when your bid is the highest. Its data is kept, and storage still costs {0}.',
      disk,
    ),
    exited: t('Its data is kept, and storage still costs {0}.', disk),
    unknown: t('Its data may come back with the host, and storage still costs {0}.', disk),
    offline: t('Its data may come back with the host, and storage still costs {0}.', disk),
    moved: t('The entry in your SSH config is up to date. Unsaved files are kept.'),
  };
  return { message: messages[trouble], detail: details[trouble] };
}
