import { t } from './localize';

/** Returns a number of files as text. */
export function filesText(count: number): string {
  return count === 1 ? t('1 file') : t('{0} files', count);
}
