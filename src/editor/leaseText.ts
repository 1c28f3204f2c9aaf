import { t } from './localize';

/** Who carries a schedule out; said wherever one is set or shown. */
export function needsEditor(): string {
  return t('an editor that is open on this computer and signed in to this account');
}
