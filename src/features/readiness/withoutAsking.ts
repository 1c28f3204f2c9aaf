import { localize, t } from '../../editor/localize';
import { overrunText } from '../../model/budget/budgetWords';
import { failureKind, replaceAlone, type ReplaceAlone } from '../../model/rentals/replaceAlone';
import type { StartEvent } from '../../store/rentals/startEvent';
import type { ReadinessDeps } from './deps';

/**
 * How the setting replaces an instance. A failed one stays listed until it is destroyed, so one that is gone was
 * destroyed elsewhere (docs/service/instances.md#failed-statuses).
 */
export const unasked = { dataLossAccepted: false, onlyIfThere: true } as const;

/** Returns whether the setting asks for replacements without a question. */
export function isReplaceSet({ settings }: Pick<ReadinessDeps, 'settings'>): boolean {
  return settings.get('gpuRental.ready.onFailure') === 'replace';
}

/** Decides whether the setting allows a replacement without a question; stores the failure for the next decision. */
export async function replaceAloneOf(
  { rentals, settings }: Pick<ReadinessDeps, 'rentals' | 'settings'>,
  { instanceId, reason, message, hadData }: Extract<StartEvent, { kind: 'failed' }>,
): Promise<ReplaceAlone | undefined> {
  const rental = rentals.find(instanceId);
  if (!rental) {
    return undefined;
  }
  const failure = failureKind(reason, message);
  await rentals.update(rental.marker, { failure });
  const isWanted = rental.search !== undefined && !hadData && isReplaceSet({ settings });
  const find = (marker: string) => rentals.rentals.find((one) => one.marker === marker);
  return isWanted ? replaceAlone(rental, failure, find) : undefined;
}

/** Returns why the setting does not apply: without a question, money is spent only within the budget. */
export async function overrunWords({ budget }: Pick<ReadinessDeps, 'budget'>): Promise<string | undefined> {
  const overrun = overrunText(await budget.current());
  return overrun && t('{0} So it is not replaced without asking.', localize(overrun));
}

/** Returns why the setting does not apply. */
export function askedWords(kind: ReplaceAlone['kind'] | undefined): string | undefined {
  switch (kind) {
    case undefined:
    case 'after':
      return undefined;
    case 'sameFailure':
      return t('Another host failed the same way, so it is not replaced without asking.');
    case 'tooMany':
      return t('It was replaced 3 times, so it is not replaced again without asking.');
  }
}
