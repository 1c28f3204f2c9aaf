import { basename } from 'node:path/posix';
import { localize, t } from '../../../editor/localize';
import { pricePerDay, pricePerHour } from '../../../editor/priceText';
import { momentText } from '../../../editor/timeText';
import { bytesText } from '../../../util/bytes';
import { plainLabel } from '../../../util/plainLabel';
import { shownName } from '../../machine/rawPath';
import type { ParkedProgress } from '../../model/parkedSet';
import { canResume, type ParkedRow, type ParkedSet } from '../../model/parking';
import { cloudPathOf } from '../../model/secondCopy';

export function nameOfSet({ set }: { readonly set: Pick<ParkedSet, 'root' | 'from'> }): string {
  return plainLabel(t('{0} of {1}', shownName(basename(set.root)), set.from.name));
}

/** Returns what the old instance of a set costs. */
export function priceOfOld({ from: { perDay, perHour: rate } }: Pick<ParkedSet, 'from'>): string {
  return perDay === undefined ? pricePerHour(rate) : pricePerDay(perDay);
}

/** Returns what a row says of a set. */
export function stateOfSet(
  row: ParkedRow,
  now: number,
  {
    moved,
    isElsewhere,
    isOldGone,
  }: {
    readonly moved: ParkedProgress | undefined;
    readonly isElsewhere: boolean;
    /** The instance that a rescue keeps was destroyed. */
    readonly isOldGone: boolean;
  },
): string {
  const { set, state } = row;
  const { phase, bytes = 0, trouble, next } = state;
  const price = pricePerHour(set.from.perHour);
  const why = trouble
    ? localize(trouble.why)
    : isElsewhere
      ? t('waits until you switch to its account')
      : undefined;
  const share =
    moved && moved.totalBytes > 0
      ? t('{0} % of {1}', Math.floor((100 * moved.bytes) / moved.totalBytes), bytesText(bytes))
      : bytesText(bytes);
  switch (phase) {
    case 'listing':
      return why ?? t('listing files');
    case 'carrying':
      return why ?? t('the service copies {0}', bytesText(bytes));
    case 'fetching':
      return why ?? t('saving {0}', share);
    case 'proving':
      return why ?? t('checking {0}', bytesText(bytes));
    case 'lookingAgain':
      return why ?? t('looking for changes');
    case 'copying':
      return why ?? t('copying to {0}', set.cloud?.name ?? '');
    case 'proved':
      return t('{0}: {1}', price, why ?? t('saved, destroying {0}', set.from.name));
    case 'renting':
      return why ?? t('renting');
    case 'gettingReady':
      return why ?? t('{0} gets ready', next?.name ?? '');
    case 'placing':
      return why ?? t('sending {0}', share);
    case 'parked':
      return [
        ...(state.resumed ? [t('resumed {0}', momentText(state.resumed.at, now))] : []),
        why ?? (set.hasVolume === true ? t('only its volume costs money') : t('costs nothing')),
        bytesText(bytes),
        ...(set.cloud && state.copy?.endedAt !== undefined ? [t('also on {0}', set.cloud.name)] : []),
        ...(state.resumed ? [] : [momentText(state.endedAt ?? state.since, now)]),
      ].join(' · ');
    case 'stopped':
      return (
        set.plan === 'rescue' && state.resumed
          ? [
              why ?? keptText(set, isOldGone),
              t('moved {0}', momentText(state.resumed.at, now)),
              bytesText(bytes),
            ]
          : [...(canResume(state) ? [bytesText(bytes)] : []), why ?? t('stopped')]
      ).join(' · ');
    case 'incomplete':
      return canResume(state)
        ? [bytesText(bytes), t('not compared again before its instance ended')].join(' · ')
        : t('incomplete: {0} missing', state.lacking?.length ?? 0);
  }
}

function keptText(set: ParkedSet, isOldGone: boolean): string {
  return isOldGone ? t('costs nothing') : t('{0}: old instance stays stopped', priceOfOld(set));
}

/** Returns where a second copy of a set is, or why there is none; `undefined` where none was wanted. */
export function secondCopyOf({ set, state: { copy, phase } }: ParkedRow): string | undefined {
  const { cloud } = set;
  if (!cloud) {
    return undefined;
  }
  const path = cloudPathOf(cloud, set);
  return copy?.why
    ? t('not complete on {0}: {1}', cloud.name, localize(copy.why))
    : copy?.endedAt !== undefined
      ? t('{0} on {1}, not compared', path, cloud.name)
      : phase === 'copying'
        ? t('the service copies to {0} on {1}', path, cloud.name)
        : t('none yet');
}

/** Whether a row needs the user. */
export function isUrgent({ state: { phase, trouble } }: ParkedRow): boolean {
  return trouble !== undefined && (phase === 'proved' || trouble.nextTryAt === undefined);
}
