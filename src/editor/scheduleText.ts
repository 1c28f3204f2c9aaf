import { t } from './localize';

/** Returns what a schedule needs in order to run, for every place that sets or shows one. */
export function needsEditor(): string {
  return t('an editor that is open on this computer and signed in to this account');
}
