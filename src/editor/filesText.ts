import { t } from './localize';

/** A number of files in words. */
export function filesText(count: number): string {
  return count === 1 ? t('1 file') : t('{0} files', count);
}
