import type { AuditEntry, AuditSenders } from '../model/accounts/auditEntry';
import { plainLabel } from '../util/plainLabel';
import { t } from './localize';

/** Returns whose API key sent an entry. */
export function senderText({ keyId }: AuditEntry, { keyInUse, keys }: AuditSenders): string {
  if (keyId === undefined) {
    return t('unknown');
  }
  const name = plainLabel(keys?.find(({ id }) => id === keyId)?.name ?? '');
  if (keyId === keyInUse) {
    return name === '' ? t('API key in use') : t('API key in use: {0}', name);
  }
  const key = t('API key {0}', name === '' ? `#${keyId}` : name);
  const isForeign = keys?.every(({ id }) => id !== keyId) ?? false;
  return isForeign ? t('{0}, of a machine, the timetable of the service or a team member', key) : key;
}
