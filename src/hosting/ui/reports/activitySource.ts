import { t } from '../../../editor/localize';
import { auditAction } from '../../../model/accounts/auditEntry';
import type { ServiceAuditLog } from '../../../store/accounts/auditLog';
import { auditSection } from './activityView';
import { reportNotice } from './notice';
import type { ReportSource } from './reportController';

/** A page stays quick with so many rows. The JSON file has all of them. */
const mostRows = 2000;

/** What changed something in the account, as the service recorded it. */
export class ActivitySource implements ReportSource<ServiceAuditLog> {
  readonly id = 'activity';
  readonly title = t('Account Activity');
  private isOfInstances = false;

  constructor(private readonly readLog: (signal: AbortSignal) => Promise<ServiceAuditLog>) {}

  subtitle(): string {
    return t('What changed your account, and who did it. Values that were sent are not shown.');
  }

  filters() {
    return [
      {
        id: 'of',
        label: t('Change'),
        value: this.isOfInstances ? 'instances' : '',
        options: [
          { value: '', label: t('All') },
          { value: 'instances', label: t('Instances') },
        ],
      },
    ];
  }

  setFilter(_id: string, value: string): boolean {
    this.isOfInstances = value === 'instances';
    return false;
  }

  buttons() {
    return [];
  }

  read(signal: AbortSignal): Promise<ServiceAuditLog> {
    return this.readLog(signal);
  }

  draw(log: ServiceAuditLog) {
    const entries = this.chosen(log);
    return {
      tiles: [],
      sections: [auditSection(entries.slice(0, mostRows), log)],
      notices: [
        reportNotice(
          'info',
          t('A stop by the service itself, such as a lost bid, leaves no entry in its audit log.'),
        ),
        ...(entries.length > mostRows
          ? [
              reportNotice(
                'info',
                t('Only the latest entries are shown: {0} of {1}.', mostRows, entries.length),
              ),
            ]
          : []),
        ...(log.skipped > 0
          ? [
              reportNotice(
                'warning',
                t('Could not be read and are left out: {0}. The log names the field.', log.skipped),
              ),
            ]
          : []),
      ],
    };
  }

  json(log: ServiceAuditLog): unknown {
    return { skipped: log.skipped, entries: this.chosen(log) };
  }

  private chosen({ entries }: ServiceAuditLog): ServiceAuditLog['entries'] {
    return this.isOfInstances ? entries.filter((entry) => auditAction(entry) !== undefined) : entries;
  }
}
