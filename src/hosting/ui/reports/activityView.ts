import { senderText } from '../../../editor/auditText';
import { t } from '../../../editor/localize';
import { auditAction, type AuditAction, type AuditEntry } from '../../../model/accounts/auditEntry';
import type { ServiceAuditLog } from '../../../store/accounts/auditLog';
import type { ReportView } from '../../../webview/report/protocol';
import { textCell, timeCell } from './cells';

type Section = ReportView['sections'][number];

/** Returns what the service recorded, latest first. */
export function auditSection(entries: readonly AuditEntry[], log: ServiceAuditLog): Section {
  return {
    id: 'audit',
    title: t('Recorded by the Service'),
    folded: false,
    table: {
      caption: t('Changes to the account, latest first'),
      columns: [t('Time (UTC)'), t('Change'), t('Instance'), t('By'), t('IP address')].map((label) => ({
        label,
        numeric: false,
      })),
      rows: entries.map((entry, index) => {
        const action = auditAction(entry);
        const ids = action === undefined || action === 'rent' ? [] : entry.ids;
        return {
          id: String(index),
          cells: [
            timeCell(entry.at),
            textCell(action === undefined ? entry.route : actionText(action)),
            textCell(ids.map((id) => `#${id}`).join(' ')),
            textCell(senderText(entry, log)),
            textCell(entry.address),
          ],
        };
      }),
    },
  };
}

function actionText(action: AuditAction): string {
  switch (action) {
    case 'rent':
      return t('Rent');
    case 'start':
      return t('Start');
    case 'stop':
      return t('Stop');
    case 'destroy':
      return t('Destroy');
  }
}
