import { localize, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import type { InstanceNote } from '../../editor/treeGroups';
import type { RentalEnd } from '../../model/instances/rentalEnd';
import { durationText } from '../../util/duration';

const remaining = (untilMs: number, now: number) => localize(durationText(untilMs - now));

/**
 * Returns the row and tooltip of an instance whose rental has an end date. A distant date appears only in the
 * tooltip, unless the instance was outbid, because it may stay paused until then.
 */
export function endNote(end: RentalEnd, now: number, isOutbid: boolean): InstanceNote {
  const ends = () => t('{0}, in {1}', momentText(end.endsAtMs, now), remaining(end.endsAtMs, now));
  switch (end.kind) {
    case 'later':
      return isOutbid ? endsNote(end, now, ends) : { row: '', lines: () => [[t('Rental ends'), ends()]] };
    case 'soon':
      return endsNote(end, now, ends);
    case 'expired':
      return {
        row: deletionInRow(end.deletedAtMs, now),
        lines: () => [
          [t('Rental ended'), momentText(end.endsAtMs, now)],
          [t('Data'), deletion(end.deletedAtMs, now)],
        ],
      };
  }
}

function endsNote({ endsAtMs }: RentalEnd, now: number, ends: () => string): InstanceNote {
  return {
    row: t('rental ends in {0}', remaining(endsAtMs, now)),
    lines: () => [
      [t('Rental ends'), ends()],
      [t('Then'), t('the instance stops, and its data may be deleted 48 h later')],
    ],
  };
}

function deletionInRow(deletedAtMs: number, now: number): string {
  return deletedAtMs > now
    ? t('expired, data kept for {0}', remaining(deletedAtMs, now))
    : t('expired, data can be deleted at any time');
}

function deletion(deletedAtMs: number, now: number): string {
  return deletedAtMs > now
    ? t('kept until {0}, for {1}', momentText(deletedAtMs, now), remaining(deletedAtMs, now))
    : t('can be deleted at any time');
}

export function hostEndsText(name: string, endsAtMs: number, now: number): string {
  return t(
    'The host ends the rental of {0} in {1}, at {2}. Save what you need before then; its data may be deleted 48 h later.',
    name,
    remaining(endsAtMs, now),
    momentText(endsAtMs, now),
  );
}

export function expiredText(name: string, endsAtMs: number, deletedAtMs: number, now: number): string {
  const ended = momentText(endsAtMs, now);
  return deletedAtMs > now
    ? t(
        'The rental of {0} ended at {1}. Its data may be deleted in {2}, at {3}.',
        name,
        ended,
        remaining(deletedAtMs, now),
        momentText(deletedAtMs, now),
      )
    : t('The rental of {0} ended at {1}. Its data can be deleted at any time.', name, ended);
}

/** Returns the note for every instance while the account has no credit. */
export function noCreditNote(): InstanceNote {
  return {
    row: t('no credit left'),
    lines: () => [[t('Credit'), t('used up: the service stops the instance and can delete its data')]],
  };
}

export function noCreditText(): string {
  return t('Your credit is used up. The service stops your instances and can delete their data.');
}

export function noCreditForVolumesText(): string {
  return t('Your credit is used up, and your volumes still cost money. Their data can be lost.');
}
