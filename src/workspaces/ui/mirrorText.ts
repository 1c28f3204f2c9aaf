import { localize, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { bytesText } from '../../util/bytes';
import { plainLabel } from '../../util/plainLabel';
import type { DifferingFile, MirrorStatus } from '../model/mirror';

/** Text and icon of a mirrored folder, most urgent first. */
export function mirrorState(
  status: MirrorStatus,
  now: number,
): { readonly text: string; readonly icon: string } {
  const { differing, inStepAt, isWorking, offlineSince, problem, question, waiting } = status;
  if (question) {
    return { text: t('waits for your answer'), icon: 'question' };
  }
  if (problem) {
    return { text: localize(problem), icon: 'warning' };
  }
  const conflicts = differing.filter(({ change }) => change === 'both').length;
  const changed = differing.length - conflicts;
  const parts = [
    conflicts > 0 && t('{0} on both sides', conflicts),
    changed > 0 && t('{0} changed there', changed),
    waiting > 0 && t('{0} waiting', waiting),
    offlineSince !== undefined && t('offline since {0}', momentText(offlineSince, now)),
  ].filter((part) => part !== false);
  const icon = conflicts > 0 ? 'warning' : offlineSince === undefined ? 'sync' : 'sync-ignored';
  if (parts.length > 0) {
    return { text: parts.join(' · '), icon };
  }
  const isCompared = inStepAt !== undefined && !isWorking;
  return { text: isCompared ? t('in step at {0}', momentText(inStepAt, now)) : t('comparing…'), icon };
}

/** What became of a file on the instance, with its size there. */
export function changeText({ change, size }: DifferingFile): string {
  const words = { new: t('new'), changed: t('changed'), gone: t('deleted'), both: t('on both sides') }[
    change
  ];
  return size === undefined ? words : `${words} · ${bytesText(size)}`;
}

/** The first names of many, as plain text. */
export function namesText(names: readonly string[], most = 3): string {
  const named = names.slice(0, most).map(plainLabel).join(', ');
  const more = names.length - most;
  return more > 0 ? t('{0} and {1} more', named, more) : named;
}

/** Files that stay on this computer, one line for each reason. */
export function stayingText(leftOut: MirrorStatus['leftOut']): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const { name, why } of leftOut) {
    const reason = localize(why);
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  return [...byReason].map(([reason, names]) => `${namesText(names)} (${reason})`);
}
